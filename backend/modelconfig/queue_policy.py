"""Queue policy and priorities of the dynamic batcher: only what the demand or the study asks for.

Each of them turns off the preparation of batches ahead, which costs more than it seems: see
``_PRICE``. Source: core, ``scheduler_utils.cc`` (``PriorityQueue``), ``rate_limiter.cc``
(``PayloadSlotAvailable``); the figures were measured on release 24.10.
"""

from __future__ import annotations

import math
from typing import Any, Final, Literal

from backend.contracts.errors import InputError
from backend.contracts.values import Value
from backend.modelconfig.candidate import QueuePolicy
from backend.modelconfig.lint.release import Release
from backend.workload.demand import Demand
from backend.workload.study import CandidateChoice

PREFETCH_OFF: Final = Release(23, 8)
"""From here on a policy or priorities stop the preparation of batches ahead."""
ORDER_LOST: Final = (Release(25, 9), Release(26, 7))
"""Releases that ignore preserve_ordering."""
LEAK: Final = (Release(23, 8), Release(26, 7))
"""Releases in which a policy together with a queue delay wears an instance count down."""

SLEEPS_SINCE: Final = Release(23, 12)
"""From here on the batcher looks at a queue without a free instance every 500 ms."""
TIMEOUTS_SEEN_SINCE: Final = Release(24, 3)
"""From here on requests whose time is up are refused while every instance is busy."""

_PRICE: Final = "The price: Triton no longer prepares a batch while instances are busy"
_SLEEPS: Final = (
    "a handover may wait up to 500 ms until the next request arrives (on 24.10 18 to 41 % of them "
    "with one instance, 2 % with two)"
)
_WATCH: Final = "Watch the queue time at p99 and whether instances stand idle while requests wait."


class Queueing(Value):
    """Policy, priorities and ordering of a dynamic candidate; reasons by the candidate's field."""

    policy: QueuePolicy | None = None
    priority_levels: int = 0
    default_priority_level: int = 0
    preserve_ordering: bool = False
    reasons: dict[str, str] = {}
    not_proposed: str = ""
    """What the demand says and yet is left out, and why."""


def queueing(
    choice: CandidateChoice,
    demand: Demand,
    *,
    instances: int,
    max_batch_size: int,
    release: Release,
) -> Queueing:
    """What a dynamic candidate's queue does with requests that are late, many or urgent.

    Args:
        choice: The study's own values, which outweigh the demand.
        demand: Deadline, what is wanted for late requests, kinds of callers.
        instances: Model instances, which share the queue.
        max_batch_size: Requests in one execution at most.
        release: The release that is to load it.

    Raises:
        InputError: if the study's values exclude each other.
    """
    reasons: dict[str, str] = {}
    policy, left_out = _policy(choice, demand, instances, max_batch_size, release, reasons)
    levels, default = _priorities(choice, demand, reasons)
    ordering = bool(choice.preserve_ordering)
    if ordering:
        reasons["preserve_ordering"] = "Set by the study. " + ordering_meaning(release)
        _ordering_fits(policy, levels)
    if policy is not None or levels:
        price = f"{_PRICE}, and {_SLEEPS}. {_WATCH}"
        if release < SLEEPS_SINCE:
            price = f"{_PRICE}. {_WATCH}"
        if _within(release, LEAK) and choice.max_queue_delay_microseconds:
            price += (
                " Together with a queue delay, instances drop out one by one under load until a "
                f"reload (releases {LEAK[0]} to {LEAK[1]}): take the delay or the policy, not both."
            )
        first = "queue_policy" if policy is not None else "priority_levels"
        if release >= PREFETCH_OFF:
            reasons[first] += f" {price}"
    return Queueing(
        policy=policy,
        priority_levels=levels,
        default_priority_level=default,
        preserve_ordering=ordering,
        reasons=reasons,
        not_proposed=left_out,
    )


def ordering_meaning(release: Release) -> str:
    """What preserve_ordering does on a release."""
    first, last = ORDER_LOST
    if first <= release <= last:
        return (
            f"On release {release} it keeps no order ({first} to {last} do not): do not rely on it."
        )
    return (
        "Replies leave in the order in which requests were taken from the queue; a slow batch "
        "holds back the replies of faster ones."
    )


def sequence_has_none(demand: Demand) -> str:
    """What to say beside a sequence candidate where the demand asks for a policy; else empty."""
    asked = []
    if demand.deadline_ms is not None and demand.when_late in ("refuse", "serve_anyway"):
        asked.append(f"a deadline of {demand.deadline_ms:g} ms")
    if demand.priority_levels > 1:
        asked.append(f"{demand.priority_levels} kinds of callers")
    if not asked:
        return ""
    return (
        f"The demand names {' and '.join(asked)}, but the sequence batcher has no queue policy and "
        "no priorities: only a request's own timeout ends its wait for a slot."
    )


