"""Damaged files: real configurations with bytes, signs and words changed, lost or swapped.

Each source is damaged in its text form and as JSON, in both spellings of its fields. Whatever can
be read in part is also explained, and compared with another file.
"""

from __future__ import annotations

import json
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from google.protobuf import json_format, text_format
from tritonclient.grpc import model_config_pb2

from backend.modelconfig.compare import differences
from backend.modelconfig.explain import explain
from backend.modelconfig.lint.finding import Finding
from backend.modelconfig.lint.linter import lint_reading
from backend.modelconfig.lint.reading import read_configuration
from backend.modelconfig.lint.reading_rules import READING_RULES
from backend.modelconfig.lint.release import EMBEDDED
from benchmarks.differential.cases import Case

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = ("tests/modelconfig/golden", "tests/modelconfig/lint/documentation_24_10")
MOST_CHANGES: Final = 4
JSON_SHARE: Final = 0.3
AS_JSON: Final = "json: "
"""Begins the origin of a damaged JSON form, which Triton reads through its API only."""

_WORD: Final = re.compile(rb"\w+|[^\w\s]|\s+")
_INSERTS: Final = (
    b"{", b"}", b"[", b"]", b'"', b"'", b":", b",", b";", b"#", b"\\", b"\0", b"\n", b"\xff", b"-",
    b"9" * 40, "é".encode(), "\N{NO-BREAK SPACE}".encode(), "\N{BYTE ORDER MARK}".encode(),
    "“".encode(), "\N{GRINNING FACE}".encode(), "\N{RIGHT-TO-LEFT OVERRIDE}".encode(),
    b"dynamic_batching { }", b"sequence_batching { direct { } }", b"${HOME}", b"{{ x }}", b"0x",
)  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A damaged file with the linter's findings on it and how long they took, in milliseconds."""

    case: Case
    findings: tuple[Finding, ...]
    took_ms: float

    @property
    def found(self) -> bool:
        """Whether some finding says where the file cannot be read."""
        return any(
            item.rule in READING_RULES and item.line is not None and item.column is not None
            for item in self.findings
        )

    @property
    def refusals(self) -> frozenset[str]:
        """The rules by which the linter says that it cannot be read."""
        return frozenset(
            item.rule
            for item in self.findings
            if item.rule in READING_RULES and item.severity == "error"
        )

    @property
    def refused(self) -> bool:
        """Whether the linter says that it cannot be read."""
        return bool(self.refusals)


@cache
def sources() -> tuple[bytes, ...]:
    """The configurations of this repository that are damaged."""
    return tuple(
        path.read_bytes() for folder in SOURCES for path in sorted((ROOT / folder).glob("*.pbtxt"))
    )


def json_sources() -> tuple[bytes, ...]:
    """The same as JSON, with the fields' names as in the file and as JSON spells them."""
    found = []
    for text in sources():
        if readable(text):
            config = text_format.Parse(text.decode("utf-8"), model_config_pb2.ModelConfig())
            found += [
                json_format.MessageToJson(config, preserving_proto_field_name=kept).encode()
                for kept in (True, False)
            ]
    return tuple(found)


def mutants(count: int, number: int) -> Iterator[Case]:
    """So many damaged files, the same for the same seed and sources."""
    chance = random.Random(number)
    originals, as_json = sources(), json_sources()
    for index in range(count):
        form = AS_JSON if chance.random() < JSON_SHARE else ""
        text = chance.choice(as_json if form else originals)
        names = []
        for _ in range(chance.randint(1, MOST_CHANGES)):
            change = chance.choice(_CHANGES)
            names.append(change.__name__.strip("_"))
            text = change(chance, text)
        yield Case(f"mutant_{index:05d}", text, form + ", ".join(names))


def linted(cases: Iterator[Case]) -> tuple[Mutant, ...]:
    """The linter's findings on each; an exception of it, or of explaining, goes through."""
    found = []
    for case in cases:
        began = time.perf_counter()
        reading = read_configuration(case.text)
        findings = lint_reading(reading, release=EMBEDDED, backend="python", folder=case.name)
        found.append(Mutant(case, findings, (time.perf_counter() - began) * 1000))
        told(reading.config)
    return tuple(found)


def told(config: Any) -> None:
    """Explain a configuration, and compare it both ways; an exception goes through."""
    plain = read_configuration(sources()[0]).config
    for _ in explain(config, EMBEDDED):
        pass
    differences(config, plain)
    differences(plain, config)


def median_ms(found: Sequence[Mutant]) -> float:
    """Half of the files took less than this, in milliseconds."""
    return statistics.median(item.took_ms for item in found)


def json_readable(text: bytes) -> bool:
    """Whether JSON and protobuf's mapping of it read a file (of a member twice: the last)."""
    try:
        whole = json.loads(text.decode("utf-8"))
        json_format.ParseDict(whole, model_config_pb2.ModelConfig())
    except (json_format.ParseError, ValueError, RecursionError, AttributeError, TypeError):
        return False
    return isinstance(whole, dict)


def readable(text: bytes) -> bool:
    """Whether protobuf's parser for Python reads a file; Triton's, in C++, differs a little."""
    try:
        text_format.Parse(text.decode("utf-8"), model_config_pb2.ModelConfig())
    except (text_format.ParseError, UnicodeDecodeError, ValueError, RecursionError):
        return False
    return True


def doubtful(found: Sequence[Mutant]) -> tuple[Mutant, ...]:
    """Those on which the linter and protobuf's parsers for Python do not agree."""
    return tuple(item for item in found if _reads(item.case) is item.refused)


def is_json(case: Case) -> bool:
    """Whether a damaged file is still taken for JSON: it begins with a brace."""
    return case.origin.startswith(AS_JSON) and case.text.lstrip().startswith(b"{")


def _reads(case: Case) -> bool:
    return json_readable(case.text) if is_json(case) else readable(case.text)


def _flip(chance: random.Random, text: bytes) -> bytes:
    if not text:
        return text
    at = chance.randrange(len(text))
    return text[:at] + bytes([text[at] ^ 1 << chance.randrange(8)]) + text[at + 1 :]


def _delete(chance: random.Random, text: bytes) -> bytes:
    at = chance.randint(0, len(text))
    return text[:at] + text[at + chance.choice((1, 1, 2, 10)) :]


def _insert(chance: random.Random, text: bytes) -> bytes:
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice(_INSERTS) + text[at:]


def _truncate(chance: random.Random, text: bytes) -> bytes:
    return text[: chance.randint(0, len(text))]


def _swap_words(chance: random.Random, text: bytes) -> bytes:
    words = _WORD.findall(text)
    if len(words) < 2:
        return text
    first, second = chance.sample(range(len(words)), 2)
    words[first], words[second] = words[second], words[first]
    return b"".join(words)


def _double_line(chance: random.Random, text: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    if lines:
        lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    return b"".join(lines)


def _lose_line(chance: random.Random, text: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    if lines:
        del lines[chance.randrange(len(lines))]
    return b"".join(lines)


_CHANGES: Final[tuple[Callable[[random.Random, bytes], bytes], ...]] = (
    _flip, _flip, _delete, _insert, _insert, _truncate, _swap_words, _double_line, _lose_line,
)  # fmt: skip
