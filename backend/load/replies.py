"""Replies decoded into tensors, after the clock has stopped."""

from __future__ import annotations

import struct

import pyarrow as pa
from tritonclient.grpc import service_pb2

from backend.contracts.replies_table import REQUEST_ID, replies_schema
from backend.load.interface import ModelInterface
from backend.load.sent import Sent


def decode(sent: Sent, model: ModelInterface) -> pa.Table:
    """The replies table of a trial: one row per planned request, null where no reply came.

    Raises:
        InputError: if the model's outputs repeat a name.
    """
    schema = replies_schema(model.outputs)
    columns: dict[str, list[bytes | None]] = {name: [] for name in model.outputs}
    for outcome, reply in zip(sent.outcomes, sent.replies, strict=True):
        tensors = tensors_of(reply) if outcome == "ok" and reply is not None else {}
        for name, column in columns.items():
            column.append(tensors.get(name))
    return pa.table({REQUEST_ID: list(sent.request_ids), **columns}, schema=schema)


def tensors_of(reply: bytes) -> dict[str, bytes]:
    """The raw tensors of one ``ModelStreamInferResponse`` by output name."""
    response = service_pb2.ModelStreamInferResponse.FromString(reply).infer_response
    names = (output.name for output in response.outputs)
    return dict(zip(names, response.raw_output_contents, strict=True))


def text_element(tensor: bytes | None) -> str | None:
    """The first element of a BYTES tensor (32-bit length, then the text); null without one."""
    if tensor is None or len(tensor) < 4:
        return None
    (length,) = struct.unpack_from("<I", tensor)
    return tensor[4 : 4 + length].decode("utf-8", errors="replace")
