"""What to watch before a value is raised (M13): the start is conservative, each step is measured.

Facts as in ``facts``, and ``batcher`` and ``proposed``, what was decided for the class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from backend.advice.rule import (
    CORE_DEFAULT,
    CORE_DIRECT,
    CORE_DYNAMIC,
    CORE_ENQUEUE,
    CORE_REAPER,
    GUIDE_CANCEL,
    GUIDE_DIRECT,
    GUIDE_OLDEST,
    GUIDE_STATEFUL,
    GUIDE_STATELESS,
    Condition,
    when,
)
from backend.contracts.values import Value

Raised = Literal["instances", "queue_delay", "max_batch_size", "candidate_sequences", "idle_limit"]
Metric = Literal[
    "queue_p99",
    "batch_sizes",
    "instance_busy_share",
    "active_sequences",
    "slot_wait",
    "idle_expiries",
    "padding_rows",
    "memory_per_instance",
    "isolation",
    "short_session_p99",
    "rejected_requests",
    "cancelled_share",
    "left_over_state",
    "equal_results",
]


class WatchRule(Value):
    """Before ``before`` is raised, look at ``metric``."""

    id: str
    when: tuple[Condition, ...]
    before: Raised
    metric: Metric
    says: str
    why: str
    source: str

    def holds(self, facts: Mapping[str, str]) -> bool:
        """Whether the facts meet every condition."""
        return all(facts.get(item.fact, "") in item.values for item in self.when)


WATCH_RULES: Final[tuple[WatchRule, ...]] = (
    WatchRule(
        id="watch-isolation",
        when=when(batcher="sequence"),
        before="instances",
        metric="isolation",
        says="Repeat the isolation test with the new number of instances.",
        why="One instance hides mix-ups: with two, a session's requests have somewhere else to go.",
        source=GUIDE_STATEFUL,
    ),
    WatchRule(
        id="watch-equal-results",
        when=when(batcher="dynamic"),
        before="instances",
        metric="equal_results",
        says="Repeat the test of equal results with the new number of instances.",
        why="Standing alone is a claim; equal results are measured.",
        source=GUIDE_STATELESS,
    ),
    WatchRule(
        id="watch-equal-results-in-larger-batches",
        when=when(batcher=("dynamic", "none")),
        before="max_batch_size",
        metric="equal_results",
        says="Repeat the test of equal results with the larger batches.",
        why="Rows may meet in a larger batch: padding, rounding, normalisation.",
        source=GUIDE_STATELESS,
    ),
    WatchRule(
        id="watch-busy-share",
        when=(),
        before="instances",
        metric="instance_busy_share",
        says="Look at how busy the instances are: another one helps only if they are.",
        why="Instances share the device; idle ones cost memory alone.",
        source="Triton server, docs/user_guide/optimization.md, Model Instances",
    ),
    WatchRule(
        id="watch-memory",
        when=when(batcher="sequence"),
        before="instances",
        metric="memory_per_instance",
        says="Look at the memory of each instance with all its sessions live.",
        why="Each instance keeps the state of its own sessions.",
        source=GUIDE_STATEFUL,
    ),
    WatchRule(
        id="watch-queue-time",
        when=(),
        before="queue_delay",
        metric="queue_p99",
        says="Look at the queue time at p99: a delay is added to every request that comes alone.",
        why="A request waits the whole delay unless a preferred size is reached.",
        source=CORE_DYNAMIC,
    ),
    WatchRule(
        id="watch-batch-sizes",
        when=(),
        before="queue_delay",
        metric="batch_sizes",
        says="Look at the batch sizes that the delay buys.",
        why="Where requests do not come close together, a delay buys nothing.",
        source=CORE_DYNAMIC,
    ),
    WatchRule(
        id="watch-batch-sizes-reached",
        when=(),
        before="max_batch_size",
        metric="batch_sizes",
        says="Look whether batches reach the present maximum at all.",
        why="A batch holds at most the requests that wait at the same time.",
        source=CORE_DYNAMIC,
    ),
    WatchRule(
        id="watch-padding",
        when=when(proposed="sequence-direct"),
        before="max_batch_size",
        metric="padding_rows",
        says="Look at the share of padding rows.",
        why="Direct pads every silent slot below the highest ready one.",
        source=CORE_DIRECT,
    ),
    WatchRule(
        id="watch-slots",
        when=when(proposed="sequence-direct"),
        before="max_batch_size",
        metric="slot_wait",
        says="Look at how long newcomers wait for a slot.",
        why="Under direct the batch size is also the number of slots of each instance.",
        source=GUIDE_DIRECT,
    ),
    WatchRule(
        id="watch-active-sequences",
        when=when(proposed="sequence-oldest"),
        before="candidate_sequences",
        metric="active_sequences",
        says="Look at how many sequences are active at the peak.",
        why="More candidates than live sessions bring nothing but memory.",
        source=GUIDE_OLDEST,
    ),
    WatchRule(
        id="watch-slot-wait",
        when=when(proposed="sequence-oldest"),
        before="candidate_sequences",
        metric="slot_wait",
        says="Look at how long newcomers wait for a slot.",
        why="One session more than there are slots waits until another ends.",
        source=CORE_ENQUEUE,
    ),
    WatchRule(
        id="watch-candidate-memory",
        when=when(proposed="sequence-oldest"),
        before="candidate_sequences",
        metric="memory_per_instance",
        says="Look at the memory of each instance with that many states.",
        why="Each candidate sequence has a state in the instance.",
        source=GUIDE_OLDEST,
    ),
    WatchRule(
        id="watch-short-sessions",
        when=when(batcher="sequence", lengths="mixed"),
        before="candidate_sequences",
        metric="short_session_p99",
        says="Look at the tail of the short sessions apart from the long ones.",
        why="A long session holds its slot for its whole life, and a short one may wait for it.",
        source=CORE_ENQUEUE,
    ),
    WatchRule(
        id="watch-idle-expiries",
        when=when(batcher="sequence"),
        before="idle_limit",
        metric="idle_expiries",
        says="Count sessions that were told to send START in mid-session.",
        why="The idle limit counts from the arrival of the last request; queue and execution use "
        "it up too.",
        source=CORE_REAPER,
    ),
    WatchRule(
        id="watch-slots-of-lost-ends",
        when=when(batcher="sequence", end_marked=("no", "sometimes", "unknown")),
        before="idle_limit",
        metric="slot_wait",
        says="Look at how long newcomers wait for a slot: each lost END holds one for the limit.",
        why="Only END, or the idle limit, frees a slot.",
        source=CORE_REAPER,
    ),
    WatchRule(
        id="watch-cancelled",
        when=when(batcher="sequence", cancels="yes"),
        before="instances",
        metric="cancelled_share",
        says="Count cancelled requests, and what the server still executes of them.",
        why="A request that is in a batch already is executed, whoever still waits for it.",
        source=GUIDE_CANCEL,
    ),
    WatchRule(
        id="watch-left-over-state",
        when=when(batcher="sequence", place="correlation_id"),
        before="candidate_sequences",
        metric="left_over_state",
        says="Look at the model's table for entries of sessions that are gone.",
        why="A session that is cancelled or falls silent never gives the model an END.",
        source=GUIDE_CANCEL,
    ),
    WatchRule(
        id="watch-rejected",
        when=when(batcher="dynamic", deadline="yes"),
        before="queue_delay",
        metric="rejected_requests",
        says="Count requests that were refused or late.",
        why="A delay is taken from the deadline.",
        source=CORE_DYNAMIC,
    ),
    WatchRule(
        id="watch-queue-of-instances",
        when=when(batcher="none"),
        before="instances",
        metric="queue_p99",
        says="Look at the queue time at p99: without batching only instances shorten it.",
        why="Each request is an execution of its own.",
        source=CORE_DEFAULT,
    ),
    WatchRule(
        id="watch-held-slots",
        when=when(batcher="sequence"),
        before="idle_limit",
        metric="active_sequences",
        says="Look at how many sequences are active: a longer limit keeps dead ones longer.",
        why="Only END, or the idle limit, frees a slot.",
        source=CORE_REAPER,
    ),
    WatchRule(
        id="watch-left-over-of-silent",
        when=when(batcher="sequence"),
        before="idle_limit",
        metric="left_over_state",
        says="Look at what the model still keeps of sessions that fell silent or were left.",
        why="Neither the idle limit nor a cancel gives the model an END.",
        source=GUIDE_CANCEL,
    ),
    WatchRule(
        id="watch-short-sessions-and-delay",
        when=when(batcher="sequence", lengths="mixed"),
        before="queue_delay",
        metric="short_session_p99",
        says="Look at the tail of the short sessions apart from the long ones.",
        why="A delay weighs most on a session of few requests.",
        source=CORE_DYNAMIC,
    ),
    WatchRule(
        id="watch-memory-of-instances",
        when=when(batcher=("dynamic", "none")),
        before="instances",
        metric="memory_per_instance",
        says="Look at the memory of each instance.",
        why="Each instance loads the model anew.",
        source="Triton server, docs/user_guide/optimization.md, Model Instances",
    ),
)
