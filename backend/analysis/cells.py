"""Names of cells, taken apart and said in words."""

from __future__ import annotations

from dataclasses import dataclass

from backend.contracts.errors import InputError
from backend.workload.study import SINGLE_MIX

ALL_LENGTHS = "all"
"""The length group that holds every session of a cell."""


@dataclass(frozen=True)
class CellParts:
    """One setting of the matrix: instances, sessions that are live at once, length mix."""

    instances: int
    concurrency: int
    mix: str

    @property
    def words(self) -> str:
        """As a sentence or a chart's heading says it."""
        instances = "1 instance" if self.instances == 1 else f"{self.instances} instances"
        if self.mix == SINGLE_MIX:
            return f"{instances}, {self.concurrency} requests at once"
        sessions = "1 session" if self.concurrency == 1 else f"{self.concurrency} sessions"
        return f"{instances}, {sessions} at once, mix {self.mix}"


def cell_parts(name: str) -> CellParts:
    """Take a cell's name apart (see ``requests_table.cell_name``).

    Raises:
        InputError: if it is not the name of a cell.
    """
    parts = dict(part.partition("=")[::2] for part in name.split(","))
    try:
        return CellParts(int(parts["instances"]), int(parts["concurrency"]), parts["mix"])
    except (KeyError, ValueError) as error:
        raise InputError(
            f"'{name}' is not the name of a cell.",
            why="A cell reads like instances=2,concurrency=8,mix=short.",
            next_step="Run the study again; its tables come from elsewhere or were edited.",
        ) from error


def cell_words(name: str) -> str:
    """A cell's name in words, e.g. ``2 instances, 8 sessions at once, mix short``."""
    return cell_parts(name).words


def group_words(length_group: str) -> str:
    """A length group in words, e.g. ``short sessions``."""
    if length_group == SINGLE_MIX:
        return "single requests"
    return "all sessions" if length_group == ALL_LENGTHS else f"{length_group} sessions"


def place_words(cell: str, length_group: str) -> str:
    """Cell and length group in words; independent requests have no sessions to speak of."""
    if cell_parts(cell).mix == SINGLE_MIX:
        return cell_words(cell)
    return f"{cell_words(cell)}, {group_words(length_group)}"
