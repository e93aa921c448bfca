"""What a dynamic_batching section does: batches, waits, queue policy, priorities.

Source: core, ``dynamic_batch_scheduler.cc`` and ``scheduler_utils.cc`` (``PriorityQueue``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.durations import milliseconds
from backend.modelconfig.lint.release import Release
from backend.modelconfig.queue_delay import waits_for_others
from backend.modelconfig.queue_policy import (
    LEAK,
    PREFETCH_OFF,
    SLEEPS_SINCE,
    TIMEOUTS_SEEN_SINCE,
    no_prefetch,
    ordering_meaning,
)

_DELAY: Final = model_config_pb2.ModelQueuePolicy.DELAY


def explain_dynamic(config: Any, release: Release) -> Iterator[str]:
    """Sentences about a configuration's dynamic batcher."""
    batching = config.dynamic_batching
    if config.max_batch_size < 2:
        yield (
            f"The dynamic batcher, but max_batch_size is {config.max_batch_size}: every request is "
            "executed alone, as soon as an instance is idle."
        )
    else:
        sizes = list(batching.preferred_batch_size) or [config.max_batch_size]
        yield (
            "The dynamic batcher: requests that wait are merged, whichever session they belong to, "
            f"into batches of up to {config.max_batch_size}, and run on any idle instance. "
            "Correlation IDs and START and END flags have no effect here."
        )
        yield from waiting(batching.max_queue_delay_microseconds, sizes, config.max_batch_size)
    yield from _priorities(batching)
    yield from _policies(batching, release)
    if batching.preserve_ordering:
        yield f"preserve_ordering: {_lower(ordering_meaning(release))}"
    yield from _price(batching, release)


def waiting(delay: int, sizes: Sequence[int], ceiling: int) -> Iterator[str]:
    """Sentences about a queue delay and preferred sizes, which oldest has as well."""
    shown = ", ".join(str(size) for size in sizes)
    if ceiling < 2:
        yield "No request waits for others: every one is executed alone."
    elif delay:
        yield (
            f"A request waits up to {milliseconds(delay)} for others, until {shown} have gathered, "
            "even if an instance is idle."
            if waits_for_others(delay, sizes, ceiling)
            else f"The queue delay of {milliseconds(delay)} holds no request back: 1 is among the "
            "preferred batch sizes, so that one that comes alone goes at once."
        )
        if max(sizes) < ceiling:
            yield (
                f"While an instance is busy a batch of {max(sizes)} takes one more request, and "
                f"one that has waited out its delay grows up to {ceiling}."
            )
    else:
        yield "No request waits for others on purpose; batches form while instances are busy."
        if max(sizes) < ceiling or len(sizes) > 1:
            yield (
                f"While an instance is busy, a waiting batch stops growing at {min(sizes)}, the "
                "smallest preferred size it reaches."
            )


def _priorities(batching: Any) -> Iterator[str]:
    levels = batching.priority_levels
    if not levels:
        if batching.priority_queue_policy:
            yield (
                "The policies per level are ignored: priority_levels is 0 and all requests are "
                "alike."
            )
        return
    yield (
        f"Requests have one of {levels} priorities; every one of level 1 goes before any of level "
        f"2, and so on, so that a lower level may wait without end. A request that names no level, "
        f"or one that does not exist, gets level {batching.default_priority_level}."
    )


def _policies(batching: Any, release: Release) -> Iterator[str]:
    default = batching.default_queue_policy
    levels = batching.priority_levels
    own = sorted(batching.priority_queue_policy) if levels else []
    others = not levels or len(own) < levels
    if others and (batching.HasField("default_queue_policy") or own):
        yield from _policy(default, "every other level" if own else "", release)
    for level in own:
        yield from _policy(batching.priority_queue_policy[level], f"level {level}", release)


def _policy(policy: Any, whose: str, release: Release) -> Iterator[str]:
    of = f" of {whose}" if whose else ""
    timeout = policy.default_timeout_microseconds
    if timeout:
        late = (
            "goes behind those that are in time and may wait without end"
            if policy.timeout_action == _DELAY
            else "is refused with an error (UNAVAILABLE)"
        )
        yield f"A request{of} that has waited {milliseconds(timeout)} in the queue {late}."
        if policy.timeout_action != _DELAY:
            yield (
                "While every instance is busy Triton looks at expired requests about every 500 ms, "
                "so their refusal comes up to a second late."
                if release >= TIMEOUTS_SEEN_SINCE
                else "While every instance is busy nobody looks at expired requests: their refusal "
                "comes when an instance is free."
            )
        yield (
            "A request may bring a timeout of its own; it counts only if it is shorter."
            if policy.allow_timeout_override
            else "A timeout that a request brings itself has no effect in the queue."
        )
    elif policy.allow_timeout_override:
        yield (
            f"allow_timeout_override{of} has no effect: without default_timeout_microseconds there "
            "is nothing that a request could shorten."
        )
    if policy.max_queue_size:
        yield (
            f"With {policy.max_queue_size} requests{of} in the queue the next is refused at once "
            "(UNAVAILABLE); such refusals are in no statistic."
        )


def _price(batching: Any, release: Release) -> Iterator[str]:
    """What policies cost beside what they do."""
    if not no_prefetch(batching) or release < PREFETCH_OFF:
        return
    yield (
        "A queue policy or priorities are set: Triton then prepares no batch ahead"
        + (
            ", and a handover may wait up to 500 ms when nothing else arrives (seen on 24.10)."
            if release >= SLEEPS_SINCE
            else "."
        )
    )
    if batching.max_queue_delay_microseconds and LEAK[0] <= release <= LEAK[1]:
        yield (
            f"Together with the queue delay, release {release} loses idle instances under load one "
            "by one: throughput falls until the model is loaded again."
        )


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
