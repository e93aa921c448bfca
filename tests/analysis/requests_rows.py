"""Requests tables written by hand for the tests of the analysis."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pyarrow as pa

from backend.contracts.requests_table import COLUMNS, SCHEMA

ONE = "instances=1,concurrency=8,mix=talk"
TWO = "instances=2,concurrency=8,mix=talk"

MS = 1_000_000


def request(**given: object) -> dict[str, object]:
    """One answered request: sent at 0, queued 1 ms later for 2 ms, 5 ms of work, back after 9."""
    row: dict[str, object] = dict.fromkeys(COLUMNS)
    row.update(
        trial=0,
        request_type="talk",
        candidate="sequence-oldest",
        cell=ONE,
        repeat=0,
        request_id="r",
        correlation_id="1",
        correlation_id_type="uint64",
        transport="grpc_stream",
        session=0,
        step=0,
        session_length=5,
        length_group="short",
        is_start=False,
        is_end=False,
        scheduled_ns=0,
        sent_ns=0,
        received_ns=9 * MS,
        queue_start_ns=1 * MS,
        compute_start_ns=3 * MS,
        compute_end_ns=8 * MS,
        outcome="ok",
        expected="a",
        observed="a",
        verdict="equal",
    )
    row.update(given)
    return row


def table(rows: Sequence[dict[str, object]]) -> pd.DataFrame:
    """The rows as a run's tables come: through the contract's Arrow schema."""
    return pa.Table.from_pylist(list(rows), schema=SCHEMA).to_pandas()


def timed(
    response_ms: Sequence[float], *, queue_ms: Sequence[float] | None = None, **given: object
) -> list[dict[str, object]]:
    """Requests with these response (and queue) times, sent one after the other 1 ms apart."""
    queues = queue_ms if queue_ms is not None else [1.0] * len(response_ms)
    return [
        request(
            step=step,
            sent_ns=step * MS,
            queue_start_ns=step * MS,
            compute_start_ns=step * MS + round(queue * MS),
            compute_end_ns=step * MS + round(queue * MS),
            received_ns=step * MS + round(response * MS),
            **given,
        )
        for step, (response, queue) in enumerate(zip(response_ms, queues, strict=True))
    ]
