"""A configuration as a tree of what is written, every part with its place.

The same tree is made from protobuf's text format and from JSON; what the parts mean is decided when
the tree is bound to Triton's own message type.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ScalarKind = Literal["word", "integer", "float", "string", "placeholder", "null"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value without parts; ``text`` as written, a string resolved (``raw``: its bytes)."""

    kind: ScalarKind
    text: str
    line: int
    column: int
    negative: bool = False
    raw: bytes = b""


@dataclass(slots=True)
class Block:
    """A section: its fields in the order in which they are written.

    ``between``: a template's placeholders between them, each with how many fields stand before it.
    """

    line: int
    column: int
    fields: list[Entry] = field(default_factory=list)
    between: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Entry:
    """A field with one value; ``[a, b]`` gives two, ``listed``, at the places of a and b."""

    name: str
    value: Scalar | Block
    line: int
    column: int
    listed: bool = False
    colon: bool = True
    list_line: int = 0
    list_column: int = 0

    @property
    def named_at(self) -> tuple[int, int]:
        """Where the field's name stands; for an entry of a list, the name before the list."""
        return (self.list_line, self.list_column) if self.list_line else (self.line, self.column)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that keeps a file from being a configuration; ``rule`` names what kind it is."""

    rule: str
    what: str
    fix: str
    line: int
    column: int
    path: str = ""