def _policy(
    choice: CandidateChoice,
    demand: Demand,
    instances: int,
    max_batch_size: int,
    release: Release,
    reasons: dict[str, str],
) -> tuple[QueuePolicy | None, str]:
    left_out = _left_out(demand)
    wanted = demand.deadline_ms is not None and not left_out
    timeout, why_timeout = 0, ""
    if choice.queue_timeout_microseconds is not None:
        timeout = choice.queue_timeout_microseconds
        why_timeout = "The timeout is set by the study."
    elif wanted and demand.deadline_ms is not None:
        timeout, why_timeout = _timeout(demand.deadline_ms, demand.execution_ms)
    action: Literal["REJECT", "DELAY"] = choice.timeout_action or (
        "DELAY" if demand.when_late == "serve_anyway" else "REJECT"
    )
    size, why_size = 0, ""
    if choice.max_queue_size is not None:
        size, why_size = choice.max_queue_size, "max_queue_size is set by the study."
    elif timeout and action == "REJECT" and wanted and demand.execution_ms is not None:
        executions = max(1, math.floor(timeout / 1000 / demand.execution_ms))
        each = max(1, max_batch_size)
        size = executions * instances * each
        why_size = (
            f"In {timeout / 1000:g} ms {_counted(instances, 'instance')} of up to {each} requests "
            f"of {demand.execution_ms:g} ms serve at most {size}: one that finds more waiting "
            "cannot make it and is refused at once, while an expired one may be answered "
            + (
                "up to a second late."
                if release >= TIMEOUTS_SEEN_SINCE
                else "only when an instance is free."
            )
        )
    if choice.timeout_action is not None and not timeout:
        raise InputError(
            f"timeout_action {choice.timeout_action} is set, but no timeout.",
            why="Without one no request ever expires in the queue.",
            next_step="Set queue_timeout_microseconds, or state a deadline and what is wanted for "
            "late requests.",
            key="timeout_action",
        )
    if not timeout and not size:
        return None, left_out
    parts = [why_timeout, _action_meaning(action) if timeout else "", why_size]
    reasons["queue_policy"] = " ".join(part for part in parts if part)
    return (
        QueuePolicy(
            timeout_action=action, default_timeout_microseconds=timeout, max_queue_size=size
        ),
        left_out,
    )


def _left_out(demand: Demand) -> str:
    """Why a stated deadline gives no policy; empty where it does, or none is stated."""
    if demand.deadline_ms is None:
        return ""
    deadline = f"A deadline of {demand.deadline_ms:g} ms is stated"
    if demand.when_late == "unknown":
        return (
            f"{deadline}, but not what is wanted for requests that miss it: no queue policy is "
            "set, late requests are served."
        )
    if demand.execution_ms is not None and demand.execution_ms >= demand.deadline_ms:
        return (
            f"{deadline}, but an execution takes {demand.execution_ms:g} ms: no request can meet "
            "it, with or without a queue. No queue policy is set; make the model faster first."
        )
    return ""


def _timeout(deadline_ms: float, execution_ms: float | None) -> tuple[int, str]:
    if execution_ms is None:
        return math.ceil(deadline_ms * 1000), (
            f"The whole deadline of {deadline_ms:g} ms: how long an execution takes is not stated, "
            "so a request may still be late that leaves the queue in time."
        )
    left = deadline_ms - execution_ms
    return max(1, math.floor(left * 1000)), (
        f"The deadline of {deadline_ms:g} ms less the {execution_ms:g} ms of an execution: who "
        f"still waits after {left:g} ms is late already."
    )


def _action_meaning(action: str) -> str:
    if action == "REJECT":
        return "REJECT, as late replies are not wanted: an expired request gets an error."
    return (
        "DELAY, as late requests are still to be served: an expired one goes behind those that are "
        "in time, and may wait without end while they keep coming."
    )


def _priorities(
    choice: CandidateChoice, demand: Demand, reasons: dict[str, str]
) -> tuple[int, int]:
    own = choice.priority_levels
    levels = demand.priority_levels if own is None else own
    if own is None and levels == 1:
        levels = 0  # one level is none, yet Triton would pay the price of priorities
    default = choice.default_priority_level or levels
    if choice.default_priority_level is not None and not 1 <= default <= levels:
        raise InputError(
            f"default_priority_level is {default}, with {_counted(levels, 'priority level')}.",
            next_step=f"Set it between 1 and {levels}."
            if levels
            else "Set priority_levels as well, or leave it out.",
            key="default_priority_level",
        )
    if not levels:
        return 0, 0
    source = "Set by the study." if own is not None else "As many kinds of callers as stated."
    reasons["priority_levels"] = (
        f"{source} Level 1 goes first, always: lower levels wait while a higher one has requests, "
        "if need be without end. A batch may mix levels."
    )
    last = " the last, so that nobody overtakes who does not ask to" if default == levels else ""
    reasons["default_priority_level"] = f"A request that names no level gets {default},{last}."
    if not last:
        reasons["default_priority_level"] = f"A request that names no level gets {default}."
    return levels, default


def _ordering_fits(policy: QueuePolicy | None, levels: int) -> None:
    """Source: core, ``model_config_utils.cc``, ``ValidateModelConfig``."""
    if levels > 1:
        raise InputError(
            f"preserve_ordering and {levels} priority levels exclude each other.",
            why="With priorities requests overtake on purpose; Triton refuses the file.",
            next_step="Set preserve_ordering to false, or priority_levels to 0.",
            key="preserve_ordering",
        )
    if policy is not None and policy.timeout_action == "DELAY":
        raise InputError(
            "preserve_ordering and timeout_action DELAY exclude each other.",
            why="A delayed request is overtaken on purpose; Triton refuses the file.",
            next_step="Set preserve_ordering to false, or timeout_action to REJECT.",
            key="preserve_ordering",
        )


def no_prefetch(section: Any) -> str:
    """The path, below dynamic_batching, of what turns prefetching off; empty where it stays on."""
    if section.priority_levels:
        return "priority_levels"
    policy = section.default_queue_policy
    for field in ("max_queue_size", "default_timeout_microseconds", "allow_timeout_override"):
        if getattr(policy, field):
            return f"default_queue_policy.{field}"
    return ""


def _within(release: Release, span: tuple[Release, Release]) -> bool:
    return span[0] <= release <= span[1]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
