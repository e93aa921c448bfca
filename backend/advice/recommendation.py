"""A recommendation as a value: the proposal, its causes, its risks, and what would change it."""

from __future__ import annotations

from typing import Literal

from backend.contracts.values import Value
from backend.workload.contradictions import Contradiction
from backend.workload.questions import Answered
from backend.workload.study import CandidateName

Batcher = Literal["sequence", "dynamic"]
Certainty = Literal["stated", "careful"]
Fit = Literal["right", "wrong", "unsure", "baseline"]


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
    """One candidate's entry in a row of the decision table, with the reason for this workload."""

    candidate: CandidateName
    text: str
    reason: str


class TableRow(Value):
    """One aspect of the decision, for every candidate (M07)."""

    aspect: str
    cells: tuple[TableCell, ...]


class Recommendation(Value):
    """What is proposed for one class of traffic.

    ``certainty`` is *stated* where the answers decide, *careful* where something is unknown,
    contradictory or can only be settled by measuring. ``compare`` names the candidates worth
    comparing, the proposed one first.
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
    confidence: str
