"""The answers that decide between the batchers, as plain values.

Every question allows "unknown". An unknown answer is not an error: it is treated as the careful
case (stateful, ordered) until shown otherwise.
"""

from __future__ import annotations

from typing import Literal

from backend.contracts.values import Value

YesNo = Literal["yes", "no", "unknown"]
Relation = Literal["independent", "parts_of_a_session", "unknown"]
StateKind = Literal[
    "none",
    "recurrent_hidden_state",
    "streaming_decoder_context",
    "cache_across_fragments",
    "session_object",
    "implicit_state",
    "carried_in_request",
    "unknown",
]
StatePlace = Literal["none", "slot", "correlation_id", "request", "unknown"]
IdType = Literal["none", "uint64", "string", "unknown"]
EndCause = Literal["end_mark", "error", "cancel", "idle_timeout"]


class Lifecycle(Value):
    """How a session begins and ends."""

    start_marked: YesNo = "unknown"
    """Does the first request of a session say that it is the first?"""
    end_marked: YesNo = "unknown"
    """Does the last request of a session say that it is the last?"""
    ends_on: tuple[EndCause, ...] = ("end_mark", "error", "cancel", "idle_timeout")
    """What ends a session, beside its end mark."""


class CorrelationId(Value):
    """How requests of one session are known to belong together."""

    type: IdType = "unknown"
    assigned_by: Literal["client", "gateway", "server", "unknown"] = "unknown"
    unique: YesNo = "unknown"
    """Is an id never used by two live sessions, from whichever client?"""
    reused_after_end: YesNo = "unknown"


class Answers(Value):
    """What the user says about one class of traffic."""

    relation: Relation = "unknown"
    order_matters: YesNo = "unknown"
    """Does the answer to a request depend on requests before it, in their order?"""
    state_kind: StateKind = "unknown"
    state_place: StatePlace = "unknown"
    """Where the serving side keeps the state between requests."""
    lifecycle: Lifecycle = Lifecycle()
    correlation_id: CorrelationId = CorrelationId()
