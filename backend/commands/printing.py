"""How commands print: text for people on stdout, steps on stderr, JSON for machines."""

from __future__ import annotations

import json
import sys
import textwrap
from typing import Any

WIDTH = 100


def say(text: str) -> None:
    """A step or remark for the person at the terminal; never mixed into the output."""
    print(text, file=sys.stderr, flush=True)


def show(text: str = "") -> None:
    """A line of output."""
    print(text)


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
    print(json.dumps(value, indent=1, ensure_ascii=False))
