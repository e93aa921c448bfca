"""Decision lanes: what each caller was told alone and interleaved, and where the two differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd


@dataclass(frozen=True, eq=False)
class DecisionLanes:
    """The lanes of one candidate in one cell and round.

    Attributes:
        candidate: The candidate.
        segments: One row per stretch of one decision: ``session, title, lane`` (``alone`` |
            ``interleaved``), ``start, end`` (in ``unit``), ``decision``, ``flipped, steps``.
        titles: Sessions' names, in session order.
        positive: Word for the positive decision, e.g. ``speech``.
        negative: Word for the negative one.
        step_noun: What one reply stands for, e.g. ``frame``.
        unit: Of ``start`` and ``end``: ``s``, or the steps themselves.
        judged: Replies with both decisions.
        flipped: Those where the two differ.
        flipped_by_session: The same by session.
        left_out: Stretches beyond the limit, which are not in ``segments``.
    """

    candidate: str
    segments: pd.DataFrame
    titles: tuple[str, ...]
    positive: str
    negative: str
    step_noun: str
    unit: str
    judged: int
    flipped: int
    flipped_by_session: Mapping[int, int]
    left_out: int


def decision_lanes(
    decisions: pd.DataFrame,
    *,
    candidate: str,
    positive: str,
    negative: str,
    step_noun: str = "step",
    step_ms: float | None = None,
    titles: Mapping[int, str] | None = None,
    limit: int = 4000,
) -> DecisionLanes:
    """Turn decisions per reply into stretches.

    Args:
        decisions: Columns ``session``, ``step`` (integers), ``reference`` and ``observed``
            (booleans: positive or not; null where there was no reply).
        candidate: Whose replies they are.
        positive: Word for the positive decision.
        negative: Word for the negative one.
        step_noun: What one reply stands for.
        step_ms: Length of one step in the session's own time; null: steps are counted.
        titles: Names of sessions, e.g. ``caller 3``.
        limit: Most stretches; the earliest are kept.
    """
    names = titles or {}
    frame = decisions.sort_values(["session", "step"], kind="stable").reset_index(drop=True)
    sessions = [int(session) for session in frame["session"].unique()]
    reference, observed = frame["reference"], frame["observed"]
    both = (reference.notna() & observed.notna()).to_numpy(dtype=bool)
    differ = (reference.astype(object) != observed.astype(object)).to_numpy(dtype=bool) & both
    alone = _stretches(frame, reference, np.zeros(len(frame), dtype=bool), "alone")
    together = _stretches(frame, observed, differ, "interleaved")
    segments = pd.concat([alone, together], ignore_index=True)
    words = {True: positive, False: negative, None: "no reply"}
    segments["decision"] = [words[value] for value in segments["decision"]]
    segments["title"] = [names.get(int(s), f"session {s}") for s in segments["session"]]
    scale = 1.0 if step_ms is None else step_ms / 1000
    segments["start"] *= scale
    segments["end"] *= scale
    kept = segments.nsmallest(limit, "start").sort_values(["session", "lane", "start"])
    flips = frame["session"][differ].value_counts()
    return DecisionLanes(
        candidate=candidate,
        segments=kept.reset_index(drop=True),
        titles=tuple(names.get(session, f"session {session}") for session in sessions),
        positive=positive,
        negative=negative,
        step_noun=step_noun,
        unit=step_noun if step_ms is None else "s",
        judged=int(both.sum()),
        flipped=int(differ.sum()),
        flipped_by_session={session: int(flips.get(session, 0)) for session in sessions},
        left_out=len(segments) - len(kept),
    )


def _stretches(
    frame: pd.DataFrame, values: pd.Series, flipped: npt.NDArray[np.bool_], lane: str
) -> pd.DataFrame:
    known = values.astype(object).where(values.notna(), None)
    code = pd.Series(np.select([known.isna(), known.astype(bool)], [2, 1], 0), index=frame.index)
    mark = pd.Series(flipped, index=frame.index)
    changed = (
        (frame["session"] != frame["session"].shift())
        | (frame["step"] != frame["step"].shift() + 1)
        | (code != code.shift())
        | (mark != mark.shift())
    )
    table = pd.DataFrame(
        {"session": frame["session"], "step": frame["step"], "code": code, "flipped": mark}
    )
    runs = table.groupby(changed.cumsum(), sort=False).agg(
        session=("session", "first"),
        start=("step", "first"),
        end=("step", "last"),
        code=("code", "first"),
        flipped=("flipped", "first"),
        steps=("step", "size"),
    )
    runs["start"] = runs["start"].astype(float)
    runs["end"] = runs["end"].astype(float) + 1
    decision = runs.pop("code").map({0: False, 1: True, 2: None})
    runs["decision"] = decision.astype(object).where(decision.notna(), None)
    runs["lane"] = lane
    return runs
