"""The requests of one candidate as plain arrays, cut into cells and length groups.

Whole columns are turned into numbers once; every later figure is an index into them, so a million
requests take seconds, not minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np
import pandas as pd

from backend.analysis.cells import ALL_LENGTHS
from backend.analysis.figures import Quantity
from backend.analysis.quantiles import Floats, Integers
from backend.analysis.sample import Sample
from backend.contracts.errors import InputError
from backend.contracts.requests_table import OUTCOMES

Arrivals = Literal["closed_loop", "open_loop"]

NS_PER_MS: Final = 1e6
_NONE: Final = -1
"""Stands for null in whole-number columns: no trial, execution or batch has this number."""


def floats(table: pd.DataFrame, column: str) -> Floats:
    """A column as numbers with NaN for null; nanoseconds of a trial fit exactly (below 2^53)."""
    values: Floats = table[column].to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def integers(table: pd.DataFrame, column: str) -> Integers:
    """A column as whole numbers with -1 for null."""
    values = floats(table, column)
    return np.where(np.isnan(values), _NONE, values).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Requests:
    """All requests of one candidate of one class."""

    table: pd.DataFrame
    arrivals: Arrivals = "closed_loop"

    @cached_property
    def answered(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Requests with outcome ``ok``: only these have times that count."""
        answered: np.ndarray[tuple[int], np.dtype[np.bool_]] = (
            self.table["outcome"].to_numpy() == "ok"
        )
        return answered

    @cached_property
    def rounds(self) -> Integers:
        """The round of each request."""
        return integers(self.table, "repeat")

    @cached_property
    def trials(self) -> Integers:
        """The trial of each request."""
        return integers(self.table, "trial")

    @cached_property
    def _times(self) -> dict[Quantity, Floats]:
        table = self.table
        queue = floats(table, "compute_start_ns") - floats(table, "queue_start_ns")
        since = "sent_ns" if self.arrivals == "closed_loop" else "scheduled_ns"
        response = floats(table, "received_ns") - floats(table, since)
        compute = floats(table, "compute_end_ns") - floats(table, "compute_start_ns")
        starts = np.where(table["is_start"].to_numpy(dtype=bool), queue, np.nan)
        found: dict[Quantity, Floats] = {
            "queue": queue,
            "response": response,
            "compute": compute,
            "start_wait": starts,
        }
        return {
            name: np.where(self.answered, values / NS_PER_MS, np.nan)
            for name, values in found.items()
        }

    @cached_property
    def _rows(self) -> dict[tuple[str, str], Integers]:
        """Row numbers by (cell, length group), cells as they come, short sessions first."""
        cells, cell_names = pd.factorize(self.table["cell"])
        groups, group_names = pd.factorize(self.table["length_group"])
        if ALL_LENGTHS in group_names and len(group_names) > 1:
            raise InputError(
                f"A length group is called '{ALL_LENGTHS}', the name for all groups together.",
                next_step="Give the group another name in the study's length mix.",
            )
        lengths = floats(self.table, "session_length")
        found: dict[tuple[str, str], Integers] = {}
        for code, cell in enumerate(cell_names):
            inside = np.flatnonzero(cells == code)
            found[str(cell), ALL_LENGTHS] = inside
            present = [int(group) for group in np.unique(groups[inside])]
            parts = [(group, inside[groups[inside] == group]) for group in present]
            for group, rows in sorted(parts, key=lambda part: float(lengths[part[1]].mean())):
                found[str(cell), str(group_names[group])] = rows
        return found

    @property
    def groups(self) -> tuple[tuple[str, str], ...]:
        """(cell, length group): per cell ``all``, then each group, short sessions first."""
        return tuple(self._rows)

    @property
    def cells(self) -> tuple[str, ...]:
        """Names of the cells."""
        return tuple(dict.fromkeys(cell for cell, _ in self._rows))

    def rows(self, cell: str, length_group: str) -> Integers:
        """Row numbers of a group; none if it has no requests."""
        return self._rows.get((cell, length_group), np.empty(0, dtype=np.int64))

    @cached_property
    def _samples(self) -> dict[tuple[str, str, Quantity], Sample]:
        return {}

    def sample(self, cell: str, length_group: str, quantity: Quantity) -> Sample:
        """One quantity of a group in milliseconds, answered requests only."""
        key = (cell, length_group, quantity)
        if key not in self._samples:
            rows = self.rows(cell, length_group)
            self._samples[key] = Sample.of(self._times[quantity][rows], self.rounds[rows])
        return self._samples[key]

    @cached_property
    def _windows(self) -> dict[int, tuple[int, float]]:
        """By trial: its round, and seconds from its first send to its last reply."""
        frame = pd.DataFrame(
            {
                "trial": self.trials,
                "round": self.rounds,
                "sent": floats(self.table, "sent_ns"),
                "received": floats(self.table, "received_ns"),
            }
        )
        seen = frame.groupby("trial").agg(
            round=("round", "first"), sent=("sent", "min"), received=("received", "max")
        )
        return {
            int(row.Index): (int(row.round), (row.received - row.sent) / 1e9)
            for row in seen.itertuples()
        }

    def throughput(self, cell: str, length_group: str) -> dict[int, float]:
        """Answered requests per second by round; the window is the trial's, for every group.

        **Formula**: answered / (last ``received_ns`` - first ``sent_ns`` of the trial). Rounds
        without an answer are left out.
        """
        rows = self.rows(cell, length_group)
        trials, answered = np.unique(self.trials[rows][self.answered[rows]], return_counts=True)
        found: dict[int, float] = {}
        for trial, number in zip(trials.tolist(), answered.tolist(), strict=True):
            round_number, seconds = self._windows[trial]
            if seconds > 0:
                found[round_number] = number / seconds
        return found

    def outcomes(self, cell: str, length_group: str) -> dict[str, int]:
        """Requests by outcome, in the order of the contract; outcomes that never came left out."""
        seen = self.table["outcome"].iloc[self.rows(cell, length_group)].value_counts().to_dict()
        return {outcome: int(seen[outcome]) for outcome in OUTCOMES if outcome in seen}

    def batch_sizes(self, cell: str, length_group: str) -> dict[int, int]:
        """Executions by number of real requests in them.

        An execution counts once, however many of its requests are in the group; its size counts
        all its requests, those of other groups too. Requests whose execution or batch size the
        target did not tell are left out.
        """
        rows = self.rows(cell, length_group)
        execution = integers(self.table, "execution")[rows]
        size = integers(self.table, "batch_size")[rows]
        told = (execution != _NONE) & (size != _NONE)
        frame = pd.DataFrame({"trial": self.trials[rows], "execution": execution, "size": size})
        once = frame[told].drop_duplicates(["trial", "execution"])
        return {int(k): int(v) for k, v in once["size"].value_counts().sort_index().items()}
