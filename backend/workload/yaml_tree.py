"""YAML text as plain data, with the line of every key and item.

Reads the node tree only: no YAML object is ever constructed, so tags cannot run anything, and the
data is bounded, so aliases cannot multiply it. Faults that leave the rest readable are collected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from backend.contracts.errors import InputError

Place = tuple[str | int, ...]
"""Keys and indices from the top of the file, e.g. ``("classes", 0, "model")``."""

MOST_CHARACTERS: Final = 256 * 1024
MOST_VALUES: Final = 20_000
MOST_DEPTH: Final = 32

_TAG: Final = "tag:yaml.org,2002:"
_TRUE: Final = {"true", "yes", "on", "y"}


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a file: where, what, and what would be right."""

    place: Place
    line: int
    what: str
    right: str = ""

    @property
    def sentence(self) -> str:
        """Both parts as one text."""
        return f"{self.what} {self.right}".strip()


@dataclass
class YamlTree:
    """A file's data (mappings, lists, text, numbers, booleans, None) and what is known of it.

    Attributes:
        lines: Line of each key's or item's place, from 1; ``()`` is the file's first content.
        texts: Each scalar as it was written.
        faults: Duplicate keys, tags and the like.
    """

    data: Any = None
    lines: dict[Place, int] = field(default_factory=dict)
    texts: dict[Place, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def line_of(self, place: Place) -> int:
        """The line of a place, or of the nearest thing around it that the file has."""
        while place not in self.lines and place:
            place = place[:-1]
        return self.lines.get(place, 1)

    def value_at(self, place: Place) -> Any:
        """The data at a place; None where the file has nothing."""
        value = self.data
        for step in place:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return value


def read_yaml(text: str, file: Path | str) -> YamlTree:
    """Read YAML text.

    Raises:
        InputError: if it is empty, too long, too deep, or no YAML; the line is named.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"The file has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read.",
            file=file,
            next_step="Check that this is the file you meant.",
        )
    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        raise _not_yaml(error, text, file) from error
    except YAMLError as error:
        # the reader's own error: a character that YAML does not allow
        position = int(getattr(error, "position", 0))
        raise InputError(
            "The file holds a character that YAML does not allow: "
            f"{text[position : position + 1]!r}.",
            file=file,
            line=text.count("\n", 0, position) + 1,
            next_step="Remove it; a study file is plain UTF-8 text.",
        ) from error
    except (RecursionError, ValueError) as error:
        raise InputError(
            "The file is not YAML that Interleave can read.",
            why="It is nested far too deeply." if isinstance(error, RecursionError) else f"{error}",
            file=file,
            next_step="Compare it with one of the example files.",
        ) from error
    if root is None:
        raise InputError(
            "The file is empty.",
            file=file,
            line=1,
            next_step="Begin with 'schema: 1', or copy one of the example files.",
        )
    return _Reader(file).read(root)


def _not_yaml(error: MarkedYAMLError, text: str, file: Path | str) -> InputError:
    """What the YAML parser found, with the line and the line's text."""
    mark = error.problem_mark or error.context_mark
    line = (
        min(mark.line + 1, max(1, text.count("\n") + (not text.endswith("\n")))) if mark else None
    )
    shown = text.splitlines()[line - 1].strip()[:80] if line and text.splitlines() else ""
    parts = [str(part) for part in (error.context, error.problem) if part]
    why = ", ".join(parts) or "the parser gave no reason"
    return InputError(
        f"This is not valid YAML: {why}.",
        why=f"The line reads: {shown}" if shown else "",
        file=file,
        line=line,
        next_step="Correct the line; indent with spaces, never with tabs.",
    )


class _Reader:
    """Turns the node tree into plain data."""

    def __init__(self, file: Path | str) -> None:
        self._file = file
        self._tree = YamlTree()

    def read(self, root: Node) -> YamlTree:
        self._tree.lines[()] = root.start_mark.line + 1
        self._tree.data = self._value(root, ())
        return self._tree

    def _value(self, node: Node, place: Place) -> Any:
        tree = self._tree
        if place:
            tree.lines.setdefault(place, node.start_mark.line + 1)
        if len(tree.lines) > MOST_VALUES or len(place) > MOST_DEPTH:
            raise InputError(
                "The file holds far more values than a study can have"
                f" (more than {MOST_VALUES:,}, or {MOST_DEPTH} levels).",
                why="Aliases (*name) count each time they are used.",
                file=self._file,
                line=node.start_mark.line + 1,
                next_step="Remove the aliases that repeat each other.",
            )
        if isinstance(node, ScalarNode):
            return self._scalar(node, place)
        known = {f"{_TAG}map", f"{_TAG}seq"}
        if str(node.tag) not in known:
            self._fault(
                place, f"the tag '{_short(node)}' is not used in study files.", "Remove it."
            )
        if isinstance(node, SequenceNode):
            return [self._value(item, (*place, index)) for index, item in enumerate(node.value)]
        if isinstance(node, MappingNode):
            return self._mapping(node, place)
        raise TypeError(f"unknown YAML node {type(node).__name__}")

    def _mapping(self, node: MappingNode, place: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, ScalarNode):
                self._fault(place, "a key must be plain text.", "Write 'key: value'.", line)
                continue
            if str(key.tag) == f"{_TAG}merge":
                self._fault(
                    place,
                    "the merge key '<<' is not read in study files.",
                    "Write the keys out.",
                    line,
                )
                continue
            name = key.value
            here = (*place, name)
            if name in found:
                self._fault(
                    here,
                    f"the key '{name}' stands here twice; it was first on line "
                    f"{self._tree.lines[here]}.",
                    "Keep one of them.",
                    line,
                )
                continue
            self._tree.lines[here] = line
            found[name] = self._value(value, here)
        return found

    def _scalar(self, node: ScalarNode, place: Place) -> Any:
        text = node.value
        self._tree.texts[place] = text
        kind = str(node.tag).removeprefix(_TAG)
        if kind in ("str", "timestamp"):
            return text
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() in _TRUE
        try:
            if kind == "int":
                return _whole_number(text)
            if kind == "float":
                return self._finite(text, place)
        except ValueError:
            self._fault(place, f"'{text[:40]}' is not a number that can be read.", "")
            return 0
        self._fault(place, f"the tag '{_short(node)}' is not used in study files.", "Remove it.")
        return text

    def _finite(self, text: str, place: Place) -> float:
        named = {".inf": math.inf, ".nan": math.nan}.get(text.lower().lstrip("+-"))
        number = named if named is not None else float(text.replace("_", ""))
        if math.isfinite(number):
            return number
        self._fault(place, f"'{text}' is not a finite number.", "Write a number.")
        return 1.0

    def _fault(self, place: Place, what: str, right: str, line: int | None = None) -> None:
        self._tree.faults.append(Fault(place, line or self._tree.line_of(place), what, right))


def _short(node: Node) -> str:
    return str(node.tag).replace(_TAG, "!!")


def _whole_number(text: str) -> int:
    """A YAML 1.2 integer: decimal, 0x, 0o or 0b, with optional sign and underscores."""
    digits = text.replace("_", "")
    if digits.lstrip("+-").lower().startswith(("0x", "0o", "0b")):
        return int(digits, 0)
    return int(digits)
