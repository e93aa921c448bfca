"""Reads protobuf's text format into a tree; stops at the first break of the grammar.

Grammar: protobuf's ``text_format.cc``, ``TextFormat::Parser::ParserImpl``. Placeholders of a
template language are let through: as values, and between fields.
"""

from __future__ import annotations

from typing import Final

from backend.modelconfig.lint.tokens import Token, tokenize, unquoted
from backend.modelconfig.lint.tree import Block, Entry, Scalar, Trouble

MOST_NESTED: Final = 64
"""No configuration of Triton comes near it; a file of brackets alone must not end the reader."""

_CLOSING: Final = {"{": "}", "<": ">"}


def parse_text(text: str) -> tuple[Block, Trouble | None, list[Token]]:
    """The tree of a text, what broke it (null if nothing), and placeholders between fields."""
    reader = _Reader(text)
    root = Block(1, 1)
    trouble: Trouble | None = None
    try:
        reader.fields(root, None, 0)
    except _BrokenError as broken:
        trouble = broken.trouble
    return root, trouble, reader.between


class _BrokenError(Exception):
    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.what)
        self.trouble = trouble


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens, self._bad = tokenize(text)
        self._next = 0
        self.between: list[Token] = []

    def fields(self, block: Block, closing: str | None, depth: int) -> None:
        """Fill a block up to its closing sign (null: up to the end of the text)."""
        while True:
            token = self._peek()
            if token.kind == "end":
                if closing is None:
                    return
                raise self._broken(
                    f"the section that opens at line {block.line}, column {block.column} is never "
                    f"closed",
                    f"Close it with '{closing}'.",
                )
            if token.kind == "sign" and token.text == closing:
                self._next += 1
                return
            if token.kind == "placeholder":
                self.between.append(token)
                block.between.append((len(block.fields), token.text))
                self._next += 1
                continue
            self._field(block, depth)
            if self._at(";") or self._at(","):
                self._next += 1

    def _field(self, block: Block, depth: int) -> None:
        name = self._peek()
        if name.kind != "word":
            raise self._broken(
                f"a field's name is expected here, not {_shown(name)}", _name_fix(name)
            )
        self._next += 1
        colon = self._at(":")
        if colon:
            self._next += 1
        if self._at("["):
            self._list(block, name, colon, depth)
            return
        if not colon and not (self._at("{") or self._at("<") or self._peek().kind == "placeholder"):
            raise self._broken(
                f"':' is expected after {name.text}, not {_shown(self._peek())}",
                f"Write {name.text}: and its value, or {name.text} {{ … }} for a section.",
            )
        value = self._value(depth)
        block.fields.append(Entry(name.text, value, name.line, name.column, colon=colon))

    def _list(self, block: Block, name: Token, colon: bool, depth: int) -> None:
        opened = self._peek()
        self._next += 1
        if self._at("]"):
            self._next += 1
            nothing = Scalar("null", "[]", opened.line, opened.column)
            block.fields.append(
                Entry(name.text, nothing, name.line, name.column, listed=True, colon=colon)
            )
            return
        while True:
            first = self._peek()
            value = self._value(depth)
            block.fields.append(
                Entry(
                    name.text,
                    value,
                    first.line,
                    first.column,
                    listed=True,
                    colon=colon,
                    list_line=name.line,
                    list_column=name.column,
                )
            )
            if self._at("]"):
                self._next += 1
                return
            if not self._at(","):
                raise self._broken(
                    f"',' or ']' is expected in the list that opens at line {opened.line}, "
                    f"column {opened.column}, not {_shown(self._peek())}",
                    "Separate the entries with ',' (none after the last) and close with ']'.",
                )
            self._next += 1

    def _value(self, depth: int) -> Scalar | Block:
        token = self._peek()
        if token.kind == "sign" and token.text in _CLOSING:
            if depth >= MOST_NESTED:
                raise self._broken(
                    "the sections are nested far too deeply", "Check that this is the right file."
                )
            self._next += 1
            block = Block(token.line, token.column)
            self.fields(block, _CLOSING[token.text], depth + 1)
            return block
        negative = token.kind == "sign" and token.text == "-"
        if negative:
            self._next += 1
            number = self._peek()
            if number.kind not in ("integer", "float", "word", "placeholder"):
                raise self._broken(
                    f"a number is expected after '-', not {_shown(number)}", "Write the number."
                )
        else:
            number = token
        if number.kind == "string":
            return self._string()
        if number.kind in ("word", "integer", "float", "placeholder"):
            self._next += 1
            return Scalar(
                number.kind,
                number.text,
                token.line,
                token.column,
                negative=negative,
            )
        raise self._broken(f"a value is expected here, not {_shown(token)}", "Write the value.")

    def _string(self) -> Scalar:
        first = self._peek()
        raw = b""
        while (token := self._peek()).kind == "string":
            part, wrong = unquoted(token.text)
            if wrong is not None:
                raise self._broken(
                    f"'{wrong}' in a text is no escape that protobuf knows",
                    r"Write a backslash as \\.",
                )
            raw += part
            self._next += 1
        shown = raw.decode("utf-8", "replace")
        return Scalar("string", shown, first.line, first.column, raw=raw)

    def _peek(self) -> Token:
        if self._next < len(self._tokens):
            return self._tokens[self._next]
        bad = self._bad
        assert bad is not None
        raise _BrokenError(
            Trouble(
                "syntax",
                f"{bad.what[0].upper()}{bad.what[1:]}.",
                "Correct the line.",
                bad.line,
                bad.column,
            )
        )

    def _at(self, sign: str) -> bool:
        if self._next >= len(self._tokens):
            return False
        token = self._tokens[self._next]
        return token.kind == "sign" and token.text == sign

    def _broken(self, what: str, fix: str) -> _BrokenError:
        token = self._peek()
        return _BrokenError(
            Trouble("syntax", f"{what[0].upper()}{what[1:]}.", fix, token.line, token.column)
        )


def _shown(token: Token) -> str:
    if token.kind == "end":
        return "the end of the file"
    return f"'{token.text[:40]}'"


def _name_fix(token: Token) -> str:
    if token.kind == "sign" and token.text in "}>]":
        return f"Remove this '{token.text}', or open the section that it should close."
    return "Write fields as name: value, or name { … } for a section."
