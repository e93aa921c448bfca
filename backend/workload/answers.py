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
EndMarked = Literal["yes", "sometimes", "no", "unknown"]
BelongsBy = Literal["correlation_id", "connection", "payload", "unknown"]
Replies = Literal["one", "many", "unknown"]
Shapes = Literal["fixed", "variable", "ragged", "unknown"]
Arrivals = Literal["one_caller", "few_callers", "steady", "poisson", "bursty", "unknown"]
IdMadeAs = Literal["counter", "random", "hash", "uuid_text", "name", "unknown"]
IdControl = Literal["none", "uint64", "int64", "uint32", "int32", "string", "unknown"]
IdScope = Literal["client", "gateway", "service", "unknown"]
Backend = Literal[
    "python",
    "onnxruntime",
    "tensorrt",
    "pytorch",
    "tensorflow",
    "openvino",
    "dali",
    "vllm",
    "tensorrtllm",
    "custom",
    "unknown",
]
Hardware = Literal["cpu", "gpu", "unknown"]


class Lifecycle(Value):
    """How a session begins, goes on and ends."""

    start_marked: YesNo = "unknown"
    """Does the first request of a session say that it is the first?"""
    belongs_by: BelongsBy = "unknown"
    """What tells that a later request belongs to a session."""
    waits_for_reply: YesNo = "unknown"
    """Does a client wait for each reply before it sends the session's next request?"""
    end_marked: EndMarked = "unknown"
    """Does the last request of a session say that it is the last? *sometimes*: ends get lost."""
    ends_on: tuple[EndCause, ...] = ("end_mark", "error", "cancel", "idle_timeout")
    """What ends a session, beside its end mark."""


class CorrelationId(Value):
    """How requests of one session are known to belong together."""

    type: IdType = "unknown"
    assigned_by: Literal["client", "gateway", "server", "unknown"] = "unknown"
    made_as: IdMadeAs = "unknown"
    """How a new id comes about: counted up, drawn at random, hashed, a UUID's text, a name."""
    control_type: IdControl = "unknown"
    """The data type in which the model reads it; *none*: the model is not given it."""
    unique: YesNo = "unknown"
    """Is an id never used by two live sessions, from whichever client?"""
    unique_scope: IdScope = "unknown"
    """Within which bounds somebody sees to it that ids differ."""
    reused_after_end: YesNo = "unknown"
    may_be_empty: YesNo = "unknown"
    """Can an id be 0 or the empty text, which count as no id?"""


class Serving(Value):
    """What serves the class; a model template's own backend outweighs the answer."""

    backend: Backend = "unknown"
    hardware: Hardware = "unknown"


class Answers(Value):
    """What the user says about one class of traffic."""

    relation: Relation = "unknown"
    order_matters: YesNo = "unknown"
    """Does the answer to a request depend on requests before it, in their order?"""
    state_kind: StateKind = "unknown"
    state_place: StatePlace = "unknown"
    """Where the serving side keeps the state between requests."""
    batch_mates_matter: YesNo = "unknown"
    """Does a reply depend on which other requests share its batch?"""
    replies: Replies = "unknown"
    """Does a request get one reply, or several (or none)?"""
    shapes: Shapes = "unknown"
    """*ragged*: of different lengths, and the model takes them in one batch without padding."""
    lifecycle: Lifecycle = Lifecycle()
    correlation_id: CorrelationId = CorrelationId()
    arrivals: Arrivals = "unknown"
    serving: Serving = Serving()
