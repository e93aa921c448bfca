"""Judges the sequence protocol (M24): order within an ID, closure, nothing after END."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa

from backend.contracts.findings import PropertyFinding
from backend.sessions.judgement import GroupResult, group_findings, not_shown, requests_frame
from backend.sessions.plan import Plan
from backend.workload.study import Cell

ORDER_KEPT: Final = ("M24", "Order within an ID is kept")
CLOSED: Final = ("M24", "Sessions are closed from START to END")
NOTHING_AFTER_END: Final = ("M24", "Nothing is accepted after END")

FAILED_OUTCOMES: Final = ("error", "rejected", "timeout", "unanswered")
"""Outcomes that keep a session from being closed, other than the client's own choice."""

_NO_PAIR: Final = "No session had two answered requests."
_NONE_ENDED: Final = "No session came to its END, and none failed."
_NOTHING_SENT: Final = "The plan sends nothing after an END."


def judge_protocol(
    requests: pa.Table, cell: Cell, plan: Plan | None = None
) -> tuple[PropertyFinding, ...]:
    """M24 of one trial; empty for requests without correlation IDs.

    Its violations carry words in ``expected`` and ``observed`` instead of digests: what the
    protocol asks for, and what happened.

    - *Order*, per request after another one of its session that was answered too: it was executed
      no earlier (where the trace says) and answered no earlier than that one.
    - *Closed*, per session begun: every request up to its END was answered, and the END that its
      plan has was sent. A session that the client itself stopped, or that its plan leaves open, is
      not counted.
    - *After END*, per request sent under an ID after its END without a new START: it was refused.
    """
    frame = requests_frame(requests)
    frame = frame[frame["correlation_id"].notna()]
    if frame.empty:
        return ()
    planned = () if plan is None else plan.table.filter(plan.table["is_end"])["request_id"]
    frame = frame.assign(end_planned=frame["request_id"].isin([item.as_py() for item in planned]))
    frame = frame.sort_values(["session", "step"], kind="stable").reset_index(drop=True)
    frame = frame.assign(
        relation=pd.Series([None] * len(frame), dtype=object),
        context_session=pd.array([None] * len(frame), dtype="Int64"),
        context_step=pd.array([None] * len(frame), dtype="Int64"),
    )
    return (*_order(frame, cell), *_closure(frame, cell), *_after_end(frame, cell))


def _order(frame: pd.DataFrame, cell: Cell) -> tuple[PropertyFinding, ...]:
    answered = frame[frame["outcome"] == "ok"]
    before = answered.groupby("session")[["step", "compute_start_ns", "received_ns"]].shift()
    checked = before["received_ns"].notna()
    executed = (answered["compute_start_ns"] < before["compute_start_ns"]).fillna(False)
    replied = (answered["received_ns"] < before["received_ns"]).fillna(False)
    paced = (answered["sent_ns"] >= before["received_ns"])[checked].fillna(False)
    note = ""
    if checked.any() and bool(paced.all()):
        note = (
            "Each step was sent only after the reply to the one before it, so nothing could "
            "overtake: this says little about the scheduler."
        )
    previous = before["step"].fillna(0).astype(int).astype(str)
    rows = answered.assign(
        expected="after step " + previous,
        observed=np.where(executed, "executed", "answered") + (" before step " + previous),
    )
    findings = group_findings(
        *ORDER_KEPT,
        cell,
        rows[checked],
        np.ones(int(checked.sum()), dtype=bool),
        np.asarray((executed | replied)[checked], dtype=bool),
        lambda _: note,
    )
    return _complete(findings, ORDER_KEPT, frame, cell, _NO_PAIR)


def _closure(frame: pd.DataFrame, cell: Cell) -> tuple[PropertyFinding, ...]:
    """One row per session: its END where it is closed, else the first request that failed."""
    failed = frame["outcome"].isin(FAILED_OUTCOMES)
    ok = frame["outcome"] == "ok"
    sessions = frame["session"]
    all_ok = ok.groupby(sessions).transform("all") & frame["is_end"].groupby(sessions).transform(
        "any"
    )
    first_failure = failed & (failed.groupby(sessions).cumsum() == 1)
    ends = all_ok & ~sessions.duplicated(keep="last")
    dropped = frame["end_planned"] & ok & ~frame["is_end"].astype(bool)
    rows = frame[first_failure | ends | dropped]
    texts = rows["error"].fillna(rows["outcome"]).astype(str)
    texts = texts.mask(dropped[rows.index], "sent without END")
    rows = rows.assign(expected="answered, up to END", observed=texts)
    violated = np.asarray(rows["outcome"].isin(FAILED_OUTCOMES) | dropped[rows.index], dtype=bool)

    def note(result: GroupResult) -> str:
        inside = rows[violated & (rows["length_group"] == result.length_group).to_numpy()]
        said = dict.fromkeys(_without_id(text, key) for text, key in _errors(inside))
        return " ".join(f"Server or client: {text}" for text in list(said)[:3])

    findings = group_findings(*CLOSED, cell, rows, np.ones(len(rows), dtype=bool), violated, note)
    return _complete(findings, CLOSED, frame, cell, _NONE_ENDED)


def _errors(rows: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(rows["observed"], rows["correlation_id"], strict=True))


def _without_id(text: str, correlation_id: str) -> str:
    """The same text for every session, so that equal causes are told once."""
    return text.replace(correlation_id, "<ID>")


def _after_end(frame: pd.DataFrame, cell: Cell) -> tuple[PropertyFinding, ...]:
    sent = frame[frame["sent_ns"].notna()].sort_values("sent_ns", kind="stable")
    ended: set[str] = set()
    late = []
    for key, is_start, is_end in zip(
        sent["correlation_id"], sent["is_start"], sent["is_end"], strict=True
    ):
        late.append(key in ended and not is_start)
        if is_start:
            ended.discard(key)
        if is_end:
            ended.add(key)
    tried = np.array(late, dtype=bool)
    rows = sent.assign(expected="refused", observed="answered")[tried]
    findings = group_findings(
        *NOTHING_AFTER_END,
        cell,
        rows,
        np.ones(len(rows), dtype=bool),
        np.asarray(rows["outcome"] == "ok", dtype=bool),
        lambda _: "",
    )
    return _complete(findings, NOTHING_AFTER_END, frame, cell, _NOTHING_SENT)


def _complete(
    findings: tuple[PropertyFinding, ...],
    name: tuple[str, str],
    frame: pd.DataFrame,
    cell: Cell,
    note: str,
) -> tuple[PropertyFinding, ...]:
    """Findings for every length group: *not shown* for those in which no row was looked at."""
    there = {finding.length_group for finding in findings}
    missing = [group for group in frame["length_group"] if group not in there]
    return (*findings, *not_shown(*name, cell, missing, note))
