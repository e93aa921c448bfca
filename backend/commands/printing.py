"""How commands print: text for people on stdout, steps on stderr, JSON for machines."""

from __future__ import annotations

import errno
import json
import os
import sys
import textwrap
from typing import Any, TextIO

WIDTH = 100


def say(text: str) -> None:
    """A step or remark for the person at the terminal; never mixed into the output."""
    _write(sys.stderr, text)


def show(text: str = "") -> None:
    """A line of output."""
    _write(sys.stdout, text)


def _write(stream: TextIO, text: str) -> None:
    """Write a line; where nobody reads any more, go on in silence.

    A reader that has seen enough (``head``), or a terminal that was closed, must not change what a
    command does or which code it ends with.
    """
    # a terminal that is not UTF-8 gets escapes for what it cannot show, and the command its end
    coding = stream.encoding or "utf-8"
    text = text.encode(coding, "backslashreplace").decode(coding)
    try:
        print(text, file=stream, flush=True)
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EIO):
            raise
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def paragraph(text: str, indent: str = "", first: str | None = None) -> str:
    """Text wrapped to the terminal's usual width; ``first`` begins the first line."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def show_json(value: Any) -> None:
    """One JSON value."""
    readable = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    show(json.dumps(value, indent=1, ensure_ascii=not readable))
