"""What a laid-out record is made of: plain texts in blocks; each writer escapes them its way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title."""

    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    """Running text; ``strong`` for what must not be missed."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Bullets:
    """A list; ``numbered`` where the order matters."""

    items: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under a header; columns in ``numeric`` are set flush right."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Code:
    """A file's text, as it is."""

    text: str


Block = Heading | Paragraph | Bullets | Table | Code
