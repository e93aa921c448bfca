"""Tokens of protobuf's text format, each with its place; and of a template language in between.

Follows protobuf's ``io/tokenizer.cc`` as Triton's release 24.10 has it: comments from ``#``, no
string over several lines, a space between a number and a word. Columns count characters from 1, a
tab as one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["word", "integer", "float", "string", "sign", "placeholder", "end"]

# every part is bounded, so that a file of openings that nothing closes is read in linear time
_PLACEHOLDER: Final = (
    r"\$\{\{.{0,400}?\}\}|\$\{[^}\n]{0,200}\}|\{\{.{0,400}?\}\}|\{%.{0,400}?%\}|"
    r"\{\#.{0,400}?\#\}|<%.{0,400}?%>|<<[A-Za-z_][\w.\- ]{0,200}>>|"
    r"\$\([^)\n]{0,200}\)|@[A-Za-z_][\w.-]{0,200}@|%\([A-Za-z_][\w.-]{0,200}\)[sdif]|"
    r"(?<!\$)\$[A-Za-z_]\w*"
)
PLACEHOLDER: Final = re.compile(_PLACEHOLDER, re.DOTALL)
"""A hole of a template language: shell, Jinja, ERB, Helm, make, autoconf, printf."""

_TOKEN: Final = re.compile(
    rf"""
      (?P<blank>[\ \t\r\n\v\f]+|\#[^\n\0]*)
    | (?P<placeholder>(?:[A-Za-z0-9_.\-]{{0,100}}+(?:{_PLACEHOLDER}))+[A-Za-z0-9_]*)
    | (?P<float>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?
        |\d+[eE][+-]?\d+[fF]?|\d+[fF](?![A-Za-z0-9_]))
    | (?P<integer>0[xX][0-9a-fA-F]+|\d+)
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<string>"(?:[^"\\\n\0]|\\[^\n\0])*"|'(?:[^'\\\n\0]|\\[^\n\0])*')
    | (?P<sign>[{{}}<>\[\]:;,\-./+=()|&*!?$@%^~`])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token; ``line`` and ``column`` count from 1."""

    kind: Kind
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class BadToken:
    """Where a text stops being tokens, and why."""

    what: str
    line: int
    column: int


class Lines:
    """Turns offsets of a text into line and column."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        self._starts += [found.end() for found in re.finditer("\n", text)]

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def tokenize(text: str) -> tuple[list[Token], BadToken | None]:
    """All tokens up to the end, or up to the first place that is none."""
    lines = Lines(text)
    found: list[Token] = []
    offset = 0
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        if match is None:
            line, column = lines.at(offset)
            return found, BadToken(_why_not(text, offset), line, column)
        kind = match.lastgroup
        if kind != "blank":
            line, column = lines.at(offset)
            if kind == "word" and found and found[-1].kind in ("integer", "float"):
                last = found[-1]
                if (line, column) == (last.line, last.column + len(last.text)):
                    word = match[0][:40]
                    what = f"the number {last.text} is followed by '{word}' without a space"
                    return found, BadToken(what, line, column)
            found.append(Token(kind, match[0], line, column))  # type: ignore[arg-type]
        offset = match.end()
    found.append(Token("end", "", *lines.at(len(text))))
    return found, None


def _why_not(text: str, offset: int) -> str:
    sign = text[offset]
    if sign in "\"'":
        return "a text begins here and is not closed on its line"
    if sign == "\0":
        return "a NUL byte stands here"
    if "\udc80" <= sign <= "\udcff":
        return f"a byte that is no UTF-8 (0x{ord(sign) - 0xDC00:02X}) stands here"
    if not sign.isprintable():
        return f"a control character (code {ord(sign)}) stands here"
    return f"'{sign}' has no meaning in a configuration"


_ESCAPE: Final = re.compile(
    rb"\\(?:([abfnrtv\\?'\"])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|"
    rb"U([0-9a-fA-F]{8})|(.?))",
    re.DOTALL,
)
_LAST_CODE: Final = 0x1FFFFF
_SIMPLE: Final = {
    b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v",
    b"\\": b"\\", b"?": b"?", b"'": b"'", b'"': b'"',
}  # fmt: skip


def unquoted(text: str) -> tuple[bytes, str | None]:
    """The bytes of a string token, and the first escape that is none (null where all are)."""
    wrong: list[str] = []

    def resolved(match: re.Match[bytes]) -> bytes:
        simple, octal, hexadecimal, short, long, other = match.groups()
        if simple is not None:
            return _SIMPLE[simple]
        if octal is not None:
            return bytes([int(octal, 8) & 0xFF])
        if hexadecimal is not None:
            return bytes([int(hexadecimal, 16)])
        code = int(short or long, 16) if short or long else None
        if code is not None and code <= _LAST_CODE:
            # above Unicode's last sign there is nothing to keep, and protobuf does not mind
            return chr(min(code, 0x10FFFF)).encode("utf-8", "surrogatepass")
        wrong.append(match[0].decode("utf-8", "replace") if other is not None else "\\U")
        return b""

    try:
        raw = text[1:-1].encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = text[1:-1].encode("utf-8", "replace")
    resolved_bytes = _ESCAPE.sub(resolved, raw)
    return resolved_bytes, wrong[0] if wrong else None
