"""A candidate: one complete way to serve a class's model, before it becomes a ``config.pbtxt``."""

from __future__ import annotations

from typing import Literal

from backend.contracts.values import Value
from backend.modelconfig.slots import slots_of
from backend.workload.answers import IdType
from backend.workload.declared_model import DeclaredState
from backend.workload.study import CandidateName

InstanceKind = Literal["KIND_CPU", "KIND_GPU", "KIND_MODEL"]
ControlKind = Literal["START", "END", "READY", "CORRID"]
FlagType = Literal["INT32", "FP32", "BOOL"]
IdDataType = Literal["UINT64", "INT64", "UINT32", "INT32", "STRING"]


class ControlInput(Value):
    """A tensor that Triton adds to each request of a sequence: one kind, under one name."""

    name: str
    kind: ControlKind
    data_type: FlagType | IdDataType


class QueuePolicy(Value):
    """What happens to requests that wait too long or are too many; 0 stands for no limit."""

    timeout_action: Literal["REJECT", "DELAY"] = "REJECT"
    default_timeout_microseconds: int = 0
    max_queue_size: int = 0


class Candidate(Value):
    """All values that decide the file; ``reasons`` says per field why it has its value.

    Times are microseconds. ``preferred_batch_sizes`` empty means Triton's default (max_batch_size).
    A field that the scheduler does not have is null. ``controls`` null means those that the
    strategy needs.
    """

    name: CandidateName
    model_name: str
    template: str
    parameters: dict[str, int | float | str] = {}
    instances: int
    instance_kind: InstanceKind = "KIND_CPU"
    max_batch_size: int
    preferred_batch_sizes: tuple[int, ...] = ()
    max_queue_delay_microseconds: int | None = None
    max_candidate_sequences: int | None = None
    max_sequence_idle_microseconds: int | None = None
    minimum_slot_utilization: float | None = None
    correlation_id_type: IdType = "uint64"
    controls: tuple[ControlInput, ...] | None = None
    states: tuple[DeclaredState, ...] = ()
    """Under the sequence batcher Triton keeps them; else clients send and get them."""
    ragged_inputs: tuple[str, ...] = ()
    optional_inputs: tuple[str, ...] = ()
    queue_policy: QueuePolicy | None = None
    priority_levels: int = 0
    default_priority_level: int = 0
    preserve_ordering: bool = False
    versions_served: int = 1
    """The newest so many versions are served."""
    warm_up_batch_sizes: tuple[int, ...] = ()
    decoupled: bool = False
    reasons: dict[str, str] = {}

    @property
    def is_sequence(self) -> bool:
        """Whether the sequence batcher serves it."""
        return self.name in ("sequence-direct", "sequence-oldest")

    @property
    def slots_per_instance(self) -> int | None:
        """Sequences that one instance serves at once; null without the sequence batcher."""
        if self.name == "sequence-direct":
            return slots_of(self.max_batch_size)
        if self.name == "sequence-oldest":
            return slots_of(self.max_batch_size, self.max_candidate_sequences or 0)
        return None

    @property
    def slots(self) -> int | None:
        """Sequences that all instances serve at once; one more has to wait in the backlog."""
        per_instance = self.slots_per_instance
        return None if per_instance is None else per_instance * self.instances
