"""What people type into a record: trimmed, and without characters that no reader could see."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from backend.contracts.errors import InputError


def prose(text: str, key: str) -> str:
    """A text of several lines, trimmed; line breaks are kept.

    Args:
        text: As typed.
        key: How a message calls its field.

    Raises:
        InputError: if it holds control characters (PostgreSQL cannot keep NUL) or half characters.
    """
    trimmed = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    for character in trimmed:
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t":
            raise InputError(
                f"The text of '{key}' holds the character U+{ord(character):04X}, which cannot be "
                "shown.",
                next_step="Type that part again instead of pasting it.",
                key=key,
            )
    return trimmed


def line(text: str, key: str) -> str:
    """A text of one line, e.g. a name or a title: line breaks and runs of blanks become one blank.

    Raises:
        InputError: as for ``prose``.
    """
    return " ".join(prose(text, key).split())


def sentences(texts: Iterable[str], key: str) -> tuple[str, ...]:
    """Several texts of one line each; empty ones are left out.

    Raises:
        InputError: as for ``prose``.
    """
    lines = (line(text, key) for text in texts)
    return tuple(text for text in lines if text)
