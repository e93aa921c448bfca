"""One quantity of one group of requests, kept by round, ready for quantiles and draws of rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from backend.analysis.quantiles import Floats, Integers


@dataclass(frozen=True, eq=False)
class Sample:
    """One quantity of one group: milliseconds, each round's values in ascending order."""

    by_round: Mapping[int, Floats]
    ordered: Floats

    @staticmethod
    def of(values: Floats, rounds: Integers) -> Sample:
        """Values with the number of each value's round; nulls (NaN) are left out."""
        measured = ~np.isnan(values)
        values, rounds = values[measured], rounds[measured]
        by_round = {int(r): np.sort(values[rounds == r]) for r in np.unique(rounds)}
        return Sample(by_round, np.sort(values))

    def within(self, rounds: tuple[int, ...]) -> Sample:
        """The part of these rounds."""
        if set(rounds) == set(self.by_round):
            return self
        kept = {r: self.by_round[r] for r in rounds}
        return Sample(kept, np.sort(np.concatenate([*kept.values(), np.empty(0)])))

    def drawn_quantile(self, permille: int, counts: Integers) -> Floats:
        """The nearest-rank quantile of each draw of rounds.

        A bisection over the pooled values, for all draws at once: each step counts how many of
        the drawn values do not exceed the middle one.

        Args:
            permille: The quantile in thousandths.
            counts: [draws, rounds], columns in ascending order of round number.
        """
        parts = [self.by_round[r] for r in sorted(self.by_round)]
        total = counts @ np.array([len(part) for part in parts])
        wanted = np.maximum(1, -(-total * permille // 1000))
        low = np.zeros(len(counts), dtype=np.int64)
        high = np.full(len(counts), len(self.ordered) - 1)
        while np.any(low < high):
            middle = (low + high) // 2
            at = self.ordered[middle]
            below = np.stack([np.searchsorted(part, at, side="right") for part in parts], axis=1)
            enough = (counts * below).sum(axis=1) >= wanted
            high = np.where(enough, middle, high)
            low = np.where(enough, low, middle + 1)
        return self.ordered[low]
