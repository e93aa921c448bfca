"""Session lanes: who was answered when, and from whose context; reduced so that it can be drawn.

A run holds thousands of replies; a page wants a few hundred marks. Right replies that follow each
other closely become one mark. Wrong replies stay single as long as they fit; beyond the limit,
neighbours from the same context become one mark that says how many it stands for; if that is not
enough, the time that is shown ends earlier, and ``shown_ms`` says where.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from backend.analysis.requests import NS_PER_MS, floats, integers
from backend.contracts.errors import InputError
from backend.contracts.findings import Violation

KINDS: Final = (
    "right",
    "other_session",
    "own_stale",
    "reset",
    "unknown",
    "not_listed",
    "not_answered",
    "unjudged",
)
"""What a mark stands for: a right reply; a wrong one by the context it used; a wrong one whose
context is not among the listed violations; no reply; a reply without a reference."""

WRONG_KINDS: Final = ("other_session", "own_stale", "reset", "unknown", "not_listed")

MARK_COLUMNS: Final = (
    "session",
    "title",
    "first_step",
    "last_step",
    "start_ms",
    "end_ms",
    "kind",
    "replies",
    "label",
    "symbol",
)

_SYMBOLS: Final = 90
"""Most symbols of one kind beside each other in a lane: more would cover what lies below."""

_FINEST: Final = 600
"""Gaps below this part of the time shown are about one pixel wide: too small to be seen."""


@dataclass(frozen=True)
class Lane:
    """One session: its name, its replies, how many are wrong, and what the first of those used."""

    session: int
    title: str
    replies: int
    wrong: int
    first_wrong: str


@dataclass(frozen=True, eq=False)
class SessionLanes:
    """The lanes of one trial.

    Attributes:
        marks: One row per mark: ``session, title, first_step, last_step, start_ms, end_ms, kind,
            replies, label, symbol``; times from the trial's first send, the label in plain words;
            ``symbol`` on marks that get a shape beside their bar, thinned where they are dense.
        lanes: One per session, in session order.
        trial: Number of the trial.
        candidate: Its candidate.
        cell: Its cell.
        shown_ms: Where the marks end.
        total_ms: Where the trial's last reply arrived.
        lanes_left_out: Sessions beyond ``most_lanes``; those with the most wrong replies stay.
        replies: Requests of the trial, all sessions.
        wrong: Replies of the trial that are not their session's own, all sessions.
    """

    marks: pd.DataFrame
    lanes: tuple[Lane, ...]
    trial: int
    candidate: str
    cell: str
    shown_ms: float
    total_ms: float
    lanes_left_out: int
    replies: int
    wrong: int


def trial_to_show(
    table: pd.DataFrame, cell: str, violations: Iterable[Violation] = ()
) -> int | None:
    """The trial of a cell with the most listed violations; else its first; null if it has none."""
    trials = np.unique(integers(table, "trial")[(table["cell"] == cell).to_numpy(dtype=bool)])
    listed = [violation.trial for violation in violations]
    return max((int(t) for t in trials), key=lambda t: (listed.count(t), -t), default=None)


def session_lanes(
    table: pd.DataFrame,
    *,
    trial: int,
    violations: Iterable[Violation] = (),
    titles: Mapping[int, str] | None = None,
    limit: int = 1500,
    most_lanes: int = 16,
) -> SessionLanes:
    """The lanes of one trial.

    Args:
        table: Rows of the requests table of one candidate.
        trial: The trial to show.
        violations: Listed violations; those of other trials are passed over.
        titles: Names of sessions, e.g. ``caller 3``; without one a session is ``session 3``.
        limit: Most marks.
        most_lanes: Most sessions.

    Raises:
        InputError: if the table has no such trial.
    """
    rows = table[integers(table, "trial") == trial]
    if rows.empty:
        raise InputError(
            f"Trial {trial} has no requests to show.",
            next_step="Choose another trial; this one did not finish.",
        )
    names = titles or {}
    frame = _requests(rows, trial, violations, names)
    lanes = _lanes(frame, names)
    kept = sorted(lanes, key=lambda lane: (-lane.wrong, lane.session))[:most_lanes]
    sessions = {lane.session for lane in kept}
    total = 0.0 if frame["end_ms"].isna().all() else float(frame["end_ms"].max())
    marks, shown = _reduced(frame[frame["session"].isin(sessions)], total, limit)
    return SessionLanes(
        marks=marks,
        lanes=tuple(lane for lane in lanes if lane.session in sessions),
        trial=trial,
        candidate=str(rows["candidate"].iloc[0]),
        cell=str(rows["cell"].iloc[0]),
        shown_ms=shown,
        total_ms=total,
        lanes_left_out=len(lanes) - len(kept),
        replies=sum(lane.replies for lane in lanes),
        wrong=sum(lane.wrong for lane in lanes),
    )


def _title(names: Mapping[int, str], session: int) -> str:
    return names.get(session, f"session {session}")


def context_label(violation: Violation, names: Mapping[int, str]) -> str:
    """Whose context a wrong reply used, e.g. ``from session 5, step 12``."""
    context = violation.context_of
    if violation.relation == "reset":
        return "from a reset state"
    if violation.relation == "unknown" or context is None:
        return "context unknown"
    if violation.relation == "own_stale":
        return f"from its own step {context.step}, stale"
    return f"from {_title(names, context.session)}, step {context.step}"


def _requests(
    rows: pd.DataFrame, trial: int, violations: Iterable[Violation], names: Mapping[int, str]
) -> pd.DataFrame:
    sent, received = floats(rows, "sent_ns"), floats(rows, "received_ns")
    begin = np.nanmin(sent) if not np.isnan(sent).all() else 0.0
    # a request without a reply is drawn at its send; one never sent has no place in time
    frame = pd.DataFrame(
        {
            "session": integers(rows, "session"),
            "step": integers(rows, "step"),
            "start_ms": (sent - begin) / NS_PER_MS,
            "end_ms": (np.where(np.isnan(received), sent, received) - begin) / NS_PER_MS,
        }
    )
    answered = (rows["outcome"] == "ok").to_numpy(dtype=bool)
    verdict = rows["verdict"].to_numpy()
    frame["kind"] = np.select(
        [~answered, verdict == "equal", verdict == "differs"],
        ["not_answered", "right", "not_listed"],
        "unjudged",
    )
    listed = pd.DataFrame(
        [
            (v.session, v.step, v.relation, context_label(v, names))
            for v in violations
            if v.trial == trial
        ],
        columns=["session", "step", "relation", "label"],
    ).drop_duplicates(["session", "step"])
    frame = frame.merge(
        listed.astype({"session": np.int64, "step": np.int64}), on=["session", "step"], how="left"
    )
    known = (frame["kind"] == "not_listed") & frame["relation"].notna()
    frame["kind"] = frame["kind"].where(~known, frame["relation"])
    plain = {
        "right": "its own context",
        "not_listed": "wrong; its context is not among those listed",
        "not_answered": "no answer",
        "unjudged": "no reference to judge it by",
    }
    frame["label"] = frame["label"].where(known, frame["kind"].map(plain))
    titles = {session: _title(names, int(session)) for session in frame["session"].unique()}
    frame["title"] = frame["session"].map(titles)
    order = frame.sort_values(["session", "step"], kind="stable")
    return order.drop(columns="relation").reset_index(drop=True)


def _merged(frame: pd.DataFrame, apart: pd.Series, gap_ms: float) -> pd.DataFrame:
    """Join neighbours of one session and kind, except where ``apart`` or a visible gap says no."""
    same = (frame["session"] == frame["session"].shift()) & (frame["kind"] == frame["kind"].shift())
    close = frame["start_ms"] - frame["end_ms"].shift() <= gap_ms
    runs = (~(same & close) | apart).cumsum()
    return (
        frame.groupby(runs, sort=False)
        .agg(
            session=("session", "first"),
            title=("title", "first"),
            first_step=("step", "first"),
            last_step=("step", "last"),
            start_ms=("start_ms", "first"),
            end_ms=("end_ms", "last"),
            kind=("kind", "first"),
            replies=("step", "size"),
            label=("label", "first"),
            labels=("label", "nunique"),
        )
        .reset_index(drop=True)
    )


def _reduced(frame: pd.DataFrame, total: float, limit: int) -> tuple[pd.DataFrame, float]:
    frame = frame[frame["start_ms"].notna()].reset_index(drop=True)
    if frame.empty:
        return pd.DataFrame(columns=list(MARK_COLUMNS)), total
    wrong = frame["kind"].isin(WRONG_KINDS)
    shown = total
    marks = _merged(frame, wrong, total / _FINEST)
    if len(marks) > limit:
        # the context's session is in the label before the comma; its steps differ
        source = frame["label"].str.partition(",")[0]
        marks = _merged(frame, wrong & (source != source.shift()), total / _FINEST)
    if len(marks) > limit:
        shown = float(marks["start_ms"].nsmallest(limit).iloc[-1])
        marks = marks[marks["start_ms"] <= shown].nsmallest(limit, "start_ms")
        marks = marks.sort_values(["session", "first_step"])
    several = (marks["labels"] > 1) & marks["kind"].isin(WRONG_KINDS)
    text = marks["replies"].astype(str) + " wrong replies, the first " + marks["label"]
    marks["label"] = marks["label"].where(~several, text)
    place = (marks["start_ms"] // max(shown / _SYMBOLS, 1e-9)).astype(np.int64)
    repeated = marks.assign(place=place).duplicated(["session", "kind", "place"])
    marks["symbol"] = ~repeated & marks["kind"].isin((*WRONG_KINDS, "not_answered"))
    return marks.drop(columns="labels").reset_index(drop=True), shown


def _lanes(frame: pd.DataFrame, names: Mapping[int, str]) -> tuple[Lane, ...]:
    wrong = frame[frame["kind"].isin(WRONG_KINDS)]
    counts = wrong["session"].value_counts().to_dict()
    firsts = wrong.drop_duplicates("session").set_index("session")
    return tuple(
        Lane(
            session=int(session),
            title=_title(names, int(session)),
            replies=int(replies),
            wrong=int(counts.get(session, 0)),
            first_wrong=(
                f"step {firsts.at[session, 'step']}: {firsts.at[session, 'label']}"
                if session in counts
                else ""
            ),
        )
        for session, replies in frame["session"].value_counts().sort_index().items()
    )
