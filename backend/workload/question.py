"""A question and its possible answers, as values."""

from __future__ import annotations

from typing import Final

from backend.contracts.errors import InputError
from backend.contracts.values import Value

UNKNOWN: Final = "unknown"


class Option(Value):
    """One possible answer; ``help`` says what it leads to."""

    value: str
    label: str
    help: str


class Question(Value):
    """A question, why it is asked, and its answers; ``field`` is the path in ``Answers``."""

    id: str
    text: str
    why: str
    note: str = ""
    field: tuple[str, ...]
    options: tuple[Option, ...]
    multiple: bool = False

    def option(self, value: str) -> Option:
        """The option of that value.

        Raises:
            InputError: if there is none.
        """
        for option in self.options:
            if option.value == value:
                return option
        raise InputError(
            f"'{value}' is no answer to the question '{self.id}'.",
            next_step=f"Possible: {', '.join(option.value for option in self.options)}.",
        )
