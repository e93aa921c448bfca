"""A rule of the advice: when it holds, what follows, why, and where that is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from backend.contracts.values import Value
from backend.workload.study import CandidateName

Conclusion = Literal[
    "stateful",
    "treat as stateful",
    "stateless",
    "sequence-direct",
    "sequence-oldest",
    "no-batching",
    "note",
    "risk",
]

_GUIDE: Final = "Triton user guide, docs/user_guide/architecture.md"
_CORE: Final = "Triton core, src"

GUIDE_STATELESS: Final = f"{_GUIDE}, Stateless Models"
GUIDE_STATEFUL: Final = f"{_GUIDE}, Stateful Models"
GUIDE_CONTROL: Final = f"{_GUIDE}, Control Inputs"
GUIDE_IMPLICIT: Final = f"{_GUIDE}, Implicit State Management"
GUIDE_DIRECT: Final = f"{_GUIDE}, Scheduling Strategies: Direct"
GUIDE_OLDEST: Final = f"{_GUIDE}, Scheduling Strategies: Oldest"
GUIDE_CANCEL: Final = "Triton user guide, docs/user_guide/request_cancellation.md"
GUIDE_RAGGED: Final = "Triton user guide, docs/user_guide/ragged_batching.md"
GUIDE_BATCHER: Final = "Triton user guide, docs/user_guide/batcher.md"
GUIDE_DECOUPLED: Final = "Triton user guide, docs/user_guide/decoupled_models.md"
CORE_ENQUEUE: Final = (
    f"{_CORE}/sequence_batch_scheduler/sequence_batch_scheduler.cc, SequenceBatchScheduler::Enqueue"
)
CORE_REAPER: Final = (
    f"{_CORE}/sequence_batch_scheduler/sequence_batch_scheduler.cc, "
    "SequenceBatchScheduler::ReaperThread"
)
CORE_DIRECT: Final = (
    f"{_CORE}/sequence_batch_scheduler/sequence_batch_scheduler.cc, "
    "DirectSequenceBatch::BatcherThread"
)
CORE_OLDEST: Final = (
    f"{_CORE}/sequence_batch_scheduler/sequence_batch_scheduler.cc, "
    "OldestSequenceBatch::CompleteAndNext"
)
CORE_CONTROLS: Final = (
    f"{_CORE}/sequence_batch_scheduler/sequence_batch_scheduler.cc, "
    "SequenceBatch::SetControlTensors"
)
CORE_DYNAMIC: Final = f"{_CORE}/dynamic_batch_scheduler.cc, DynamicBatchScheduler::GetDynamicBatch"
CORE_DEFAULT: Final = f"{_CORE}/backend_model.cc, TritonModel::SetConfiguredScheduler"
CORE_SHAPES: Final = f"{_CORE}/scheduler_utils.cc, RequiredEqualInputs::HasEqualInputs"
CORE_PREFETCH: Final = f"{_CORE}/rate_limiter.cc, RateLimiter::PayloadSlotAvailable"
OWN_CAUTION: Final = "A rule of caution of this console: unknown is not the same as safe"

ALWAYS: Final = "every release in use"


class Condition(Value):
    """A fact (most often an answer) that must have one of these values."""

    fact: str
    values: tuple[str, ...]


class Rule(Value):
    """Holds when all its conditions hold.

    ``doubt``: while it holds, the proposal is a careful one; ``measure``: the dynamic batcher may
    be reconsidered, by measuring alone; ``unsettles``: what cannot be relied upon.
    """

    id: str
    when: tuple[Condition, ...]
    conclusion: Conclusion
    says: str
    why: str
    source: str
    since: str = ALWAYS
    candidate: CandidateName | None = None
    doubt: bool = False
    measure: bool = False
    unsettles: Literal["", "relation", "state"] = ""

    def holds(self, facts: Mapping[str, str]) -> bool:
        """Whether the facts meet every condition."""
        return all_hold(self.when, facts)


def all_hold(conditions: tuple[Condition, ...], facts: Mapping[str, str]) -> bool:
    """Whether the facts meet every condition; a fact that is not there is empty."""
    return all(facts.get(item.fact, "") in item.values for item in conditions)


def when(**facts: str | tuple[str, ...]) -> tuple[Condition, ...]:
    """Conditions by fact: one value, or several of which one must hold."""
    return tuple(
        Condition(fact=fact, values=(values,) if isinstance(values, str) else values)
        for fact, values in facts.items()
    )
