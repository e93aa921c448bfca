"""Answers and numbers that can be true together, and are dangerous or costly if they are.

Unlike contradictions they do not change what a class is taken for; they are shown at the question
and on the drawing, and the advice names them as risks. A few numbers exclude each other outright.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from backend.contracts.triton_defaults import DEFAULT_IDLE_MICROSECONDS
from backend.workload.contradiction import Contradiction
from backend.workload.study import Workload

_DEFAULT_IDLE_S: Final = DEFAULT_IDLE_MICROSECONDS / 1e6


@dataclass(frozen=True)
class _Doubt:
    id: str
    questions: tuple[str, ...]
    holds: Callable[[Workload], bool]
    sentence: Callable[[Workload], str] | str
    transition: str | None = None
    kind: Literal["contradictory", "doubtful"] = "doubtful"
    trigger: str | None = None


def doubts(workload: Workload) -> tuple[Contradiction, ...]:
    """Everything about a class that should be looked at again."""
    return tuple(
        Contradiction(
            id=doubt.id,
            kind=doubt.kind,
            questions=doubt.questions,
            sentence=doubt.sentence
            if isinstance(doubt.sentence, str)
            else doubt.sentence(workload),
            transition=doubt.transition,
            trigger=doubt.trigger,
        )
        for doubt in _DOUBTS
        if doubt.holds(workload)
    )


def mean_steps(workload: Workload) -> float:
    """Requests per session, on average over all mixes; 1 where no mix is given."""
    groups = [group for mix in workload.traffic.mixes.values() for group in mix]
    if not groups:
        return 1.0
    total = sum(group.share for group in groups)
    return sum(group.share * sum(group.steps) / 2 for group in groups) / total


def slots_held_by_lost_ends(workload: Workload) -> int | None:
    """Slots that sessions without END hold beside the live ones; null where the rate is not known.

    **Formula**: sessions end at ``rate / mean steps`` per second, and each without an END mark
    holds its slot for the idle limit (at least the longest pause, 1 s if none is given).
    """
    rate = workload.demand.rate_per_s
    if rate is None:
        return None
    return math.ceil(rate / mean_steps(workload) * least_idle_s(workload))


def least_idle_s(workload: Workload) -> float:
    """The shortest idle limit, in seconds, that no live session reaches by its pauses alone."""
    return max(_DEFAULT_IDLE_S, (workload.traffic.longest_gap_ms or 0) / 1000)


def _sessions(w: Workload) -> bool:
    return w.answers.relation != "independent"


def _lost_ends(w: Workload) -> str:
    more = slots_held_by_lost_ends(w)
    live = w.demand.live_sessions
    none = w.answers.lifecycle.end_marked == "no"
    because = "No END is sent" if none else "Not every END arrives"
    if more is None or live is None:
        return (
            f"{because}: such a session holds its slot for the idle limit after its last request, "
            f"so that more slots are needed than the {live} live sessions."
        )
    up_to = "" if none else "up to "
    return (
        f"{because}: with an idle limit of {least_idle_s(w):g} s, {up_to}{more} ended sessions "
        f"hold a slot beside the {live} live ones; "
        f"{up_to}{live + more} slots are needed, not {live}."
    )


_DOUBTS: Final = (
    _Doubt(
        "ends-lost-slots-few",
        ("end_marked",),
        lambda w: (
            _sessions(w)
            and w.answers.lifecycle.end_marked in ("no", "sometimes")
            and w.demand.live_sessions is not None
        ),
        _lost_ends,
        "active->ended",
    ),
    _Doubt(
        "ends-lost-at-times",
        ("end_marked",),
        lambda w: (
            _sessions(w)
            and w.answers.lifecycle.end_marked == "sometimes"
            and w.demand.live_sessions is None
        ),
        "An END that gets lost leaves its session's slot taken for the idle limit: say how many "
        "sessions are live at once, and the slots can be counted.",
        "active->ended",
    ),
    _Doubt(
        "id-cut-to-32-bits",
        ("id_control", "id_made_as"),
        lambda w: (
            w.answers.correlation_id.control_type in ("uint32", "int32")
            and w.answers.correlation_id.made_as in ("hash", "random", "unknown")
        ),
        "The model reads 32 bits of an id that may be a hash or a random number of 64: two live "
        "sessions whose ids share the low half look like one.",
        "absent->starting",
    ),
    _Doubt(
        "text-control-python",
        ("id_control", "backend"),
        lambda w: (
            w.answers.correlation_id.control_type == "string"
            and w.answers.serving.backend == "python"
        ),
        "A text id cannot be handed to a Python model as a control input: up to release 24.12 "
        "every id shorter than 128 characters fails. The model can read it from the request.",
        "absent->starting",
    ),
    _Doubt(
        "id-may-be-empty",
        ("id_empty",),
        lambda w: _sessions(w) and w.answers.correlation_id.may_be_empty == "yes",
        "An id of 0 or the empty text counts as none: that session is refused.",
        "absent->starting",
    ),
    _Doubt(
        "clients-count-from-one",
        ("id_made_as", "id_assigned_by"),
        lambda w: (
            _sessions(w)
            and w.answers.correlation_id.made_as == "counter"
            and w.answers.correlation_id.assigned_by == "client"
            and w.answers.correlation_id.unique != "yes"
        ),
        "Each client counts its own ids: two clients use the same one at the same time, and the "
        "second START takes over the first session's slot.",
        "absent->starting",
    ),
    _Doubt(
        "order-under-way",
        ("waits_for_reply", "order"),
        lambda w: (
            _sessions(w)
            and w.answers.lifecycle.waits_for_reply == "no"
            and w.answers.order_matters != "no"
        ),
        "Several requests of a session are under way at once, and their order matters: unary calls "
        "may overtake each other before they reach Triton. One gRPC stream per session keeps them.",
        "idle->active",
    ),
    _Doubt(
        "belongs-by-something-else",
        ("belongs_by",),
        lambda w: _sessions(w) and w.answers.lifecycle.belongs_by in ("connection", "payload"),
        "Triton sees neither connections nor what stands in a tensor: whatever tells sessions "
        "apart has to be sent as correlation ID.",
        "idle->active",
    ),
    _Doubt(
        "batch-mates-matter",
        ("batch_mates",),
        lambda w: w.answers.batch_mates_matter == "yes",
        "A reply depends on the other requests of its batch: it differs with the load, under any "
        "batcher. Only single executions give equal results.",
        "active->idle",
    ),
    _Doubt(
        "carried-by-custom-backend",
        ("state_kind", "backend"),
        lambda w: (
            w.answers.state_kind == "implicit_state" and w.answers.serving.backend == "custom"
        ),
        "Triton is said to carry the state for a backend of your own: it has to write the state "
        "back through the backend interface, or nothing is kept.",
        "active->idle",
    ),
    _Doubt(
        "one-caller-many-sessions",
        ("arrivals",),
        lambda w: w.answers.arrivals == "one_caller" and (w.demand.live_sessions or 0) > 1,
        "One caller that waits for each reply is said to be all there is, yet several sessions are "
        "said to be live at once.",
        "absent->starting",
        "contradictory",
    ),
    _Doubt(
        "deadline-below-execution",
        (),
        lambda w: (
            w.demand.deadline_ms is not None
            and w.demand.execution_ms is not None
            and w.demand.deadline_ms <= w.demand.execution_ms
        ),
        lambda w: (
            f"The deadline of {w.demand.deadline_ms:g} ms is over before one execution "
            f"({w.demand.execution_ms:g} ms) is done: every reply is late."
        ),
        "active->idle",
        "contradictory",
    ),
    _Doubt(
        "cancels-without-a-path",
        ("ends_on",),
        lambda w: (
            _sessions(w)
            and (w.demand.cancel_share or 0) > 0
            and "cancel" not in w.answers.lifecycle.ends_on
        ),
        lambda w: (
            f"{w.demand.cancel_share:.0%} of the sessions are said to be cancelled or left, yet "
            "cancelling is said to end none."
        ),
        "active->ended",
        "contradictory",
        "cancel",
    ),
    _Doubt(
        "late-without-deadline",
        (),
        lambda w: w.demand.when_late == "refuse" and w.demand.deadline_ms is None,
        "Late requests are to be refused, but no deadline says when a request is late.",
    ),
)
