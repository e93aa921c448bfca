"""A plan as the sending loop needs it: plain lists, checked once, before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass

from backend.contracts.errors import InputError
from backend.sessions.plan import Plan


@dataclass(frozen=True)
class PlannedRows:
    """The rows of a closed-loop plan.

    Attributes:
        records: The plan's rows as they are.
        request_ids: One per row.
        gaps_ns: One per row.
        sessions: The rows of each session, in the plan's order.
        after: Row to the row whose reply it waits for; only rows that wait for one.
        steps: Position of each row in its session.
    """

    records: tuple[dict[str, object], ...]
    request_ids: tuple[str, ...]
    gaps_ns: tuple[int, ...]
    sessions: tuple[range, ...]
    after: dict[int, int]
    steps: tuple[int, ...]

    @staticmethod
    def of(plan: Plan) -> PlannedRows:
        """Take a plan apart.

        Raises:
            InputError: if the plan cannot be sent in a closed loop: no rows, times fixed by the
                plan, a session whose rows are not together and in order, a request ID used twice,
                ``after`` naming no request of the plan.
        """
        records = tuple(plan.table.to_pylist())
        where = f"The plan of class {plan.request_type}, cell {plan.cell},"
        if not records:
            raise InputError(f"{where} holds no requests.")
        if plan.concurrency < 1:
            raise InputError(f"{where} asks for {plan.concurrency} live sessions; at least 1.")
        if any(record["scheduled_ns"] is not None for record in records):
            raise InputError(
                f"{where} fixes when requests are sent (open loop).",
                why="The closed loop sends a step after the reply to the one before it.",
                next_step="Use arrivals: closed_loop.",
            )
        request_ids = tuple(record["request_id"] for record in records)
        row_of = {request_id: row for row, request_id in enumerate(request_ids)}
        if len(row_of) != len(request_ids):
            raise InputError(f"{where} uses a request ID twice.")
        after = {}
        for row, record in enumerate(records):
            if record["after"] is None:
                continue
            if record["after"] not in row_of:
                raise InputError(
                    f"{where} lets request {record['request_id']} wait for the reply to "
                    f"'{record['after']}', which it does not contain."
                )
            after[row] = row_of[record["after"]]
        return PlannedRows(
            records=records,
            request_ids=request_ids,
            gaps_ns=tuple(record["gap_ns"] for record in records),
            sessions=_sessions(records, where),
            after=after,
            steps=tuple(record["step"] for record in records),
        )


def _sessions(records: tuple[dict[str, object], ...], where: str) -> tuple[range, ...]:
    sessions: list[range] = []
    seen: set[object] = set()
    first = 0
    for row, record in enumerate(records):
        if row == 0 or record["session"] != records[row - 1]["session"]:
            if row:
                sessions.append(range(first, row))
            first = row
            if record["session"] in seen:
                raise InputError(f"{where} has the rows of session {record['session']} apart.")
            seen.add(record["session"])
        if record["step"] != row - first:
            raise InputError(
                f"{where} has step {record['step']} of session {record['session']} where step "
                f"{row - first} belongs."
            )
    sessions.append(range(first, len(records)))
    return tuple(sessions)
