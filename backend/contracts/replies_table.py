"""The replies table: what came back, as raw tensors, one row per request of a trial.

It stands beside the requests table (``replies.parquet``) and is joined to it by ``request_id``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from backend.contracts.errors import InputError

REQUEST_ID: Final = "request_id"


def replies_schema(outputs: Sequence[str]) -> pa.Schema:
    """Schema of a model's replies table.

    Column ``request_id``, then one binary column per output: the raw tensor's bytes (little-endian,
    row-major, ``BYTES`` elements preceded by their 32-bit length), null where no reply came.

    Raises:
        InputError: if outputs repeat a name or use that of the key.
    """
    names = [REQUEST_ID, *outputs]
    if len(set(names)) != len(names):
        raise InputError(
            f"The model's outputs are {', '.join(outputs)}: names must differ from each other and "
            f"from '{REQUEST_ID}'.",
            next_step="Rename the output in the model and its template.yaml.",
        )
    return pa.schema(
        [
            pa.field(REQUEST_ID, pa.string(), nullable=False),
            *(pa.field(name, pa.binary(), nullable=True) for name in outputs),
        ],
        metadata={"interleave_replies_schema": "1"},
    )


def output_names(replies: pa.Table) -> tuple[str, ...]:
    """The outputs that a replies table has columns for."""
    return tuple(name for name in replies.column_names if name != REQUEST_ID)
