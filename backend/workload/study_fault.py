"""Turns what the types refuse into plain sentences, with the line and the nearest right key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from backend.contracts.errors import InputError
from backend.workload.placed_error import PLACED_ERROR
from backend.workload.study import STUDY_SCHEMA
from backend.workload.study_keys import homes_of, keys_at, nearest, path_text
from backend.workload.yaml_tree import Fault, Place, YamlTree

_PATTERNS: Final = {
    "name": "lower-case letters, digits and hyphens, beginning with a letter",
    "class": "lower-case letters, digits and underscores, beginning with a letter",
    "group": "lower-case letters, digits, underscores and hyphens, beginning with a letter",
}
_UNION_ARMS: Final = ("int", "float", "str")


def faults_of(error: ValidationError, tree: YamlTree) -> list[Fault]:
    """One fault per wrong place, in the file's order."""
    found: dict[Place, Fault] = {}
    for detail in error.errors(include_url=False):
        place = _place(detail, tree)
        if (
            detail["type"] == "too_short"
            and len(tree.value_at(place)) >= detail["ctx"]["min_length"]
        ):
            # the checker counts the entries that are right; the wrong ones are named themselves
            continue
        what, right = _words(detail, place, tree)
        if place not in found:
            found[place] = Fault(place, tree.line_of(place), what, right)
    return sorted(found.values(), key=lambda fault: fault.line)


def wrong_file(faults: list[Fault], file: Path | str) -> InputError:
    """One error for all faults of a file: the first in full, the others below it."""
    first, *others = sorted(faults, key=lambda fault: fault.line)
    why = ""
    if others:
        listed = "\n".join(f"{file}:{fault.line}: {_upper(fault.sentence)}" for fault in others)
        why = f"{len(others)} more in this file:\n{listed}"
    return InputError(
        _upper(first.what),
        why=why,
        next_step=first.right or f"Correct line {first.line} and try again.",
        file=file,
        line=first.line,
        key=path_text(first.place),
    )


def _upper(sentence: str) -> str:
    """With a capital letter, unless a key begins it."""
    head = sentence.split(" ", 1)[0]
    plain = head.isalpha() and head.islower() and head in ("a", "the", "two", "unknown", "steps")
    return sentence[0].upper() + sentence[1:] if plain else sentence


def _place(detail: ErrorDetails, tree: YamlTree) -> Place:
    """Where the fault is: the error's own place, less what only the checker knows of."""
    place: Place = detail["loc"]
    if detail["type"] == PLACED_ERROR:
        return (*place, *detail["ctx"]["place"])
    if place and place[-1] == "[key]":
        return place[:-1]
    if place[-1:] == ("name",) and isinstance(tree.value_at(place[:-1]), str):
        return place[:-1]  # a candidate written as its name alone
    if len(place) > 1 and place[-1] in _UNION_ARMS and place[-3:-2] == ("parameters",):
        return place[:-1]
    return place


def _words(detail: ErrorDetails, place: Place, tree: YamlTree) -> tuple[str, str]:
    """What is wrong, and what would be right."""
    if detail["type"] == PLACED_ERROR:
        return f"{path_text(place)}: {detail['ctx']['message']}.", detail["ctx"]["right"]
    if detail["loc"][-1:] == ("[key]",):
        return (
            f"the name '{place[-1]}' in {path_text(place[:-1])} cannot be used.",
            f"Use {_PATTERNS['group']}.",
        )
    if "parameters" in place[-2:-1]:
        return f"{path_text(place)} is {_shown(place, tree)}.", "It must be a number or text."
    describe = _DESCRIBED.get(detail["type"])
    if describe is None:
        return f"{path_text(place)} is {_shown(place, tree)}.", f"{detail['msg']}."
    return describe(detail, place, tree)


def _shown(place: Place, tree: YamlTree) -> str:
    """A value as the file has it, short enough for a sentence."""
    value = tree.value_at(place)
    text = tree.texts.get(place, "")
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return f"the YAML switch '{text}'"
    if isinstance(value, int | float):
        return text or str(value)
    if isinstance(value, str):
        return f"'{value[:60]}'"
    return "a list" if isinstance(value, list) else "a mapping"


