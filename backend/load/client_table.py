"""The requests table as the client alone can fill it; what only the server knows stays null."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.contracts.errors import InputError
from backend.contracts.requests_table import SCHEMA
from backend.load.interface import ModelInterface
from backend.load.replies import text_element
from backend.load.sent import NEVER, Sent
from backend.sessions.plan import Plan

TRANSPORT: Final = "grpc_stream"
FROM_PLAN: Final = (
    "request_id",
    "correlation_id",
    "correlation_id_type",
    "session",
    "step",
    "session_length",
    "length_group",
    "is_start",
    "is_end",
)


def requests_table(
    sent: Sent,
    plan: Plan,
    *,
    trial: int,
    candidate: str,
    repeat: int,
    replies: pa.Table | None = None,
    model: ModelInterface | None = None,
) -> pa.Table:
    """One row per planned request, all columns of the schema, in the plan's order.

    Columns from the server's trace are null until ``join_trace`` fills them, expectations until an
    oracle does; ``verdict`` is ``unjudged``.

    Args:
        sent: What became of the plan's requests.
        plan: The plan that was sent.
        trial: Number of the trial in its run.
        candidate: Name of the candidate.
        repeat: The round.
        replies: The decoded replies; with ``model`` they tell the instance, where it says so.
        model: The interface that names the output with the instance.

    Raises:
        InputError: if ``sent`` is not what became of this plan.
    """
    if list(sent.request_ids) != plan.table.column("request_id").to_pylist():
        raise InputError("The record of a sending does not belong to this plan.")
    rows = len(sent.request_ids)
    columns: dict[str, object] = {
        "trial": np.full(rows, trial, dtype=np.int32),
        "request_type": [plan.request_type] * rows,
        "candidate": [candidate] * rows,
        "cell": [plan.cell] * rows,
        "repeat": np.full(rows, repeat, dtype=np.int32),
        "transport": [TRANSPORT] * rows,
        "scheduled_ns": _nullable(sent.scheduled_ns),
        "sent_ns": _nullable(sent.sent_ns),
        "received_ns": _nullable(sent.received_ns),
        "outcome": list(sent.outcomes),
        "error": list(sent.errors),
        "verdict": ["unjudged"] * rows,
    }
    if replies is not None and model is not None and model.instance_output is not None:
        tensors = replies.column(model.instance_output).to_pylist()
        columns["instance"] = [text_element(tensor) for tensor in tensors]
    for name in FROM_PLAN:
        columns[name] = plan.table.column(name)
    arrays = [
        pa.chunked_array(columns[name]).cast(field.type)
        if isinstance(columns.get(name), pa.ChunkedArray)
        else pa.array(columns.get(name, [None] * rows), type=field.type)
        for name, field in zip(SCHEMA.names, SCHEMA, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def _nullable(times_ns: NDArray[np.int64]) -> pa.Array:
    return pa.array(times_ns, mask=times_ns == NEVER)
