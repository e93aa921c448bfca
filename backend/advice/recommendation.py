"""A recommendation as a value: the proposal, its causes, its risks, and what would change it."""

from __future__ import annotations

from typing import Literal

from backend.advice.cell_rules import Aspect, Here
from backend.advice.outcome_rules import Fit
from backend.advice.watch_rules import Metric, Raised
from backend.contracts.values import Value
from backend.workload.contradictions import Contradiction
from backend.workload.questions import Answered
from backend.workload.study import CandidateName

Batcher = Literal["sequence", "dynamic", "none"]
Certainty = Literal["stated", "careful"]


class Reason(Value):
    """A rule that held, the answers that made it hold, and its public source (M08)."""

    rule: str
    conclusion: str
    answers: tuple[Answered, ...]
    why: str
    source: str
    since: str


class Risk(Value):
    """What may go wrong with a candidate (null: with any), and the answers it follows from."""

    rule: str
    candidate: CandidateName | None
    sentence: str
    why: str
    answers: tuple[Answered, ...]
    source: str
    since: str


class Change(Value):
    """An answer that would lead to another proposal."""

    question: str
    answers: tuple[str, ...]
    becomes: CandidateName
    sentence: str


class Unknown(Value):
    """A question that is open, and what follows from leaving it open."""

    question: str
    text: str
    consequence: str


class TableCell(Value):
    """One candidate's entry in a row of the decision table, with the reason for this workload.

    ``here``: whether what the candidate takes for granted or keeps is what this workload has or
    needs; of the row on risk, whether its typical risk is absent.
    """

    candidate: CandidateName
    text: str
    here: Here
    reason: str


class TableRow(Value):
    """One aspect of the decision, for every candidate (M07)."""

    id: Aspect
    aspect: str
    cells: tuple[TableCell, ...]


class Watch(Value):
    """What to look at before a value is raised (M13)."""

    rule: str
    before: Raised
    metric: Metric
    sentence: str
    why: str
    source: str


class IdPoint(Value):
    """A question on the correlation ID that has to be settled (M06), and by which rules."""

    question: str
    text: str
    sentence: str
    rules: tuple[str, ...]


class Recommendation(Value):
    """What is proposed for one class of traffic.

    ``certainty`` is *stated* where the answers decide, *careful* where something that decides is
    unknown or contradictory. ``compare`` names the candidates worth
    comparing, the proposed one first. ``reevaluate_dynamic``: all state travels in the request, so
    that the dynamic batcher may be reconsidered, by measurement and never by assertion.
    """

    request_type: str
    batcher: Batcher
    proposed: CandidateName
    compare: tuple[CandidateName, ...]
    certainty: Certainty
    summary: str
    reasons: tuple[Reason, ...]
    risks: tuple[Risk, ...]
    what_would_change: tuple[Change, ...]
    unknowns: tuple[Unknown, ...]
    contradictions: tuple[Contradiction, ...]
    fits: dict[CandidateName, Fit]
    decision_table: tuple[TableRow, ...]
    watch: tuple[Watch, ...]
    id_points: tuple[IdPoint, ...]
    reevaluate_dynamic: bool
    confidence: str
