"""The one task beside the lanes: late wake-ups, overdue replies, the user's stop, progress."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from backend.load.generator_cost import TICK_S

CHECK_TICKS: Final = 10
"""Overdue replies and the stop are looked at every 10 ticks (50 ms): per-request timers would cost
a tenth of the generator's work."""
REPORT_TICKS: Final = 50
"""Progress is told every 50 ticks (250 ms)."""


class Watch:
    """Samples the loop's lateness and, now and then, calls the checks that it was given."""

    def __init__(self, check: Callable[[], None], report: Callable[[], None]) -> None:
        self._check = check
        self._report = report
        self.late_s: list[float] = []

    async def run(self) -> None:
        """Tick until cancelled; what a check raises ends it."""
        clock = asyncio.get_running_loop().time
        tick = 0
        due = clock() + TICK_S
        while True:
            await asyncio.sleep(max(0.0, due - clock()))
            late = max(0.0, clock() - due)
            self.late_s.append(late)
            tick += 1
            if tick % CHECK_TICKS == 0:
                self._check()
            if tick % REPORT_TICKS == 0:
                self._report()
            # ticks that passed meanwhile are accounted for in the figures, not caught up with
            due += TICK_S * (1 + late // TICK_S)
