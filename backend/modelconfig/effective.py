"""Whether a server holds what was meant: its effective configuration, read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf import json_format
from tritonclient.grpc import model_config_pb2

from backend.contracts.errors import ServerFailed
from backend.modelconfig.compare import Difference, field_differences
from backend.modelconfig.defaults import effective

__all__ = ["effective", "read_effective", "same_effect"]


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
    return field_differences(effective(intended), read_effective(read_back))


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
