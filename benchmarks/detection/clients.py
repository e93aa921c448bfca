"""Faults of clients: what is sent instead of what was planned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa

from backend.sessions.plan import PLAN_SCHEMA, Plan

ODD_ONE: Final = 5
"""Every so many requests one goes out under another session's ID."""


def at_fault(name: str, plan: Plan) -> Plan:
    """The plan as a client with that fault sends it; itself where the client is not at fault."""
    change = _CHANGES.get(name)
    if change is None:
        return plan
    rows = change(plan.table.to_pylist())
    return replace(plan, table=pa.Table.from_pylist(rows, schema=PLAN_SCHEMA))


def _shares_live_id(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbouring sessions, which are live together, have one ID."""
    first = {row["session"]: row["correlation_id"] for row in rows}
    return [
        row | {"correlation_id": first[row["session"] - row["session"] % 2], "after": None}
        for row in rows
    ]


def _drops_end(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row | {"is_end": False} for row in rows]


def _omits_start(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row | {"is_start": False} for row in rows]


def _goes_on(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Two more requests of each session behind its END."""
    found = []
    for row in rows:
        length = row["session_length"]
        found.append(row | {"session_length": length + 2})
        if row["step"] == length - 1:
            found += [
                row
                | {
                    "request_id": f"{row['session']}.{length + more}",
                    "step": length + more,
                    "session_length": length + 2,
                    "is_start": False,
                    "is_end": False,
                    "after": None,
                }
                for more in (0, 1)
            ]
    return found


def _under_another_id(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A request of the middle of a session goes out under its neighbour's ID."""
    ids = {row["session"]: row["correlation_id"] for row in rows}
    last = max(ids)
    found = []
    for row in rows:
        middle = 0 < row["step"] < row["session_length"] - 1
        odd = middle and row["step"] % ODD_ONE == ODD_ONE - 1
        other = min(row["session"] ^ 1, last)
        found.append(row | {"correlation_id": ids[other]} if odd else row)
    return found


_CHANGES: Final[dict[str, Callable[[list[dict[str, Any]]], list[dict[str, Any]]]]] = {
    "client_shares_live_id": _shares_live_id,
    "client_drops_end": _drops_end,
    "client_omits_start": _omits_start,
    "client_goes_on_after_end": _goes_on,
    "client_sends_under_another_id": _under_another_id,
}
