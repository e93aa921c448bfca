"""Settings of the dynamic batcher that load and then do something else than they seem to say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.durations import milliseconds
from backend.modelconfig.lint.refused_scheduling import dynamic, oldest, policies_in_use
from backend.modelconfig.lint.rule import Context, Hit, LintRule
from backend.modelconfig.queue_delay import waits_for_others
from backend.modelconfig.queue_policy import (
    PREFETCH_OFF,
    SLEEPS_SINCE,
    TIMEOUTS_SEEN_SINCE,
    no_prefetch,
)

CORE: Final = "Triton core, src"
BATCHER: Final = f"{CORE}/dynamic_batch_scheduler.cc, DynamicBatchScheduler::GetDynamicBatch"
_QUEUE: Final = f"{CORE}/scheduler_utils.cc, PriorityQueue"
_SLOTS: Final = f"{CORE}/rate_limiter.cc, RateLimiter::PayloadSlotAvailable"
_GUIDE: Final = "Triton server, docs/user_guide/batcher.md"
_DELAY: Final = model_config_pb2.ModelQueuePolicy.DELAY
LONG_DELAY_MICROSECONDS: Final = 100_000


def batching_sections(context: Context) -> Iterator[tuple[str, Any]]:
    """Path and message of each section that forms batches from a queue."""
    found = dynamic(context)
    if found is not None:
        yield "dynamic_batching", found
    strategy = oldest(context)
    if strategy is not None:
        yield "sequence_batching.oldest", strategy


def waiting_sections(context: Context) -> Iterator[tuple[str, int]]:
    """Path and delay in microseconds of each section in which a lone request waits for others."""
    for path, section in batching_sections(context):
        delay, most = section.max_queue_delay_microseconds, context.config.max_batch_size
        if waits_for_others(delay, section.preferred_batch_size, most):
            yield f"{path}.max_queue_delay_microseconds", delay


def _no_batch(context: Context) -> Iterator[Hit]:
    section, most = dynamic(context), context.config.max_batch_size
    if section is None or most > 1:
        return
    tuned = section.max_queue_delay_microseconds or section.preferred_batch_size
    queued = section.priority_levels or section.HasField("default_queue_policy")
    effect = "Every request is executed alone, as soon as an instance is idle"
    effect += "; the delay and the preferred sizes have no effect" if tuned else ""
    effect += "; priorities and queue policy act all the same" if queued else ""
    yield Hit(
        "dynamic_batching",
        f"max_batch_size is {most}, so that the dynamic batcher has nothing to merge.",
        f"{effect}.",
        "Set max_batch_size to what the model takes, or "
        + (
            "keep the section for its queue alone and say so in a comment."
            if queued
            else "leave dynamic_batching out."
        ),
    )


def _override(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    if section is None:
        return
    for path, policy in policies_in_use(section):
        if policy.allow_timeout_override and not policy.default_timeout_microseconds:
            yield Hit(
                f"{path}.allow_timeout_override",
                "A client's timeout may override the default, but there is no default.",
                "An override must be shorter than the default, so that none is ever taken; batches "
                "are no longer prepared ahead all the same.",
                "Set default_timeout_microseconds to the longest wait, or leave the override out.",
            )


def _prefetch(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    what = no_prefetch(section) if section is not None else ""
    if what:
        effect = "Triton prepares no batch while every instance is busy."
        if context.release >= SLEEPS_SINCE:
            effect += (
                " Seen on 24.10: with one instance, 18 to 41 of 100 handovers then waited 500 ms "
                "when nothing else arrived, with two instances 2 of 100; a closed loop suffers "
                "most."
            )
        if context.release >= TIMEOUTS_SEEN_SINCE:
            effect += " A timeout is looked at about every 500 ms while instances are busy."
        yield Hit(
            f"dynamic_batching.{what}",
            f"{what.rpartition('.')[2]} is set.",
            effect,
            "Leave it out unless it is needed; if it is, watch the queue time at p99 and let two "
            "instances serve.",
        )


def _freezes(context: Context) -> Iterator[Hit]:
    most = context.config.max_batch_size
    for path, section in batching_sections(context):
        sizes = [size for size in section.preferred_batch_size if 0 < size < most]
        if sizes and not section.max_queue_delay_microseconds:
            yield Hit(
                f"{path}.preferred_batch_size",
                f"A preferred batch size of {min(sizes)} is below max_batch_size {most}, and "
                "there is no delay.",
                "While the instances are busy, a waiting batch stops growing at the first of these "
                f"sizes that it reaches, so that batches of {min(sizes)} run where {most} requests "
                "wait.",
                "Leave preferred_batch_size out: Triton then takes max_batch_size.",
            )


def _one_more(context: Context) -> Iterator[Hit]:
    most = context.config.max_batch_size
    for path, section in batching_sections(context):
        sizes = list(section.preferred_batch_size)
        if sizes and max(sizes) < most and section.max_queue_delay_microseconds:
            yield Hit(
                f"{path}.preferred_batch_size",
                f"The largest preferred batch size is {max(sizes)}, below max_batch_size {most}, "
                "and there is a delay.",
                f"A waiting batch of {max(sizes)} takes exactly one more request: batches of "
                f"{max(sizes) + 1} run (seen on 24.10). A batch whose delay is over takes up to "
                f"{most} and no preferred size counts.",
                "Leave preferred_batch_size out, or make max_batch_size the largest of them.",
            )


def _waits(context: Context) -> Iterator[Hit]:
    for path, delay in waiting_sections(context):
        if delay > LONG_DELAY_MICROSECONDS:
            yield Hit(
                path,
                f"A request may wait {milliseconds(delay)} for others.",
                "Whenever too few requests arrive, each waits the whole time although an instance "
                "is idle.",
                "Begin with 0 and raise it in small steps; watch the queue time at p99 and the "
                "batch sizes that the wait buys.",
            )


def _for_ever(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    if section is None:
        return
    for path, policy in policies_in_use(section):
        if policy.timeout_action == _DELAY and policy.default_timeout_microseconds:
            yield Hit(
                f"{path}.timeout_action",
                "A request whose time is up is delayed, not refused.",
                "It goes behind every request of its level whose time is not up, has no deadline "
                "any more, and may wait for ever under load.",
                "Write timeout_action: REJECT where a late reply is of no use.",
            )


def _unused_policy(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    if section is not None and section.priority_queue_policy and not section.priority_levels:
        yield Hit(
            "dynamic_batching.priority_queue_policy",
            "Queue policies are given by priority, but there are no priority levels.",
            "They are ignored.",
            "Set priority_levels and default_priority_level, or use default_queue_policy.",
        )


def _starving(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    if section is not None and section.priority_levels > 1:
        yield Hit(
            "dynamic_batching.priority_levels",
            f"There are {section.priority_levels} priority levels.",
            "The order of the levels is strict: as long as requests of level 1 wait, none of a "
            "lower level begins a batch.",
            "Watch the queue time of the lowest level, or give it a model of its own.",
        )


def _ordering(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    if (
        section is not None
        and section.preserve_ordering
        and context.config.model_transaction_policy.decoupled
    ):
        yield Hit(
            "dynamic_batching.preserve_ordering",
            "Responses are kept in order, and a request may have several (decoupled).",
            "A slow request holds back the responses of every request after it.",
            "Leave preserve_ordering out: it orders responses, not the requests of a session.",
        )


def _is_no_session(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    if section is not None and section.preserve_ordering:
        yield Hit(
            "dynamic_batching.preserve_ordering",
            "preserve_ordering keeps responses in the order of their requests.",
            "It keeps no session on one instance and no state apart: requests are still merged and "
            "run on any instance.",
            "For parts of a session write sequence_batching; otherwise leave it out.",
        )


RULES: Final = (
    LintRule("dynamic-without-batch", "warning", "A dynamic batcher with nothing to merge", BATCHER,
             _no_batch),
    LintRule("timeout-override-unused", "warning", "An override of a timeout that is not there",
             _QUEUE, _override),
    LintRule("prefetch-off", "warning", "Priorities or a queue policy, which stop prefetching",
             f"{_SLOTS}; {_QUEUE}", _prefetch, since=PREFETCH_OFF),
    LintRule("preferred-size-freezes", "warning", "Preferred sizes below the maximum, no delay",
             BATCHER, _freezes),
    LintRule("preferred-size-one-more", "warning", "Preferred sizes below the maximum, with delay",
             BATCHER, _one_more),
    LintRule("delay-long", "warning", "A queue delay above 100 ms", f"{_GUIDE}, Delayed Batching",
             _waits),
    LintRule("delay-for-ever", "warning", "Late requests are put off without an end", _QUEUE,
             _for_ever),
    LintRule("priority-policy-unused", "warning", "Queue policies without priority levels",
             f"{_GUIDE}, Queue Policy", _unused_policy),
    LintRule("priority-starves", "info", "Strict priorities", f"{_GUIDE}, Priority Levels",
             _starving),
    LintRule("ordering-decoupled", "warning", "preserve_ordering of a decoupled model",
             f"{CORE}/dynamic_batch_scheduler.cc, DynamicBatchScheduler::FinalizeResponses",
             _ordering),
    LintRule("ordering-is-no-session", "info", "preserve_ordering is not the sequence batcher",
             f"{_GUIDE}, Preserve Ordering", _is_no_session),
)  # fmt: skip
