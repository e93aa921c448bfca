"""What Triton fills in when it loads a configuration, and what makes no difference to it."""

from __future__ import annotations

from typing import Any

from tritonclient.grpc import model_config_pb2

from backend.contracts.triton_defaults import DEFAULT_IDLE_MICROSECONDS
from backend.modelconfig.backends import BACKEND_OF, MODEL_FILES, PLATFORM_OF
from backend.modelconfig.slots import group_count, slots_per_instance


def effective(config: Any) -> Any:
    """A configuration with what Triton fills in when it loads it.

    Source: core, ``model_config_utils.cc``, ``NormalizeModelConfig``, ``NormalizeInstanceGroup``
    and ``AutoCompleteBackendFields``; for Python models seen on release 24.10.
    """
    full = model_config_pb2.ModelConfig()
    full.CopyFrom(config)
    if not full.HasField("version_policy"):
        full.version_policy.latest.num_versions = 1
    if not full.HasField("optimization"):
        full.optimization.SetInParent()
    for side in ("input_pinned_memory", "output_pinned_memory"):
        if not full.optimization.HasField(side):
            getattr(full.optimization, side).enable = True
    for sizes in _preferred(full):
        if not sizes and full.max_batch_size > 0:
            sizes.append(full.max_batch_size)
    if full.HasField("sequence_batching"):
        batching = full.sequence_batching
        if not batching.max_sequence_idle_microseconds:
            batching.max_sequence_idle_microseconds = DEFAULT_IDLE_MICROSECONDS
    full.backend = full.backend or BACKEND_OF.get(full.platform, "")
    full.platform = full.platform or PLATFORM_OF.get(full.backend, "")
    for index, group in enumerate(full.instance_group):
        group.name = group.name or f"{full.name}_{index}"
        group.count = group_count(full, group)
    if not full.default_model_filename:
        full.default_model_filename = MODEL_FILES.get(full.backend, "")
    return full


def same_meaning(config: Any) -> Any:
    """A configuration in the one form that all of the same meaning share, for comparing.

    Beyond ``effective``: an absent instance group or strategy stands for its default, a section
    that sets nothing is left out, names that Triton would give are left out.
    """
    full = effective(config)
    if not full.HasField("ensemble_scheduling"):
        _groups(full)
    if full.HasField("sequence_batching"):
        batching = full.sequence_batching
        if batching.WhichOneof("strategy_choice") is None:
            batching.direct.SetInParent()
        if batching.HasField("oldest"):
            batching.oldest.max_candidate_sequences = slots_per_instance(full)
    for sample in full.model_warmup:
        sample.count = sample.count or 1
    _without_empty(full)
    return full


def _groups(full: Any) -> None:
    if not full.instance_group:
        full.instance_group.add(count=1)
    given = {full.name, *(f"{full.name}_{index}" for index in range(len(full.instance_group)))}
    for group in full.instance_group:
        if group.name in given:
            group.ClearField("name")


def _without_empty(full: Any) -> None:
    """Sections whose every value is the default do what an absent one does."""
    for holder, field in (
        (full, "response_cache"),
        (full, "model_transaction_policy"),
        (full, "model_operations"),
        (full, "model_repository_agents"),
        (full, "model_metrics"),
        (full.optimization, "graph"),
        (full.optimization, "cuda"),
        (full.optimization, "execution_accelerators"),
        (full.dynamic_batching, "default_queue_policy"),
    ):
        if holder.HasField(field) and not getattr(holder, field).ListFields():
            holder.ClearField(field)


def _preferred(config: Any) -> list[Any]:
    """The lists of preferred batch sizes that a configuration has."""
    found = []
    if config.HasField("dynamic_batching"):
        found.append(config.dynamic_batching.preferred_batch_size)
    if config.HasField("sequence_batching") and config.sequence_batching.HasField("oldest"):
        found.append(config.sequence_batching.oldest.preferred_batch_size)
    return found
