"""A record laid out for reading: decision, status, date and who first, then evidence and detail.

One layout for every form of print: ``markdown`` and ``html`` only write these blocks down. All
texts in blocks are plain; escaping is the writer's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from pydantic import JsonValue

from backend.analysis.wording import listed
from backend.records.blocks import Block, Bullets, Code, Heading, Paragraph, Table
from backend.records.evidence_blocks import VERDICT_WORDS, evidence_blocks, key_figures
from backend.records.record import Choice, ClassContext, DecisionRecord


def document(record: DecisionRecord) -> tuple[Block, ...]:
    """The record as blocks, in reading order."""
    return tuple(
        [
            *_top(record),
            *_decision(record),
            Heading(2, "Question"),
            Paragraph(record.question),
            *_section("Consequences", record.consequences),
            *_section("Risks and what the evidence leaves open", record.risks),
            *_section("When to revisit", record.revisit_when),
            *_options(record),
            *evidence_blocks(record),
            *_workload(record.classes),
            *_rollback(record),
            *_chosen_configurations(record),
            *_environment(record.evidence.environment),
            *_history(record),
        ]
    )


def moment(at: datetime) -> str:
    """A time in words, in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def choice_words(choice: Choice) -> str:
    """A choice in one line, e.g. ``captions: sequence-oldest, instances=2``."""
    return f"{choice.class_name}: {choice.candidate}, instances={choice.instances}"


def date_of(record: DecisionRecord) -> datetime:
    """The date that counts: of the acceptance or rejection, else of the writing."""
    step = record.last_step("accepted") or record.last_step("rejected")
    return step.at if step is not None else record.created_at


def _top(record: DecisionRecord) -> Iterable[Block]:
    number_text = f"{record.number}. " if record.number is not None else ""
    yield Heading(1, f"{number_text}{record.title}")
    if record.superseded_by is not None:
        yield Paragraph(f"Superseded by record {record.superseded_by}.", strong=True)
    if record.status == "proposed":
        yield Paragraph("Proposed: not decided yet.", strong=True)
    if record.status == "rejected":
        yield Paragraph("Rejected.", strong=True)
    rows = [
        ("Decision", "; ".join(choice_words(choice) for choice in record.decision)),
        ("Status", record.status),
        ("Date", moment(date_of(record))),
        ("Decided by", ", ".join(record.deciders) or "nobody yet"),
        ("Written by", f"{record.author}, {moment(record.created_at)}"),
        (
            "Evidence",
            f"{VERDICT_WORDS[record.evidence.verdict]}: run {record.evidence.run} of study "
            f"{record.evidence.study}, {record.evidence.status}, "
            f"{record.evidence.trials_done} of {record.evidence.trials_planned} trials",
        ),
    ]
    if record.supersedes is not None:
        rows.append(("Replaces", f"record {record.supersedes}"))
    yield Table(("", ""), tuple(rows))


def _decision(record: DecisionRecord) -> Iterable[Block]:
    yield Heading(2, "Decision")
    for choice in record.decision:
        yield Paragraph(
            f"{choice.class_name}: {choice.candidate}, instances={choice.instances}", strong=True
        )
        yield Paragraph(f"Because: {choice.because}")
        shown = key_figures(record, choice)
        if shown:
            yield Bullets(shown)
    accepted = record.last_step("accepted")
    if accepted is not None and accepted.note:
        # the life cycle begins a note with "despite" where the evidence spoke against the choice
        mark = " " if accepted.note.startswith("despite ") else ": "
        yield Paragraph(f"Accepted{mark}{accepted.note}", strong=True)


def _section(title: str, items: Sequence[str]) -> Iterable[Block]:
    if items:
        yield Heading(2, title)
        yield Bullets(tuple(items))


def _options(record: DecisionRecord) -> Iterable[Block]:
    yield Heading(2, "Options considered")
    chosen = {(c.class_name, c.candidate, c.instances) for c in record.decision}
    verdicts = {
        (item.class_name, item.candidate): VERDICT_WORDS[item.verdict]
        for item in record.evidence.candidates
    }
    yield Table(
        ("class", "candidate", "instances", "verdict of the run", "verified", "chosen"),
        tuple(
            (
                option.class_name,
                option.candidate,
                str(option.instances),
                verdicts.get((option.class_name, option.candidate), "not judged"),
                "yes" if option.verified else "no",
                "chosen"
                if (option.class_name, option.candidate, option.instances) in chosen
                else "",
            )
            for option in record.options
        ),
        frozenset({2}),
    )
    yield Bullets(
        tuple(
            f"{item.class_name}, {item.candidate}: {VERDICT_WORDS[item.verdict]}. {reason}"
            for item in record.evidence.candidates
            for reason in (item.reasons or ("No reason was recorded.",))
        )
    )


def _workload(classes: Sequence[ClassContext]) -> Iterable[Block]:
    yield Heading(2, "Workload")
    for context in classes:
        yield Heading(3, f"Class {context.name}")
        if context.about:
            yield Paragraph(context.about)
        proposed = (
            f"The advice proposed {context.proposed}."
            if context.proposed
            else "The advice proposed no candidate."
        )
        yield Bullets((f"Model: {context.model}.", *context.traffic, proposed, *context.advice))
        yield Table(("question", "answer"), tuple((a.question, a.answer) for a in context.answers))


def _rollback(record: DecisionRecord) -> Iterable[Block]:
    if not record.rollback:
        return
    yield Heading(2, "Rollback")
    yield Paragraph(
        "On disorder within a session, a reply from another context, a tail that cannot be "
        "accepted, or an incompatibility of server and model:"
    )
    for item in record.rollback:
        yield Heading(3, f"Class {item.class_name}")
        yield Paragraph(item.why)
        yield Bullets(item.steps, numbered=True)
        if item.config_text:
            yield Code(item.config_text)


def _chosen_configurations(record: DecisionRecord) -> Iterable[Block]:
    yield Heading(2, "Chosen configuration")
    for choice in record.decision:
        for option in record.options:
            if (option.class_name, option.candidate, option.instances) == (
                choice.class_name,
                choice.candidate,
                choice.instances,
            ):
                yield Paragraph(f"{choice_words(choice)}; SHA-256 {option.config_sha256}")
                yield Code(option.config_text)


def _environment(environment: dict[str, JsonValue]) -> Iterable[Block]:
    if environment:
        yield Heading(2, "Environment")
        yield Table(("", ""), tuple(flat(environment)))


def flat(value: JsonValue, name: str = "") -> list[tuple[str, str]]:
    """Nested JSON as rows of name and text; lists of plain values on one line."""
    if isinstance(value, dict):
        return [
            row
            for key, inner in value.items()
            for row in flat(inner, f"{name} {key}".strip().replace("_", " "))
        ]
    if isinstance(value, list):
        if any(isinstance(item, dict | list) for item in value):
            return [
                row for place, item in enumerate(value) for row in flat(item, f"{name} {place}")
            ]
        return [(name, listed([_plain(item) for item in value]) or "none")]
    return [(name, _plain(value))]


def _plain(value: JsonValue) -> str:
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _history(record: DecisionRecord) -> Iterable[Block]:
    yield Heading(2, "History")
    yield Table(
        ("when", "status", "who", "note"),
        (
            (moment(record.created_at), "proposed", record.author, ""),
            *((moment(step.at), step.status, step.by, step.note) for step in record.history),
        ),
    )
