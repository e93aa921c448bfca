"""How long a session may be silent before Triton forgets it.

Formula: twice (longest pause + time for queue and execution), at least 5 s; 60 s where no pause is
known; the wait for a slot on top where there are fewer slots than live sessions.
Source: core, ``sequence_batch_scheduler.cc``, ``ReaperThread``: the clock starts at the arrival of
a session's last request, so queue and service time count as well as the client's pause.
"""

from __future__ import annotations

import math
from typing import Final

from backend.contracts.values import Value
from backend.workload.traffic import Traffic

RESPONSE_ALLOWANCE_MS: Final = 1000.0
"""Taken for queue and execution time where the study states no objective for the response."""
UNKNOWN_PAUSE_S: Final = 60
LEAST_S: Final = 5


class IdleLimit(Value):
    """The limit in seconds of real life, and why."""

    seconds: int
    reason: str


def idle_limit(traffic: Traffic, *, sessions_ahead: int = 0) -> IdleLimit:
    """The idle limit that no live session of this traffic reaches.

    Args:
        traffic: The class's traffic.
        sessions_ahead: Sessions that end one after another before the last newcomer has a slot.
    """
    clock = "The clock starts when a session's last request arrives, not when it is answered."
    response = traffic.objectives.response_p99_ms or RESPONSE_ALLOWANCE_MS
    pause = traffic.longest_gap_ms or traffic.gaps.longest_ms
    if not pause:
        seconds = UNKNOWN_PAUSE_S
        text = (
            f"{clock} The study does not say how long a live session may pause: {seconds} s is a "
            "careful stand-in."
        )
    else:
        source = "its objective" if traffic.objectives.response_p99_ms else "assumed"
        seconds = max(LEAST_S, math.ceil(2 * (pause + response) / 1000))
        least = f" (at least {LEAST_S} s)" if seconds == LEAST_S else ""
        text = (
            f"{clock} Twice the longest pause ({pause / 1000:g} s) and the response time "
            f"({response / 1000:g} s, {source}) together give {seconds} s{least}."
        )
    if sessions_ahead:
        step_ms = traffic.gaps.mean_ms + response
        backlog = math.ceil(sessions_ahead * traffic.longest_session * step_ms / 1000)
        seconds += backlog
        ahead = "one session" if sessions_ahead == 1 else f"{sessions_ahead} sessions"
        text += (
            f" {backlog} s more, because the last newcomer waits for {ahead} of "
            f"{traffic.longest_session} requests before it has a slot, and its clock runs "
            "meanwhile."
        )
    return IdleLimit(seconds=seconds, reason=text)
