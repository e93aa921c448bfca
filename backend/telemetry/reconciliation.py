"""Do the trace and the server's own sums tell the same story of a trial?

Queue and compute times per request come from the trace; the server also sums them up by itself,
over its successful requests. Both are read from the same clock, so over the same requests they must
agree; where they do not, requests are missing on one side, and the figures are not to be trusted
without knowing which.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from backend.contracts.values import Value
from backend.telemetry.statistics import ModelStatistics

TOLERANCE: Final = 0.01
"""Sums agree within 1 %: far above what rounding to whole ns can do, far below a missing tail."""

PARTS: Final = (
    ("queue", "queue_start_ns", "compute_start_ns"),
    ("compute_input", "compute_start_ns", "compute_input_end_ns"),
    ("compute_infer", "compute_input_end_ns", "compute_output_start_ns"),
    ("compute_output", "compute_output_start_ns", "compute_end_ns"),
)
"""Each figure of the statistics extension and the two moments of the trace that it lies between."""


class Agreement(Value):
    """One time sum, from both sides, in ns.

    ``relative_difference`` is (trace - server) / server; null where the server's sum is 0 and the
    trace's is not.
    """

    figure: str
    trace_ns: int
    server_ns: int
    relative_difference: float | None
    agrees: bool


class Reconciliation(Value):
    """The comparison of one trial; ``sentences`` say what does not agree, none if all does.

    ``padding_rows`` are the direct strategy's rows for silent slots: executed, in no count of
    requests, and no disagreement.
    """

    agrees: bool
    tolerance: float
    figures: tuple[Agreement, ...]
    ok_requests: int
    traced_requests: int
    server_success_count: int
    server_fail_count: int
    padding_rows: int
    sentences: tuple[str, ...]


def reconcile(table: pa.Table, statistics: ModelStatistics) -> Reconciliation:
    """Compare a trial's requests table, joined to its trace, with the server's statistics.

    **Formula**: for each part of ``PARTS`` the sum over requests with outcome ``ok`` of (second -
    first moment), against the statistics' sum.

    Args:
        table: The trial's requests table after ``join_trace``.
        statistics: The ``delta`` of the trial.
    """
    ok = np.array(table.column("outcome").to_pylist()) == "ok"
    times = {
        name: table.column(name).to_numpy()
        for name in {moment for _, first, second in PARTS for moment in (first, second)}
    }
    whole = ok.copy()
    for column in times.values():
        whole &= ~np.isnan(column.astype(np.float64))

    sentences = []
    ok_count, traced = int(ok.sum()), int(whole.sum())
    if traced < ok_count:
        sentences.append(
            f"{ok_count - traced} of {ok_count} answered requests are not in the trace; "
            "their queue and compute times are unknown."
        )
    if statistics.success_count != ok_count:
        sentences.append(
            f"The server counts {statistics.success_count} successful requests, the client "
            f"{ok_count} answers."
        )
    figures = tuple(
        _agreement(
            figure,
            sum(int(value) for value in times[second][whole] - times[first][whole]),
            getattr(statistics, f"{figure}_ns"),
        )
        for figure, first, second in PARTS
    )
    sentences += [
        f"The {item.figure.replace('_', ' ')} times of the trace add up to "
        f"{item.trace_ns / 1e6:.3f} ms, the server's own to {item.server_ns / 1e6:.3f} ms."
        for item in figures
        if not item.agrees
    ]
    return Reconciliation(
        agrees=not sentences,
        tolerance=TOLERANCE,
        figures=figures,
        ok_requests=ok_count,
        traced_requests=traced,
        server_success_count=statistics.success_count,
        server_fail_count=statistics.fail_count,
        padding_rows=statistics.padding_rows,
        sentences=tuple(sentences),
    )


def _agreement(figure: str, trace_ns: int, server_ns: int) -> Agreement:
    if server_ns == 0:
        difference = 0.0 if trace_ns == 0 else None
    else:
        difference = (trace_ns - server_ns) / server_ns
    return Agreement(
        figure=figure,
        trace_ns=trace_ns,
        server_ns=server_ns,
        relative_difference=difference,
        agrees=difference is not None and abs(difference) <= TOLERANCE,
    )
