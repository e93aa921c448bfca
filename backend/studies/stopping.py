"""How a run is asked to end: a signal of its terminal, or the stop file of a page."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from backend.contracts.errors import Interrupted
from backend.contracts.run_directory import RunDirectory


class Stopping:
    """Remembers that a stop was asked for; a second signal interrupts at once."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run
        self._signals = 0

    def requested(self) -> bool:
        """Whether the run should end."""
        return self._signals > 0 or self._run.stop_request.exists()

    def check(self) -> None:
        """Raise if the run should end.

        Raises:
            Interrupted: if a stop was asked for.
        """
        if self.requested():
            raise Interrupted(
                "The run was stopped.",
                why="Somebody pressed stop." if not self._signals else "It was interrupted.",
                next_step=f"Finished trials are kept: report {self._run.root}",
            )

    @contextmanager
    def handling_signals(self) -> Iterator[None]:
        """Within it INT, TERM and HUP ask for a stop; a second one raises KeyboardInterrupt."""
        # HUP: its terminal was closed; without a handler the server would stay behind
        names = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {name: signal.getsignal(name) for name in names}
        for name in before:
            signal.signal(name, self._on_signal)
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1
        # once only: a third one must not end the clean-up that the second one began
        if self._signals == 2:
            raise KeyboardInterrupt
