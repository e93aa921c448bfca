"""Requests as finished protobuf bytes, made before the clock starts.

Source of the form: ``ModelInferRequest`` of the inference protocol (``grpc_service.proto``) and
Triton's sequence extension, whose correlation ID travels in the request parameter ``sequence_id``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tritonclient.grpc import service_pb2

from backend.contracts.errors import InputError
from backend.load.interface import ModelInterface

UINT64_END: Final = 2**64
INT64_END: Final = 2**63


def request_bytes(
    model: ModelInterface,
    tensor: bytes,
    *,
    request_id: str,
    correlation_id: str | None,
    correlation_id_type: str | None,
    is_start: bool,
    is_end: bool,
) -> bytes:
    """One ``ModelInferRequest``; sequence parameters only where there is a correlation ID.

    Raises:
        InputError: if a uint64 correlation ID is not a number from 1 to 2^64 - 1.
    """
    request = service_pb2.ModelInferRequest(model_name=model.model_name, id=request_id)
    item = request.inputs.add(name=model.input_name, datatype=model.data_type)
    item.shape.extend(model.shape)
    request.raw_input_contents.append(tensor)
    for name in model.outputs:
        request.outputs.add(name=name)
    if correlation_id is not None:
        parameter = request.parameters["sequence_id"]
        if correlation_id_type == "string":
            parameter.string_param = correlation_id
        else:
            parameter.int64_param = _as_int64(correlation_id, request_id)
        request.parameters["sequence_start"].bool_param = is_start
        request.parameters["sequence_end"].bool_param = is_end
    content: bytes = request.SerializeToString()
    return content


def planned_requests(
    model: ModelInterface, rows: Sequence[dict[str, object]], tensors: Sequence[bytes]
) -> list[bytes]:
    """The bytes of every row of a plan, in its order.

    Raises:
        InputError: if a correlation ID does not fit its type.
    """
    return [
        request_bytes(
            model,
            tensor,
            request_id=str(row["request_id"]),
            correlation_id=None if row["correlation_id"] is None else str(row["correlation_id"]),
            correlation_id_type=str(row["correlation_id_type"]),
            is_start=bool(row["is_start"]),
            is_end=bool(row["is_end"]),
        )
        for row, tensor in zip(rows, tensors, strict=True)
    ]


def _as_int64(text: str, request_id: str) -> int:
    """A uint64 as the signed number of the same 64 bits: the protocol has no unsigned parameter."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < UINT64_END):
        raise InputError(
            f"Request {request_id} has the correlation ID '{text}', which is not a whole number "
            "from 1 to 18446744073709551615.",
            next_step="Choose string as the correlation ID's type, or use numbers.",
        )
    number = int(text)
    return number - UINT64_END if number >= INT64_END else number
