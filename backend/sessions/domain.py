"""What wrong replies mean in the user's own terms: changed decisions, session by session.

Sessions are titled from 1 for people ("caller 3" is session 2 of the plan).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa

from backend.contracts.findings import DomainFinding, DomainSession
from backend.sessions.comparison import compare
from backend.sessions.decisions import (
    Stretches,
    decision_names,
    decision_of,
    named,
    read_decisions,
    stretches,
)
from backend.sessions.domain_sentences import cell_sentence, session_sentence, session_title
from backend.sessions.joining import aligned
from backend.sessions.judgement import requests_frame
from backend.templates.template import Template
from backend.workload.study import Cell

SESSIONS_LISTED: Final = 100
"""With more sessions than this, only those with differing replies are listed, worst first."""


@dataclass
class _Tally:
    """One session over all rounds."""

    replies: int = 0
    differing: int = 0
    largest: float = 0.0
    stretches: list[Stretches] = field(default_factory=list)
    changes: list[tuple[str, str]] = field(default_factory=list)


def domain_finding(
    cell: Cell,
    trials: Sequence[tuple[pa.Table, pa.Table]],
    reference: pa.Table,
    template: Template,
) -> DomainFinding:
    """What the replies of one candidate in one cell meant, all rounds together.

    A reply is *flipped* when it leads to another decision than its reference reply (the other side
    of the threshold, or another label), and *differing* when it is outside the template's rules.

    Args:
        cell: The cell.
        trials: Requests table and replies table of each round.
        reference: Replies table of the isolated replay.
        template: The model's template, with a decision.

    Raises:
        InputError: if the template has no decision, or a table lacks an output.
    """
    decision = decision_of(template)
    positive = None if decision.threshold is None else decision_names(template)[1]
    tallies: dict[int, _Tally] = {}
    broken = 0
    for requests, replies in trials:
        frame = lanes(requests, replies, reference, template)
        frame = frame[frame["decision"].notna() & frame["reference_decision"].notna()]
        broken += int(np.isinf(frame["difference"]).sum())
        for session, rows in frame.groupby("session", sort=True):
            _add(tallies.setdefault(int(session), _Tally()), rows, positive)
    sessions = [_session(number, tally, template) for number, tally in sorted(tallies.items())]
    replies_count = sum(item.replies for item in sessions)
    return DomainFinding(
        cell=cell.name,
        replies=replies_count,
        differing=sum(item.differing for item in sessions),
        flipped=sum(item.flipped for item in sessions),
        largest_difference=max((item.largest_difference for item in sessions), default=0.0),
        sentence=cell_sentence(
            decision,
            rounds=len(trials),
            sessions=sessions,
            stretches_of={number: tally.stretches for number, tally in tallies.items()},
            changes=[change for tally in tallies.values() for change in tally.changes],
            broken=broken,
        ),
        sessions=_listed(sessions),
    )


def lanes(
    requests: pa.Table, replies: pa.Table, reference: pa.Table, template: Template
) -> pd.DataFrame:
    """One row per answered request for the chart of decision lanes, by session and step.

    Columns: ``session``, ``title``, ``step``, ``length_group``, ``sent_ns``, ``received_ns``,
    ``value`` and ``reference_value`` (what was decided on), ``decision`` and
    ``reference_decision`` (null: unknown), ``changed`` (another decision than the reference),
    ``differs`` (outside the template's rules), ``difference`` (largest, of any compared output).

    Raises:
        InputError: if the template has no decision, or a table lacks an output.
    """
    decision = decision_of(template)
    names = decision_names(template)
    frame = requests_frame(requests)
    frame = frame[frame["outcome"] == "ok"].sort_values(["session", "step"], kind="stable")
    ids = frame["request_id"].tolist()
    came = read_decisions(template, aligned(ids, replies, decision.output, "The replies table"))
    right = read_decisions(template, aligned(ids, reference, decision.output, "The reference"))
    results = compare(ids, replies, reference, template)
    return pd.DataFrame(
        {
            "session": frame["session"].to_numpy(dtype=np.int64),
            "title": [session_title(decision, int(number)) for number in frame["session"]],
            "step": frame["step"].to_numpy(dtype=np.int64),
            "length_group": frame["length_group"].to_numpy(),
            "sent_ns": frame["sent_ns"].to_numpy(),
            "received_ns": frame["received_ns"].to_numpy(),
            "value": came.value,
            "reference_value": right.value,
            "decision": pd.Series([named(names, int(c)) for c in came.choice], dtype=object),
            "reference_decision": pd.Series(
                [named(names, int(c)) for c in right.choice], dtype=object
            ),
            "changed": came.known & right.known & (came.choice != right.choice),
            "differs": np.logical_or.reduce([result.differs for result in results]),
            "difference": np.maximum.reduce([result.difference for result in results]),
        }
    )


def _add(tally: _Tally, rows: pd.DataFrame, positive: str | None) -> None:
    """Count one session of one round; its rows are in step order, all decided on both sides."""
    changed = rows["changed"].to_numpy(dtype=bool)
    difference = rows["difference"].to_numpy(dtype=np.float64)
    tally.replies += len(rows)
    tally.differing += int(rows["differs"].sum())
    finite = difference[np.isfinite(difference)]
    tally.largest = max(tally.largest, float(finite.max(initial=0.0)))
    before, after = rows["reference_decision"][changed], rows["decision"][changed]
    tally.changes.extend(zip(before, after, strict=True))
    if positive is not None:
        came = (rows["decision"] == positive).to_numpy(dtype=bool)
        right = (rows["reference_decision"] == positive).to_numpy(dtype=bool)
        tally.stretches.append(stretches(right, came))


def _session(number: int, tally: _Tally, template: Template) -> DomainSession:
    decision = decision_of(template)
    title = session_title(decision, number)
    return DomainSession(
        session=number,
        title=title,
        replies=tally.replies,
        differing=tally.differing,
        flipped=len(tally.changes),
        largest_difference=tally.largest,
        sentence=session_sentence(decision, title, tally.replies, tally.changes, tally.stretches),
    )


def _listed(sessions: Sequence[DomainSession]) -> tuple[DomainSession, ...]:
    if len(sessions) <= SESSIONS_LISTED:
        return tuple(sessions)
    wrong = [item for item in sessions if item.differing or item.flipped]
    wrong.sort(key=lambda item: (-item.flipped, -item.differing, item.session))
    return tuple(wrong[:SESSIONS_LISTED])
