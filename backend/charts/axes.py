"""Axes of times: linear where figures are of one size, logarithmic where they are not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import altair as alt

_LOG_FROM: Final = 20
"""Figures that differ by more than this factor are drawn on a logarithmic scale."""
_REACH: Final = 3
_ROOM: Final = 1.08


@dataclass(frozen=True)
class TimeScale:
    """A scale of milliseconds that several panels share.

    Attributes:
        low: Where a logarithmic scale begins; a linear one begins at 0.
        high: Where it ends.
        logarithmic: Which of the two it is.
    """

    low: float
    high: float
    logarithmic: bool

    @staticmethod
    def over(least: float, most: float, low: float, high: float) -> TimeScale:
        """A scale for figures from ``least`` to ``most`` whose intervals go from low to high.

        Intervals are cut off at three times beyond the figures, so that one uncertain figure does
        not squeeze all others together.
        """
        low, high = max(low, least / _REACH), min(high, most * _REACH)
        logarithmic = least > 0 and most / least > _LOG_FROM
        return TimeScale(low / _ROOM, high * _ROOM or 1.0, logarithmic)

    @property
    def words(self) -> str:
        """For the axis title: the unit, and the kind of scale where it is not the usual one."""
        return "ms, log scale" if self.logarithmic else "ms"

    @property
    def scale(self) -> alt.Scale:
        """The scale, as every panel uses it."""
        if self.logarithmic:
            return alt.Scale(type="log", domain=[self.low, self.high], nice=False)
        return alt.Scale(domain=[0, self.high], nice=False)

    @property
    def ticks(self) -> list[float] | None:
        """Ticks of a logarithmic scale: few round numbers; null lets the chart choose."""
        if not self.logarithmic:
            return None
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        steps = (1, 2, 5) if last - first <= 2 else (1, 3) if last - first <= 4 else (1,)
        found = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        return [value for value in found if self.low <= value <= self.high]

    def axis(self, title: str | None, count: int = 5) -> alt.Axis:
        """The axis, with few grid lines."""
        if self.ticks is None:
            return alt.Axis(title=title, tickCount=count, format=".6~g", grid=True)
        return alt.Axis(title=title, values=self.ticks, format=".6~g", grid=True)
