"""How much memory the data takes that Triton makes while it loads a model."""

from __future__ import annotations

from typing import Final

from tritonclient.grpc import model_config_pb2

MOST_BYTES: Final = 2**40
"""No server has it for one tensor; 24.10 does not check what it gets, and ends."""

_SIZES: Final = {
    "TYPE_BOOL": 1, "TYPE_UINT8": 1, "TYPE_UINT16": 2, "TYPE_UINT32": 4, "TYPE_UINT64": 8,
    "TYPE_INT8": 1, "TYPE_INT16": 2, "TYPE_INT32": 4, "TYPE_INT64": 8, "TYPE_FP16": 2,
    "TYPE_FP32": 4, "TYPE_FP64": 8, "TYPE_BF16": 2,
    # an empty text is its length alone
    "TYPE_STRING": 4,
}  # fmt: skip


def byte_size(data_type: int) -> int | None:
    """Bytes of one value as Triton counts them for data it makes; null where it has no type."""
    if data_type not in model_config_pb2.DataType.values():
        return None
    return _SIZES.get(model_config_pb2.DataType.Name(data_type))
