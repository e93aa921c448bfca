"""A candidate: one complete way to serve a class's model, before it becomes a ``config.pbtxt``."""

from __future__ import annotations

from typing import Literal

from backend.contracts.values import Value
from backend.workload.answers import IdType
from backend.workload.study import CandidateName

InstanceKind = Literal["KIND_CPU", "KIND_GPU"]


class Candidate(Value):
    """All values that decide the file; ``reasons`` says per field why it has its value.

    Times are microseconds. ``preferred_batch_sizes`` empty means Triton's default (max_batch_size).
    A field that the scheduler does not have is null.
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
    reasons: dict[str, str] = {}

    @property
    def is_sequence(self) -> bool:
        """Whether the sequence batcher serves it."""
        return self.name in ("sequence-direct", "sequence-oldest")

    @property
    def slots_per_instance(self) -> int | None:
        """Sequences that one instance serves at once; null without the sequence batcher.

        Source: core, ``sequence_batch_scheduler.cc``, where the slots of each instance are made.
        """
        if self.name == "sequence-direct":
            return max(1, self.max_batch_size)
        if self.name == "sequence-oldest":
            return self.max_candidate_sequences or max(1, self.max_batch_size)
        return None

    @property
    def slots(self) -> int | None:
        """Sequences that all instances serve at once; one more has to wait in the backlog."""
        per_instance = self.slots_per_instance
        return None if per_instance is None else per_instance * self.instances
