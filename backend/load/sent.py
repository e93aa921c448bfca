"""What became of a plan's requests, as the client saw it, before anything is decoded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.load.generator_cost import GeneratorCost

NEVER = -1
"""In a column of times: it did not happen."""


@dataclass(frozen=True)
class Counters:
    """How far a trial is; ``failed`` are the requests refused, unanswered or cancelled."""

    planned: int
    sent: int
    answered: int
    failed: int
    elapsed_s: float


@dataclass(frozen=True)
class Sent:
    """One entry per row of the plan, in its order; times in ns from the start of the clock.

    Attributes:
        request_ids: As in the plan.
        started_monotonic_ns: The start on the monotonic clock, which Triton's trace uses too.
        started_unix_ns: The same moment on the wall clock.
        scheduled_ns: When it was due: previous reply + gap, or the named reply if that came later.
        sent_ns: When it was handed to the stream.
        received_ns: When its reply was in the client's hands. All three ``NEVER`` if it was not.
        outcomes: ``ok``, ``error``, ``unanswered``, ``cancelled`` or ``not_sent``.
        errors: The server's or client's text where the outcome is not ``ok``.
        replies: The reply's bytes (``ModelStreamInferResponse``), of errors too.
        stopped: Whether ``stop`` ended it.
        server_lost: Why the server counts as lost, or null.
        generator: What the sending cost, and whether that spoils the figures.
    """

    request_ids: tuple[str, ...]
    started_monotonic_ns: int
    started_unix_ns: int
    scheduled_ns: NDArray[np.int64]
    sent_ns: NDArray[np.int64]
    received_ns: NDArray[np.int64]
    outcomes: tuple[str, ...]
    errors: tuple[str | None, ...]
    replies: tuple[bytes | None, ...]
    stopped: bool
    server_lost: str | None
    generator: GeneratorCost

    @property
    def duration_s(self) -> float:
        """From the start to the last reply."""
        return max(0, int(self.received_ns.max(initial=0))) / 1e9

    def count(self, outcome: str) -> int:
        """Rows with that outcome."""
        return self.outcomes.count(outcome)
