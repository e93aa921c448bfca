"""Reads the JSON of a model configuration into the same tree as the text form, with places.

Python's own decoder keeps no places, and a finding without one cannot be acted upon.
"""

from __future__ import annotations

import json
import re
from typing import Final

from backend.modelconfig.lint.text_syntax import MOST_NESTED
from backend.modelconfig.lint.tokens import PLACEHOLDER, Lines
from backend.modelconfig.lint.tree import Block, Entry, Scalar, ScalarKind, Trouble

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_NUMBER: Final = re.compile(r"(-?)(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD: Final = re.compile(r"true|false|null")
# half of a pair by an escape, or a byte that is no UTF-8: protobuf refuses both
_HALF: Final = re.compile(r"[\ud800-\udfff]")


def parse_json(text: str) -> tuple[Block, Trouble | None]:
    """The tree of a JSON object, and what broke it (null if nothing)."""
    reader = _Reader(text)
    root = Block(1, 1)
    try:
        reader.whole(root)
    except _BrokenError as broken:
        return root, broken.trouble
    return root, None


class _BrokenError(Exception):
    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.what)
        self.trouble = trouble


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0
        self._lines = Lines(text)

    def whole(self, root: Block) -> None:
        self._blank()
        self._expect("{", "an object")
        self._object(root, 0)
        self._blank()
        if self._offset < len(self._text):
            raise self._broken("more text follows after the object", "Remove it.")

    def _object(self, block: Block, depth: int) -> None:
        self._blank()
        if self._take("}"):
            return
        while True:
            self._blank()
            line, column = self._lines.at(self._offset)
            name = self._string("a field's name in double quotes")
            self._blank()
            self._expect(":", "':' after the name")
            self._entries(block, name, line, column, depth)
            self._blank()
            if self._take("}"):
                return
            self._expect(",", "',' or '}'")

    def _entries(self, block: Block, name: str, line: int, column: int, depth: int) -> None:
        self._blank()
        if not self._take("["):
            value = self._value(depth)
            block.fields.append(Entry(name, value, line, column))
            return
        self._blank()
        if self._take("]"):
            nothing = Scalar("null", "[]", line, column)
            block.fields.append(Entry(name, nothing, line, column, listed=True))
            return
        while True:
            self._blank()
            place = self._lines.at(self._offset)
            block.fields.append(
                Entry(
                    name,
                    self._value(depth),
                    *place,
                    listed=True,
                    list_line=line,
                    list_column=column,
                )
            )
            self._blank()
            if self._take("]"):
                return
            self._expect(",", "',' or ']'")

    def _value(self, depth: int) -> Scalar | Block:
        line, column = self._lines.at(self._offset)
        if found := PLACEHOLDER.match(self._text, self._offset):
            self._offset = found.end()
            return Scalar("placeholder", found[0], line, column)
        if self._take("{"):
            if depth >= MOST_NESTED:
                raise self._broken("the objects are nested far too deeply", "Check the file.")
            block = Block(line, column)
            self._object(block, depth + 1)
            return block
        if self._text.startswith('"', self._offset):
            text = self._string("a text")
            raw = text.encode("utf-8", "surrogatepass")
            return Scalar("string", text, line, column, raw=raw)
        if found := _NUMBER.match(self._text, self._offset):
            self._offset = found.end()
            sign, whole, fraction, exponent = found.groups()
            kind: ScalarKind = "float" if fraction or exponent else "integer"
            text = f"{whole}{fraction or ''}{exponent or ''}"
            return Scalar(kind, text, line, column, negative=bool(sign))
        if found := _WORD.match(self._text, self._offset):
            self._offset = found.end()
            return Scalar("null" if found[0] == "null" else "word", found[0], line, column)
        raise self._broken("a value is expected here", "Write a value.")

    def _string(self, what: str) -> str:
        found = _STRING.match(self._text, self._offset)
        if found is None:
            raise self._broken(f"{what} is expected here", "Write it in double quotes.")
        try:
            value = str(json.loads(found[0]))
        except ValueError as error:
            raise self._broken("the text has an escape that JSON lacks", "Correct it.") from error
        if _HALF.search(value):
            raise self._broken(
                "the text has bytes or escapes that are no sign", "Save it as UTF-8."
            )
        self._offset = found.end()
        return value

    def _blank(self) -> None:
        found = _BLANK.match(self._text, self._offset)
        if found is not None:
            self._offset = found.end()

    def _take(self, sign: str) -> bool:
        if self._text.startswith(sign, self._offset):
            self._offset += 1
            return True
        return False

    def _expect(self, sign: str, what: str) -> None:
        if not self._take(sign):
            raise self._broken(f"{what} is expected here", f"Write {what}.")

    def _broken(self, what: str, fix: str) -> _BrokenError:
        line, column = self._lines.at(self._offset)
        return _BrokenError(Trouble("syntax", f"{what[0].upper()}{what[1:]}.", fix, line, column))
