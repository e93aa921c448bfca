"""Findings: what a run showed, as ``findings.json`` holds it (schema 1, see docs/findings.md)."""

from __future__ import annotations

from typing import Literal

from backend.contracts.values import Value

FINDINGS_SCHEMA = 1

Relation = Literal["other_session", "own_stale", "reset", "unknown"]
StudyVerdict = Literal["pass", "fail", "no_verdict"]
PropertyVerdict = Literal["holds", "violated", "not_shown"]


class ContextOf(Value):
    """The session and step whose resulting state a wrong reply was computed from."""

    session: int
    step: int


class Violation(Value):
    """One violation of a property.

    Of M21, M22 and M26 a reply that is not its session's own: ``expected`` and ``observed`` are
    digests. Of M24 (protocol) they are words, and there is no ``relation``.
    """

    trial: int
    repeat: int
    session: int
    step: int
    expected: str
    observed: str
    relation: Relation | None
    context_of: ContextOf | None = None


class PropertyFinding(Value):
    """Verdict on one property (a row of the requirements) in one cell and length group."""

    row: str
    title: str
    cell: str
    length_group: str
    verdict: PropertyVerdict
    checked_count: int
    violation_count: int
    relations: dict[Relation, int] = {}
    violations: tuple[Violation, ...] = ()
    note: str = ""


class Quantiles(Value):
    """Quantiles in milliseconds; null where fewer than 10 samples lie beyond."""

    p50: float | None
    p90: float | None
    p99: float | None
    p999: float | None


class Interval(Value):
    """A bootstrap interval over rounds: ``low`` and ``high`` at ``level``."""

    low: float
    high: float
    level: float = 0.95


class GroupFinding(Value):
    """Figures of one cell and length group; all times in milliseconds, ``n`` answered requests."""

    cell: str
    length_group: str
    n: int
    rounds: int
    outcomes: dict[str, int]
    queue_ms: Quantiles
    response_ms: Quantiles
    compute_ms: Quantiles
    start_wait_ms: Quantiles
    """Queue time of sequence starts alone: what a newcomer waits for a slot."""
    intervals: dict[str, Interval | None] = {}
    """By figure name, e.g. ``queue_p99_ms``, ``response_p50_ms``; null with fewer than 3 rounds."""
    batch_sizes: dict[int, int] = {}
    """Executions by number of real requests in them."""
    throughput_per_s: float | None = None
    cause: str | None = None
    """Why the tail is slow; null while not diagnosed."""


class DomainSession(Value):
    """What wrong replies meant for one session, in the user's words."""

    session: int
    title: str
    replies: int
    differing: int
    flipped: int
    largest_difference: float
    sentence: str


class DomainFinding(Value):
    """What wrong replies meant in one cell, all rounds together."""

    cell: str
    replies: int
    differing: int
    flipped: int
    largest_difference: float
    sentence: str
    sessions: tuple[DomainSession, ...] = ()


class Comparison(Value):
    """Two candidates on one figure; a difference is claimed only where the interval excludes 1."""

    figure: str
    unit: str
    cell: str
    length_group: str
    candidate: str
    against: str
    ratio: float | None
    interval: Interval | None
    outcome: Literal["better", "worse", "not_distinguishable", "not_shown"]
    sentence: str


class CandidateFinding(Value):
    """All that a run showed about one candidate of one class."""

    name: str
    proposed: bool
    verdict: StudyVerdict
    reasons: tuple[str, ...]
    properties: tuple[PropertyFinding, ...] = ()
    groups: tuple[GroupFinding, ...] = ()
    domain: tuple[DomainFinding, ...] = ()
    trials: tuple[int, ...] = ()
    load_failure: str | None = None


class ClassFinding(Value):
    """One class of traffic."""

    proposed: str | None
    verdict: StudyVerdict
    reasons: tuple[str, ...]
    candidates: tuple[CandidateFinding, ...]
    comparisons: tuple[Comparison, ...] = ()


class Findings(Value):
    """The whole of ``findings.json``."""

    schema_version: int = FINDINGS_SCHEMA
    study: str
    status: Literal["complete", "interrupted", "void"]
    verdict: StudyVerdict
    reasons: tuple[str, ...]
    judged_candidate: str | None = None
    """Set by ``--candidate``: the verdict is then this candidate's."""
    trials_planned: int
    trials_done: int
    classes: dict[str, ClassFinding]
    notes: tuple[str, ...] = ()
