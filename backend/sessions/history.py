"""Whose history replies depend on: findings for M21, M22 and M23 from judged requests."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.contracts.findings import PropertyFinding
from backend.modelconfig.candidate import Candidate
from backend.sessions.judgement import GroupResult, group_findings, not_shown
from backend.sessions.promises import scheduler_note
from backend.templates.template import Template
from backend.workload.study import Cell

OWN_HISTORY_ALONE: Final = ("M21", "A reply depends on its own session's history alone")
REUSE_INHERITS_NOTHING: Final = ("M22", "A new session under an ended ID inherits nothing")
ABNORMAL_ENDS: Final = ("M23", "Abnormal ends do not contaminate later sessions")

NO_REPLY_JUDGED: Final = "No reply could be judged."


def context_findings(
    frame: pd.DataFrame, template: Template, candidate: Candidate, cell: Cell
) -> tuple[PropertyFinding, ...]:
    """M21, M22 and M23 of one trial.

    Args:
        frame: The judged requests, see :func:`backend.sessions.judgement.group_findings`.
        template: The model's template.
        candidate: How it was served.
        cell: In which cell.
    """
    judged = frame["verdict"].isin(("equal", "differs")).to_numpy()
    differs = (frame["verdict"] == "differs").to_numpy()
    groups = list(frame["length_group"])

    def own_note(result: GroupResult) -> str:
        if result.verdict == "not_shown":
            return NO_REPLY_JUDGED
        return scheduler_note(template, candidate, cell.instances, result.verdict)

    own = group_findings(*OWN_HISTORY_ALONE, cell, frame, judged, differs, own_note)
    if frame["session"].nunique() < 2 or cell.concurrency < 2:
        own = tuple(
            finding
            if finding.verdict == "violated"
            else finding.model_copy(
                update={
                    "verdict": "not_shown",
                    "note": "Only one session was live at a time, so nothing could be mixed up: "
                    "a concurrency of at least 2 is needed.",
                }
            )
            for finding in own
        )
    reusing = _reusing(frame)
    if reusing.any():
        reuse = group_findings(
            *REUSE_INHERITS_NOTHING,
            cell,
            frame,
            judged & reusing,
            differs,
            lambda result: NO_REPLY_JUDGED if result.verdict == "not_shown" else "",
        )
    else:
        reuse = not_shown(
            *REUSE_INHERITS_NOTHING, cell, groups, "The plan gives no ended ID to a new session."
        )
    return (*own, *reuse, *_abnormal_ends(frame, cell, judged, differs))


def _abnormal_ends(
    frame: pd.DataFrame, cell: Cell, judged: NDArray[np.bool_], differs: NDArray[np.bool_]
) -> tuple[PropertyFinding, ...]:
    """M23: sessions that began after one without END, and whether they use that one's context."""
    left = _left_open(frame)
    if not left:
        return not_shown(
            *ABNORMAL_ENDS,
            cell,
            list(frame["length_group"]),
            "The plan injects no abnormal end: no cancel, client gone, timeout, missing END, idle "
            "expiry or server error.",
        )
    first_gone_ns = min(left.values())
    begun_ns = frame.groupby("session")["sent_ns"].transform("min")
    later = np.asarray((begun_ns > first_gone_ns).fillna(False), dtype=bool)
    foreign = frame["context_session"].isin(list(left)).to_numpy(dtype=bool)
    return group_findings(
        *ABNORMAL_ENDS,
        cell,
        frame,
        judged & later,
        differs & foreign,
        lambda result: (
            "No session began after one that ended without END."
            if result.verdict == "not_shown"
            else ""
        ),
    )


def _left_open(frame: pd.DataFrame) -> dict[int, int]:
    """Sessions whose last request was answered and carried no END, with when that reply came."""
    last = frame[
        frame["correlation_id"].notna()
        & (frame["step"] == frame["session_length"] - 1)
        & (frame["outcome"] == "ok")
        & ~frame["is_end"].astype(bool)
    ]
    return {
        int(session): int(at)
        for session, at in zip(last["session"], last["received_ns"], strict=True)
    }


def _reusing(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Rows of sessions whose correlation ID an earlier session of the trial had."""
    sent = frame[frame["correlation_id"].notna() & frame["sent_ns"].notna()]
    begun = sent.groupby(["correlation_id", "session"])["sent_ns"].min().reset_index()
    begun = begun.sort_values("sent_ns", kind="stable")
    later = begun.loc[begun.duplicated("correlation_id"), "session"]
    return np.asarray(frame["session"].isin(later), dtype=bool)
