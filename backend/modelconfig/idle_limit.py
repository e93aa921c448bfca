"""How long a session may be silent before Triton forgets it.

Formula: twice (longest pause + time for queue and execution), at least 5 s; 60 s where no pause is
known (or twice the time for queue and execution, if that is more); the wait for a slot on top where
there are fewer slots than live sessions. Time for queue and execution: the objective for the
response, or what the stated execution time gives, whichever is longer.
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
LONG_S: Final = 600
"""A session whose end got lost holds its slot for so long; more than this is flagged."""


class IdleLimit(Value):
    """The limit in seconds of real life, and why."""

    seconds: int
    reason: str


def idle_limit(
    traffic: Traffic,
    *,
    sessions_ahead: int = 0,
    execution_ms: float | None = None,
    executions_ahead: int = 0,
) -> IdleLimit:
    """The idle limit that no live session of this traffic reaches.

    Args:
        traffic: The class's traffic.
        sessions_ahead: Sessions that end one after another before the last newcomer has a slot.
        execution_ms: How long an execution takes; None where nobody says.
        executions_ahead: Executions that a request may have to wait for on its instance.
    """
    clock = "The clock starts when a session's last request arrives, not when it is answered."
    response, source = _response(traffic, execution_ms, executions_ahead)
    pause = traffic.longest_gap_ms or traffic.gaps.longest_ms
    if not pause:
        seconds = max(UNKNOWN_PAUSE_S, math.ceil(2 * response / 1000))
        text = (
            f"{clock} The study does not say how long a live session may pause: {seconds} s is a "
            "careful stand-in."
        )
        if seconds > UNKNOWN_PAUSE_S:
            text += f" It is twice the response time ({response / 1000:g} s, {source})."
    else:
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
        longest = traffic.longest_session
        length = "1 request" if longest == 1 else f"{longest} requests"
        text += (
            f" {backlog} s more, because the last newcomer waits for {ahead} of {length} before "
            "it has a slot, and its clock runs meanwhile."
        )
    return IdleLimit(seconds=seconds, reason=text + _long(seconds))


def chosen_reason(microseconds: int, careful: IdleLimit) -> str:
    """What to say of a study's own limit beside the one that would be proposed."""
    text = (
        "Set by the study. Counted from the arrival of a session's last request: it must exceed "
        "queue, execution and the client's pause together."
    )
    if microseconds < careful.seconds * 1_000_000:
        text += (
            f" Shorter than the {careful.seconds} s that this traffic gives: watch for requests "
            "refused in mid-session for want of START."
        )
    return text + _long(microseconds // 1_000_000)


def _long(seconds: int) -> str:
    if seconds <= LONG_S:
        return ""
    return (
        f" {seconds} s is long for a start: a session whose end is lost or whose client is gone "
        "keeps its slot that long; watch how many slots are taken against how many sessions live."
    )


def _response(
    traffic: Traffic, execution_ms: float | None, executions_ahead: int
) -> tuple[float, str]:
    """Time for queue and execution in ms, and where the figure comes from."""
    objective = traffic.objectives.response_p99_ms
    if execution_ms is not None:
        queue = traffic.objectives.queue_p99_ms
        waiting = queue if queue is not None else executions_ahead * execution_ms
        worst = waiting + execution_ms
        if objective is None or worst > objective:
            behind = (
                f"{waiting:g} ms in the queue as its objective"
                if queue is not None
                else f"{executions_ahead} executions that may run first"
            )
            return worst, f"{execution_ms:g} ms of execution and {behind}"
    if objective is not None:
        return objective, "its objective"
    return RESPONSE_ALLOWANCE_MS, "assumed"
