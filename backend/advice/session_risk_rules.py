"""Risks of sessions: how they begin, end, pause and are sent; what their batcher cannot do.

Facts as in ``facts``, and ``batcher`` (sequence, dynamic, none) and ``proposed``.
"""

from __future__ import annotations

from typing import Final

from backend.advice.rule import (
    ALWAYS,
    CORE_DIRECT,
    CORE_DYNAMIC,
    CORE_ENQUEUE,
    CORE_OLDEST,
    CORE_PREFETCH,
    CORE_REAPER,
    CORE_SHAPES,
    GUIDE_BATCHER,
    GUIDE_CANCEL,
    GUIDE_CONTROL,
    GUIDE_DECOUPLED,
    GUIDE_OLDEST,
    GUIDE_RAGGED,
    Rule,
    when,
)
from backend.workload.contradiction import SERVER_STATE


def _risk(
    rule_id: str,
    says: str,
    why: str,
    source: str,
    since: str = ALWAYS,
    **facts: str | tuple[str, ...],
) -> Rule:
    return Rule(
        id=rule_id,
        when=when(**facts),
        conclusion="risk",
        says=says,
        why=why,
        source=source,
        since=since,
    )


LIFE_RULES: Final = (
    _risk(
        "end-never-marked",
        "Ends are never marked: every session holds its slot for the whole idle limit after its "
        "last request, and newcomers wait.",
        "Only END, or the idle limit, frees a slot.",
        CORE_REAPER,
        batcher="sequence",
        end_marked="no",
    ),
    _risk(
        "end-sometimes-lost",
        "Ends get lost at times: such a session holds its slot for the whole idle limit.",
        "Only END, or the idle limit, frees a slot.",
        CORE_REAPER,
        batcher="sequence",
        end_marked="sometimes",
    ),
    _risk(
        "start-not-marked",
        "No request carries START: Triton refuses the first request of every session.",
        "A request of a sequence that Triton does not know needs the START flag.",
        CORE_ENQUEUE,
        batcher="sequence",
        start_marked="no",
    ),
    _risk(
        "start-marks-unknown",
        "Not known whether starts are marked: sessions may be refused.",
        "A request of a sequence that Triton does not know needs the START flag.",
        CORE_ENQUEUE,
        batcher="sequence",
        start_marked="unknown",
    ),
    _risk(
        "marks-unknown",
        "Not known whether starts and ends are marked: the drawing has open transitions.",
        "START opens a sequence, END frees its slot.",
        CORE_ENQUEUE,
        batcher="sequence",
        marks="unknown",
    ),
    _risk(
        "end-cause-missing",
        "A way in which sessions do end is not accounted for: error, cancel or silence.",
        "All three happen; the model is told of none of them.",
        CORE_REAPER,
        batcher="sequence",
        end_causes="missing",
    ),
    _risk(
        "gap-beyond-default-idle-limit",
        "A live session may be silent for as long as Triton's default idle limit of one second, or "
        "longer: left at the default, it would be ended in mid-session.",
        "The limit counts from the arrival of the last request: execution and pause use it up.",
        CORE_REAPER,
        batcher="sequence",
        gap="long",
    ),
    _risk(
        "longest-gap-unknown",
        "The longest pause of a live session is not known: the idle limit cannot be sized.",
        "Too short ends live sessions, too long keeps the slots of dead ones.",
        CORE_REAPER,
        batcher="sequence",
        gap="unknown",
    ),
    _risk(
        "live-sessions-unknown",
        "The number of live sessions is not known: slots cannot be sized.",
        "One session more than there are slots waits until another ends.",
        CORE_ENQUEUE,
        batcher="sequence",
        live="unknown",
    ),
    _risk(
        "cancel-gives-no-end",
        "Some clients cancel or leave: the model never sees an END for them and must evict their "
        "state by itself.",
        "A cancel frees the slot only while a request of the session waits; a client that leaves "
        "with nothing under way holds it until the idle limit. The model is told of neither.",
        GUIDE_CANCEL,
        "23.10",
        batcher="sequence",
        state_kind=SERVER_STATE,
        cancels="yes",
    ),
    _risk(
        "pipelining-breaks-order",
        "Several requests of a session are under way at once: unary calls may overtake each other. "
        "Send each session on one gRPC stream.",
        "Triton takes requests in the order of their arrival; only a stream keeps that of sending.",
        CORE_ENQUEUE,
        batcher="sequence",
        waits_for_reply="no",
    ),
    _risk(
        "decoupled-outlives-execute",
        "A request has several replies: the session's next request may run while they still "
        "stream.",
        "The next one is released when the execution returns, not when the last reply is out.",
        GUIDE_DECOUPLED,
        batcher="sequence",
        replies="many",
    ),
    _risk(
        "belongs-not-by-id",
        "Sessions are told apart by connection or payload: Triton sees neither. Whoever knows must "
        "send it as correlation ID.",
        "Triton knows a sequence by its correlation ID alone.",
        CORE_ENQUEUE,
        batcher="sequence",
        belongs_by=("connection", "payload"),
    ),
)
LOAD_RULES: Final = (
    _risk(
        "sequence-has-no-deadline",
        "Replies have a deadline, and the sequence batcher has no queue policy: late requests are "
        "served all the same.",
        "Queue policies belong to the dynamic batcher; a timeout counts in the backlog only.",
        GUIDE_OLDEST,
        batcher="sequence",
        deadline="yes",
    ),
    _risk(
        "sequence-has-no-priorities",
        "Some callers should go first, and the sequence batcher has no priorities.",
        "Priority levels belong to the dynamic batcher; give such callers a model of their own.",
        GUIDE_OLDEST,
        batcher="sequence",
        priorities="yes",
    ),
    _risk(
        "queue-policy-ends-prefetch",
        "Priorities or a queue timeout stop Triton from preparing batches ahead: a handover may "
        "wait 500 ms (seen on 24.10, with one instance in 18 to 41 of 100).",
        "With a queue policy a batch forms only while an instance is idle.",
        CORE_PREFETCH,
        "23.08",
        batcher="dynamic",
        queue_policy="yes",
        release=("before 25.01", "from 25.01"),
    ),
    _risk(
        "deadline-below-execution",
        "The deadline is not above the execution time: no scheduler can keep it.",
        "Every reply is late before it has waited at all.",
        GUIDE_BATCHER,
        deadline_kept="no",
    ),
    _risk(
        "variable-shapes-split-batches",
        "Shapes differ: only neighbours of equal shape share a batch, and the next one begins "
        "another.",
        "A batch is an unbroken run of the queue whose shapes are equal.",
        CORE_SHAPES,
        batcher="dynamic",
        shapes="variable",
    ),
    _risk(
        "variable-shapes-pad-direct",
        "Shapes differ: under direct each shape is executed in a padded batch of its own.",
        "A slot whose shape differs from that of the lowest ready slot waits for the next batch.",
        CORE_DIRECT,
        proposed="sequence-direct",
        shapes="variable",
    ),
    _risk(
        "lone-caller-pays-delay",
        "One caller that waits for each reply: nobody to merge with, and every delay is paid in "
        "full.",
        "A request that is alone waits until the delay is over.",
        CORE_DYNAMIC,
        batcher=("sequence", "dynamic"),
        arrivals="one_caller",
    ),
    _risk(
        "direct-needs-ready",
        "Direct pads silent slots: the model needs the READY control to tell rows from requests.",
        "Padding has undefined data, START and END false and correlation ID 0.",
        GUIDE_CONTROL,
        proposed="sequence-direct",
    ),
    _risk(
        "ragged-needs-field",
        "Requests of different lengths share a batch only where allow_ragged_batch is set and the "
        "model takes them so.",
        "Without it, shapes must be equal.",
        GUIDE_RAGGED,
        proposed=("dynamic", "sequence-oldest"),
        shapes="ragged",
    ),
    _risk(
        "backend-batches-by-itself",
        "This backend merges requests by itself: Triton's batcher adds little and may hold "
        "requests back.",
        "Requests are handed over one by one and batched inside.",
        "Triton vllm_backend and tensorrtllm_backend, README.md",
        model_backend=("vllm", "tensorrtllm"),
    ),
    _risk(
        "short-beside-long",
        "Short sessions run beside ones ten times as long: watch their tail apart, never inside a "
        "mean.",
        "A long session holds its slot for its whole life, and a short one may wait for it.",
        CORE_ENQUEUE,
        batcher="sequence",
        lengths="mixed",
    ),
    _risk(
        "bursts-need-tail",
        "Requests come in bursts: judge by the queue time at p99 under open-loop arrivals, not by "
        "a mean.",
        "At the same load the tail of bursts is several times that of a steady rate.",
        "Triton perf_analyzer, docs/inference_load_modes.md, Request Rate Mode",
        arrivals="bursty",
    ),
    _risk(
        "class-needs-own-model",
        "The study has other classes: each gets a model, version or endpoint and a scheduler of "
        "its own.",
        "A scheduler section holds for all requests of a model.",
        GUIDE_BATCHER,
        other_classes="yes",
    ),
    _risk(
        "oldest-holds-back-lone-sessions",
        "Oldest merges only across sessions: with one live session nothing is ever merged.",
        "At most one request of a session is under way.",
        CORE_OLDEST,
        proposed="sequence-oldest",
        live="few",
    ),
)
