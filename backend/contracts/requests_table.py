"""The requests table: one row per request, the one table that everything is computed from.

All ``_ns`` columns count nanoseconds from the trial's start on the client's monotonic clock
(Triton's trace uses the same clock on one host); the offset to the wall clock is in the trial's
``server.json``. A column that a target cannot give is null, never guessed.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

OUTCOMES: Final = (
    "ok",
    "error",
    "cancelled",
    "timeout",
    "rejected",
    "unanswered",
    "not_sent",
)
"""What became of a request: answered; refused or failed with a text; cancelled by the client; its
deadline passed; refused at enqueue; no answer at all; never sent (its session had ended)."""

VERDICTS: Final = ("equal", "differs", "unjudged")
"""Whether the reply equals the expected one; ``unjudged``: no reply, or no reference."""

_COLUMNS: Final[tuple[tuple[str, pa.DataType, bool, str], ...]] = (
    ("trial", pa.int32(), False, "number of the trial in its run, from 0"),
    ("request_type", pa.string(), False, "the class of traffic"),
    ("candidate", pa.string(), False, "name of the candidate"),
    ("cell", pa.string(), False, "e.g. instances=2,concurrency=8,mix=short"),
    ("repeat", pa.int32(), False, "the round, from 0"),
    ("request_id", pa.string(), False, "sent to Triton; joins the trace"),
    ("correlation_id", pa.string(), True, "as text; null where none is sent"),
    ("correlation_id_type", pa.string(), True, "uint64 | string; null where none is sent"),
    ("transport", pa.string(), False, "grpc_stream | grpc_unary | http"),
    ("session", pa.int32(), False, "number of the session in its plan, from 0"),
    ("step", pa.int32(), False, "position in the session, from 0"),
    ("session_length", pa.int32(), False, "planned steps of the session"),
    ("length_group", pa.string(), False, "name of the length group"),
    ("is_start", pa.bool_(), False, "START flag sent"),
    ("is_end", pa.bool_(), False, "END flag sent"),
    ("scheduled_ns", pa.int64(), True, "when the plan wanted it sent (closed loop: reply + gap)"),
    ("sent_ns", pa.int64(), True, "when it was handed to the transport"),
    ("received_ns", pa.int64(), True, "when its reply arrived"),
    ("queue_start_ns", pa.int64(), True, "trace QUEUE_START"),
    ("compute_start_ns", pa.int64(), True, "trace COMPUTE_START"),
    ("compute_input_end_ns", pa.int64(), True, "trace COMPUTE_INPUT_END"),
    ("compute_output_start_ns", pa.int64(), True, "trace COMPUTE_OUTPUT_START"),
    ("compute_end_ns", pa.int64(), True, "trace COMPUTE_END"),
    ("slot_wait_ns", pa.int64(), True, "part of queue time: waiting for a sequence slot"),
    ("batch_wait_ns", pa.int64(), True, "part of queue time: waiting for the batch to form"),
    ("instance_wait_ns", pa.int64(), True, "part of queue time: waiting for a busy instance"),
    (
        "predecessor_wait_ns",
        pa.int64(),
        True,
        "part of queue time: waiting for its own predecessor",
    ),
    ("batch_size", pa.int32(), True, "requests in the execution, without padding"),
    ("instance", pa.string(), True, "model instance that served it, where the model says so"),
    ("execution", pa.int64(), True, "number of the execution in the trial, by start, from 0"),
    ("outcome", pa.string(), False, "see OUTCOMES"),
    ("error", pa.string(), True, "the server's or client's text where outcome is not ok"),
    ("expected", pa.string(), True, "digest of the expected reply"),
    ("observed", pa.string(), True, "digest of the observed reply"),
    ("verdict", pa.string(), False, "see VERDICTS"),
)

SCHEMA: Final[pa.Schema] = pa.schema(
    [
        pa.field(name, kind, nullable=nullable, metadata={"about": about})
        for name, kind, nullable, about in _COLUMNS
    ],
    metadata={"interleave_requests_schema": "1"},
)
"""Arrow schema of ``trials/<nn>/requests.parquet``; each field's metadata says what it holds."""

COLUMNS: Final[tuple[str, ...]] = tuple(name for name, *_ in _COLUMNS)


def cell_name(instances: int, concurrency: int, mix: str) -> str:
    """The name of one setting of the matrix, as tables and findings carry it."""
    return f"instances={instances},concurrency={concurrency},mix={mix}"
