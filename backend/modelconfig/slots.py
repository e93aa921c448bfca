"""How many executions and sessions a configuration holds at once.

Source: core, ``model_config_utils.cc`` (``NormalizeInstanceGroup``, ``SetDefaultInstanceCount``)
and ``sequence_batch_scheduler.cc``, where the slots of each instance are made.
"""

from __future__ import annotations

from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.backends import backend_of

_TWO_ON_CPU: Final = ("onnxruntime", "tensorflow")
_Group = model_config_pb2.ModelInstanceGroup


def default_count(config: Any, group: Any, backend: str = "", gpus: bool | None = None) -> int:
    """Instances of a group that names no count: 1, or 2 on the CPU for two backends.

    Args:
        config: The configuration.
        group: The group.
        backend: The backend, where the file itself names none.
        gpus: Whether the machine has a GPU: on one without, Triton places on the CPU what names no
            kind. Where that is not known, as if it had one.
    """
    on_cpu = group.kind == _Group.KIND_CPU or (group.kind == _Group.KIND_AUTO and gpus is False)
    return 2 if on_cpu and (backend_of(config) or backend) in _TWO_ON_CPU else 1


def instances(config: Any, backend: str = "", gpus: bool | None = None) -> int:
    """Instances of a configuration, on one GPU where a group runs on GPUs and names none.

    Arguments as for ``default_count``.
    """
    counts = [
        group_count(config, group, backend, gpus) * max(1, len(group.gpus))
        for group in config.instance_group
    ]
    return sum(counts) or default_count(config, _Group(), backend, gpus)


def group_count(config: Any, group: Any, backend: str = "", gpus: bool | None = None) -> int:
    """Instances of one group on one device; a count below 0 counts as not set (24.10)."""
    return int(group.count) if group.count > 0 else default_count(config, group, backend, gpus)


def slots_per_instance(config: Any) -> int:
    """Sessions that one instance serves at once under the sequence batcher."""
    candidates = 0
    if config.sequence_batching.HasField("oldest"):
        candidates = int(config.sequence_batching.oldest.max_candidate_sequences)
    return slots_of(int(config.max_batch_size), candidates)


def slots_of(max_batch_size: int, max_candidate_sequences: int = 0) -> int:
    """Slots of one instance; under direct, and where oldest sets no number, those of a batch."""
    return max_candidate_sequences if max_candidate_sequences > 0 else max(1, max_batch_size)
