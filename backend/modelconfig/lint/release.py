"""Triton's releases as values that can be compared: ``24.10`` is year and month."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from backend.contracts.errors import InputError

_TEXT: Final = re.compile(r"(\d\d)\.(\d\d)")


class Release(NamedTuple):
    """A container release; tuples of it compare in order of time."""

    year: int
    month: int

    def __str__(self) -> str:
        return f"{self.year:02d}.{self.month:02d}"

    @staticmethod
    def of(text: str) -> Release:
        """The release that a text such as ``24.10`` names.

        Raises:
            InputError: if it names none.
        """
        found = _TEXT.fullmatch(text)
        if found is None or not 1 <= int(found[2]) <= 12:
            raise InputError(
                f"'{text}' is no release of Triton.",
                next_step="Write year and month, such as 24.10.",
                key="triton_release",
            )
        return Release(int(found[1]), int(found[2]))


EMBEDDED: Final = Release(24, 10)
"""The release of the embedded server."""
