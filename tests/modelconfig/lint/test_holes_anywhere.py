"""Placeholders put into real files: whatever is said must be true of the file without them (M10).

What stood there before is one of the things that the placeholder may become. So a rule that finds
something in the template, and nothing in the file, has taken a value for granted.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.lint.reading import read_configuration
from backend.modelconfig.lint.tokens import Token, tokenize
from tests.modelconfig.lint import cases_fit, cases_refused, cases_warnings

HERE = Path(__file__).parent
CASES = {**cases_refused.CASES, **cases_warnings.CASES, **cases_fit.CASES}
TRIALS = 900
Spot = tuple[str, int, int]


def files() -> Iterator[tuple[str, dict[str, Any]]]:
    for case in CASES.values():
        yield case.text, case.known
        yield case.fixed, case.known
    for path in sorted(
        [*HERE.glob("documentation_24_10/*.pbtxt"), *HERE.glob("../golden/*.pbtxt")]
    ):
        yield path.read_text(encoding="utf-8"), {}


def spots(text: str) -> list[Spot]:
    """Values, sections and whole fields of a text: what kind, from where, to where."""
    tokens, _ = tokenize(text)
    starts = [0, *(index + 1 for index, sign in enumerate(text) if sign == "\n")]

    def at(token: Token) -> int:
        return starts[token.line - 1] + token.column - 1

    found: list[Spot] = []
    opened: list[int] = []
    for number, token in enumerate(tokens):
        end = at(token) + len(token.text)
        if token.text == "{" and token.kind == "sign":
            opened.append(number)
        elif token.text == "}" and token.kind == "sign":
            first = opened.pop()
            found.append(("section", at(tokens[first]), end))
            name = first - (2 if tokens[first - 1].text == ":" else 1)
            if tokens[name].kind == "word":
                found.append(("field", at(tokens[name]), end))
        elif token.kind in ("integer", "float", "string"):
            found.append((token.kind, at(token), end))
        elif token.kind == "word" and tokens[number + 1].text not in (":", "{", "["):
            found.append(("word", at(token), end))
    return found


def with_holes(text: str, holes: list[Spot]) -> str:
    for kind, begin, end in sorted(holes, key=lambda spot: -spot[1]):
        hole = {"string": '"${X}"', "field": " {{ x }} "}.get(kind, "${X}")
        text = text[:begin] + hole + text[end:]
    return text


def apart(holes: list[Spot]) -> bool:
    ordered = sorted(holes, key=lambda spot: spot[1])
    return all(before[2] <= after[1] for before, after in itertools.pairwise(ordered))


def test_nothing_is_said_of_a_template_that_the_file_itself_does_not_give() -> None:
    chance = random.Random(20241)
    whole = [
        (text, known)
        for text, known in files()
        if read_configuration(text).form == "text" and not read_configuration(text).troubles
    ]
    assert len(whole) > 300
    said = kept = 0
    kinds = set()
    for _ in range(TRIALS):
        text, known = chance.choice(whole)
        holes = chance.sample(spots(text), min(chance.choice((1, 1, 1, 2, 3)), len(spots(text))))
        if not holes or not apart(holes):
            continue
        kinds |= {kind for kind, _, _ in holes}
        of_file = {item.rule for item in lint_text(text, **known)}
        template = with_holes(text, holes)
        of_template = {item.rule for item in lint_text(template, **known)}
        assert "placeholder" in of_template
        assert of_template - of_file == {"placeholder"}, template
        said += len(of_file)
        kept += len(of_file & of_template)
    assert kinds == {"section", "field", "integer", "float", "string", "word"}
    # and most of what is wrong elsewhere is still said
    assert kept > 0.6 * said
