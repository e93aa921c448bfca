"""From the sending loop's record to ``Sent``: texts decoded, times from the start of the clock."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tritonclient.grpc import service_pb2

from backend.load.generator_cost import generator_cost
from backend.load.ledger import Ledger
from backend.load.planned_rows import PlannedRows
from backend.load.sent import NEVER, Sent


def account(
    rows: PlannedRows,
    ledger: Ledger,
    *,
    started_monotonic_ns: int,
    started_unix_ns: int,
    halted: str,
    stopped: bool,
    server_lost: str | None,
    cost: tuple[Sequence[float], float, float, float],
) -> Sent:
    """The plain value that a sending leaves.

    Args:
        rows: What was planned.
        ledger: What happened.
        started_monotonic_ns: Start of the clock on the monotonic clock.
        started_unix_ns: The same on the wall clock.
        halted: Why rows that no failure kept back were not sent.
        stopped: Whether the user ended it.
        server_lost: Why the server counts as lost, or null.
        cost: Late ticks of the loop in s, then wall time, the process's CPU time and the loop
            thread's CPU time, all in s.
    """
    for row, outcome in enumerate(ledger.outcomes):
        reply = ledger.replies[row]
        if outcome == "error" and reply is not None:
            ledger.errors[row] = service_pb2.ModelStreamInferResponse.FromString(
                reply
            ).error_message
    ledger.explain_left_out(rows.steps, halted)

    went = ledger.sent_ns != NEVER
    answered = ledger.received_ns != NEVER
    late_s, wall_s, cpu_s, loop_cpu_s = cost
    return Sent(
        request_ids=rows.request_ids,
        started_monotonic_ns=started_monotonic_ns,
        started_unix_ns=started_unix_ns,
        scheduled_ns=_since(ledger.scheduled_ns, started_monotonic_ns),
        sent_ns=_since(ledger.sent_ns, started_monotonic_ns),
        received_ns=_since(ledger.received_ns, started_monotonic_ns),
        outcomes=tuple(ledger.outcomes),
        errors=tuple(ledger.errors),
        replies=tuple(ledger.replies),
        stopped=stopped,
        server_lost=server_lost,
        generator=generator_cost(
            lag_ns=(ledger.sent_ns - ledger.scheduled_ns)[went],
            response_ns=(ledger.received_ns - ledger.sent_ns)[answered],
            late_s=late_s,
            wall_s=wall_s,
            cpu_s=cpu_s,
            loop_cpu_s=loop_cpu_s,
        ),
    )


def _since(times_ns: NDArray[np.int64], start_ns: int) -> NDArray[np.int64]:
    return np.where(times_ns == NEVER, NEVER, times_ns - start_ns)
