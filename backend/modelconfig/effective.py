"""What Triton makes of a configuration, and whether the server holds what was meant."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from google.protobuf import json_format
from tritonclient.grpc import model_config_pb2

from backend.contracts.errors import ServerFailed
from backend.modelconfig.compare import Difference, differences

DEFAULT_IDLE_MICROSECONDS: Final = 1_000_000
_MODEL_FILES: Final = {"python": "model.py"}


def effective(config: Any) -> Any:
    """A configuration with what Triton fills in when it loads it.

    Source: core, ``model_config_utils.cc``, ``NormalizeModelConfig`` and its companion for instance
    groups; seen on release 24.10.
    """
    full = model_config_pb2.ModelConfig()
    full.CopyFrom(config)
    if not full.HasField("version_policy"):
        full.version_policy.latest.num_versions = 1
    if not full.HasField("optimization"):
        full.optimization.SetInParent()
    for pinned in (full.optimization.input_pinned_memory, full.optimization.output_pinned_memory):
        pinned.enable = True
    for sizes in _preferred(full):
        if not sizes and full.max_batch_size > 0:
            sizes.append(full.max_batch_size)
    if full.HasField("sequence_batching"):
        batching = full.sequence_batching
        if not batching.max_sequence_idle_microseconds:
            batching.max_sequence_idle_microseconds = DEFAULT_IDLE_MICROSECONDS
    for index, group in enumerate(full.instance_group):
        group.name = group.name or f"{full.name}_{index}"
        group.count = group.count or 1
    if not full.default_model_filename:
        full.default_model_filename = _MODEL_FILES.get(full.backend, "")
    return full


def same_effect(
    intended: Any, read_back: str | bytes | Mapping[str, Any]
) -> tuple[Difference, ...]:
    """What the server's effective configuration has otherwise than was meant; empty if nothing.

    Args:
        intended: The ``ModelConfig`` that was loaded.
        read_back: The answer to ``GET /v2/models/<name>/config``, as text or decoded.

    Raises:
        ServerFailed: if the answer is no model configuration.
    """
    return differences(effective(intended), read_effective(read_back))


def read_effective(read_back: str | bytes | Mapping[str, Any]) -> Any:
    """The server's answer as a ``ModelConfig``.

    Fields that our protocol definition does not know are left out: a server of a later release adds
    its own, and none of them can have been meant.

    Raises:
        ServerFailed: if the answer is no model configuration.
    """
    try:
        data = json.loads(read_back) if isinstance(read_back, str | bytes) else dict(read_back)
        return json_format.ParseDict(
            data, model_config_pb2.ModelConfig(), ignore_unknown_fields=True
        )
    except (ValueError, TypeError, json_format.ParseError) as error:
        raise ServerFailed(
            "The server's answer is not a model configuration.",
            why=str(error)[:500],
            next_step="Check that the address is a Triton server's.",
        ) from error


def _preferred(config: Any) -> list[Any]:
    """The lists of preferred batch sizes that a configuration has."""
    found = []
    if config.HasField("dynamic_batching"):
        found.append(config.dynamic_batching.preferred_batch_size)
    if config.HasField("sequence_batching") and config.sequence_batching.HasField("oldest"):
        found.append(config.sequence_batching.oldest.preferred_batch_size)
    return found
