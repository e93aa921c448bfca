"""Joins requests with replies, plans and references by request ID."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from backend.contracts.errors import InputError
from backend.contracts.replies_table import REQUEST_ID

INSTANCE_OUTPUT = "INSTANCE"
"""A model that has this output says which of its instances served the request."""


def positions(wanted: Sequence[str], there: Sequence[str], what: str) -> list[int]:
    """Where each wanted request ID is in another table; -1 where it is not.

    Raises:
        InputError: if the other table holds an ID twice.
    """
    index = {request_id: at for at, request_id in enumerate(there)}
    if len(index) != len(there):
        raise InputError(
            f"{what} holds {len(there) - len(index)} request IDs twice.",
            next_step="Use the tables of one trial and one class.",
        )
    return [index.get(request_id, -1) for request_id in wanted]


def aligned(wanted: Sequence[str], table: pa.Table, column: str, what: str) -> list[bytes | None]:
    """One output of a replies table for each wanted request ID; null where no reply came.

    Raises:
        InputError: if the table lacks the column.
    """
    if column not in table.column_names:
        raise InputError(
            f"{what} has no column for the output '{column}'.",
            why=f"It has {', '.join(table.column_names)}.",
            next_step="Use the replies of the model that the template describes.",
        )
    values = table[column].to_pylist()
    found = positions(wanted, table[REQUEST_ID].to_pylist(), what)
    return [values[at] if at >= 0 else None for at in found]


def instances(
    wanted: Sequence[str], replies: pa.Table, kept: Sequence[str | None]
) -> list[str | None]:
    """The instance of each request: as its reply says, else as the requests table had it."""
    if INSTANCE_OUTPUT not in replies.column_names:
        return list(kept)
    raws = aligned(wanted, replies, INSTANCE_OUTPUT, "The replies table")
    return [
        # one BYTES element: four bytes of length, then the text
        raw[4:].decode("utf-8", "replace") if raw else before
        for raw, before in zip(raws, kept, strict=True)
    ]