def _unknown_key(detail: ErrorDetails, place: Place, tree: YamlTree) -> tuple[str, str]:
    key, around = str(place[-1]), place[:-1]
    known = keys_at(around)
    what = f"unknown key '{key}' in {path_text(around)}."
    meant = nearest(key, known)
    if meant:
        return what, f"Did you mean '{meant}'?"
    homes = homes_of(key)
    if homes:
        return what, f"'{key}' belongs in {' or '.join(homes[:2])}."
    return what, f"Known keys here: {', '.join(known)}."


def _missing(detail: ErrorDetails, place: Place, tree: YamlTree) -> tuple[str, str]:
    key, around = place[-1], place[:-1]
    if isinstance(key, int):
        return (
            f"{path_text(around)} has {key} entry; it needs two.",
            "Write the least and the most, e.g. [5, 20].",
        )
    return f"{path_text(around)} lacks the key '{key}'.", f"Add '{key}'."


def _choice(detail: ErrorDetails, place: Place, tree: YamlTree) -> tuple[str, str]:
    if place == ("schema",):
        return (
            f"schema is {_shown(place, tree)}.",
            f"This Interleave reads study files with 'schema: {STUDY_SCHEMA}'.",
        )
    value = tree.value_at(place)
    allowed = str(detail["ctx"]["expected"]).replace(" or ", ", ").replace("'", "")
    words = tuple(allowed.split(", "))
    right = f"It must be one of: {allowed}."
    if isinstance(value, bool) and "yes" in words:
        right = f"Write {'yes' if value else 'no'}: true and false are switches in YAML."
    elif isinstance(value, str) and (meant := nearest(value, words)):
        right = f"Did you mean '{meant}'? Possible: {allowed}."
    return f"{path_text(place)} is {_shown(place, tree)}.", right


def _pattern(detail: ErrorDetails, place: Place, tree: YamlTree) -> tuple[str, str]:
    kind = str(place[-1])
    if kind == "name" and len(place) > 1:
        kind = "class"
    rule = _PATTERNS.get(kind, f"text of the form {detail['ctx']['pattern']}")
    return f"{path_text(place)} is {_shown(place, tree)}.", f"Use {rule}."


def _text(detail: ErrorDetails, place: Place, tree: YamlTree) -> tuple[str, str]:
    right = "It must be text."
    written = tree.texts.get(place)
    if written and not isinstance(tree.value_at(place), str):
        right = f'It must be text: write "{written}" with the quotes.'
    return f"{path_text(place)} is {_shown(place, tree)}.", right


def _must(rule: str) -> Callable[[ErrorDetails, Place, YamlTree], tuple[str, str]]:
    def describe(detail: ErrorDetails, place: Place, tree: YamlTree) -> tuple[str, str]:
        limits: dict[str, Any] = {
            key: f"{value:,}" if isinstance(value, int | float) else value
            for key, value in detail.get("ctx", {}).items()
        }
        return f"{path_text(place)} is {_shown(place, tree)}.", f"It must {rule.format(**limits)}."

    return describe


def _count(rule: str) -> Callable[[ErrorDetails, Place, YamlTree], tuple[str, str]]:
    def describe(detail: ErrorDetails, place: Place, tree: YamlTree) -> tuple[str, str]:
        limits = detail.get("ctx", {})
        count = limits.get("actual_length", "too many")
        entries = "1 entry" if count == 1 else f"{count} entries"
        return f"{path_text(place)} has {entries}.", f"It needs {rule.format(**limits)}."

    return describe


_DESCRIBED: Final[dict[str, Callable[[ErrorDetails, Place, YamlTree], tuple[str, str]]]] = {
    "extra_forbidden": _unknown_key,
    "missing": _missing,
    "literal_error": _choice,
    "string_pattern_mismatch": _pattern,
    "string_type": _text,
    "int_type": _must("be a whole number"),
    "int_from_float": _must("be a whole number"),
    "float_type": _must("be a number"),
    "greater_than": _must("be above {gt}"),
    "greater_than_equal": _must("be at least {ge}"),
    "less_than": _must("be below {lt}"),
    "less_than_equal": _must("be at most {le}"),
    "tuple_type": _must("be a list"),
    "dict_type": _must("be a mapping of keys to values"),
    "model_type": _must("be a mapping of keys to values"),
    "model_attributes_type": _must("be a mapping of keys to values"),
    "too_short": _count("at least {min_length}"),
    "too_long": _count("at most {max_length}"),
}
