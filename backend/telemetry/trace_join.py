"""Fills the server's columns of a requests table from the trace, by request ID."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from backend.contracts.requests_table import SCHEMA
from backend.telemetry.trace_records import TraceRecord

MOMENTS: Final = (
    "queue_start_ns",
    "compute_start_ns",
    "compute_input_end_ns",
    "compute_output_start_ns",
    "compute_end_ns",
)


def join_trace(table: pa.Table, records: Sequence[TraceRecord], offset_ns: int) -> pa.Table:
    """The table with queue and compute times, batch sizes and execution numbers.

    An execution is known by its four compute moments, which all its requests share. Its number
    counts executions by start, from 0; ``batch_size`` counts the requests in it, without padding
    (padding is never traced). A request that is not in the trace, or is in it twice, keeps nulls.

    Args:
        table: A requests table of one trial.
        records: The trial's trace; records from before the trial's start are left out.
        offset_ns: The trial's start on the monotonic clock.
    """
    own = [
        record
        for record in records
        if record.request_start_ns is None or record.request_start_ns >= offset_ns
    ]
    keys = [record.execution_key for record in own]
    sizes = Counter(key for key in keys if key is not None)
    numbers = {key: number for number, key in enumerate(sorted(sizes))}

    times_seen = Counter(record.request_id for record in own)
    found = {
        record.request_id: record
        for record in own
        if record.request_id is not None and times_seen[record.request_id] == 1
    }
    rows = [found.get(request_id) for request_id in table.column("request_id").to_pylist()]
    columns: dict[str, list[int | None]] = {
        name: [_since(getattr(record, name, None), offset_ns) for record in rows]
        for name in MOMENTS
    }
    executions = [record.execution_key if record is not None else None for record in rows]
    columns["batch_size"] = [None if key is None else sizes[key] for key in executions]
    columns["execution"] = [None if key is None else numbers[key] for key in executions]
    for name, values in columns.items():
        field = SCHEMA.field(name)
        table = table.set_column(
            table.column_names.index(name), field, pa.array(values, type=field.type)
        )
    return table


def _since(time_ns: int | None, offset_ns: int) -> int | None:
    return None if time_ns is None else time_ns - offset_ns
