"""A decision record as a value: content that never changes once accepted, and its life.

Everything but ``number`` and the life fields (``status``, ``history``, ``superseded_by``) is the
*content*: what was decided and why. Its digest identifies the decision in whichever store it lies.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, JsonValue

from backend.contracts.findings import (
    Interval,
    PropertyVerdict,
    Quantiles,
    Relation,
    StudyVerdict,
)
from backend.contracts.values import Value

RECORD_SCHEMA = 1

RecordStatus = Literal["proposed", "accepted", "rejected", "superseded"]

LIFE_FIELDS = frozenset({"status", "history", "superseded_by"})
"""What may still change after acceptance."""

Text = Annotated[str, Field(min_length=1)]


class Answer(Value):
    """One question about a class of traffic and its answer, both in words."""

    question: str
    answer: str


class ClassContext(Value):
    """One class of traffic as the record's reader needs to know it."""

    name: str
    about: str
    independent: bool
    answers: tuple[Answer, ...]
    traffic: tuple[str, ...]
    model: str
    proposed: str | None
    """The candidate that the advice proposed for it."""
    advice: tuple[str, ...] = ()
    """Why: the reasons that the advice gave, a sentence each."""


class Option(Value):
    """One way to serve a class that was on the table, with the exact file that was tried."""

    class_name: str
    candidate: str
    instances: int
    verified: bool
    """Whether every property that was checked with this many instances held."""
    config_text: str
    config_sha256: str


class PropertyCount(Value):
    """The verdict on one property in one cell, all lengths together."""

    row: str
    title: str
    cell: str
    verdict: PropertyVerdict
    checked_count: int
    violation_count: int
    relations: dict[Relation, int] = {}
    note: str = ""


class Figure(Value):
    """Queue and response time of one cell and length group, milliseconds, as the findings say."""

    cell: str
    length_group: str
    n: int
    rounds: int
    queue_ms: Quantiles
    response_ms: Quantiles
    intervals: dict[str, Interval | None] = {}
    throughput_per_s: float | None = None


class CandidateEvidence(Value):
    """What the run showed about one candidate of one class."""

    class_name: str
    candidate: str
    verdict: StudyVerdict
    reasons: tuple[str, ...] = ()
    properties: tuple[PropertyCount, ...] = ()
    figures: tuple[Figure, ...] = ()
    meaning: tuple[str, ...] = ()
    """What wrong replies meant to the user, a sentence per cell."""
    load_failure: str | None = None


class Evidence(Value):
    """Where the numbers come from: the run, its verdict, its environment (M19)."""

    run: str
    run_path: str
    study: str
    status: str
    verdict: StudyVerdict
    reasons: tuple[str, ...]
    trials_done: int
    trials_planned: int
    findings_sha256: str
    """Digest of ``findings.json`` as it lay in the run directory."""
    candidates: tuple[CandidateEvidence, ...]
    comparisons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    environment: dict[str, JsonValue]


class Choice(Value):
    """What was chosen for one class, and why."""

    class_name: str
    candidate: str
    instances: int
    because: Text


class Rollback(Value):
    """The configuration to return to for one class, ready to apply (M38)."""

    class_name: str
    candidate: str | None
    """Null where the run verified nothing to return to."""
    instances: int | None
    config_text: str
    config_sha256: str
    why: str
    steps: tuple[str, ...]


class LifeStep(Value):
    """One change of status: who, when, and a word on why."""

    status: RecordStatus
    by: Text
    at: AwareDatetime
    note: str = ""


class DecisionRecord(Value):
    """A decision with all that a reader needs who did not run the study."""

    schema_version: Literal[1] = 1
    number: Annotated[int, Field(ge=1)] | None = None
    """Given by the store; null until stored."""
    title: Text
    question: Text
    author: Text
    created_at: AwareDatetime
    classes: Annotated[tuple[ClassContext, ...], Field(min_length=1)]
    study_yaml: str
    options: tuple[Option, ...]
    evidence: Evidence
    decision: Annotated[tuple[Choice, ...], Field(min_length=1)]
    consequences: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    rollback: tuple[Rollback, ...] = ()
    revisit_when: tuple[str, ...] = ()
    supersedes: Annotated[int, Field(ge=1)] | None = None

    status: RecordStatus = "proposed"
    history: tuple[LifeStep, ...] = ()
    superseded_by: Annotated[int, Field(ge=1)] | None = None

    def last_step(self, status: RecordStatus) -> LifeStep | None:
        """The step that brought the record to ``status``; null if it never was there."""
        for step in reversed(self.history):
            if step.status == status:
                return step
        return None

    @property
    def deciders(self) -> tuple[str, ...]:
        """Who decided: those who accepted or rejected it."""
        return tuple(step.by for step in self.history if step.status in ("accepted", "rejected"))

    @property
    def called(self) -> str:
        """How messages call it."""
        return f"record {self.number}" if self.number is not None else f"record '{self.title}'"

    def evidence_for(self, choice: Choice) -> CandidateEvidence | None:
        """What the run showed about the chosen candidate; null if the run did not try it."""
        for item in self.evidence.candidates:
            if (item.class_name, item.candidate) == (choice.class_name, choice.candidate):
                return item
        return None


def content_text(record: DecisionRecord) -> str:
    """The content in its one canonical spelling: JSON, keys sorted, no spaces."""
    content = record.model_dump(mode="json", exclude=set(LIFE_FIELDS) | {"number"})
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def content_sha256(record: DecisionRecord) -> str:
    """Digest of the content: equal if and only if the same was decided on the same evidence."""
    return text_sha256(content_text(record))


def text_sha256(text: str) -> str:
    """SHA-256 of a text in UTF-8, as hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
