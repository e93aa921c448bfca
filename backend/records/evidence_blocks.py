"""The evidence part of a laid-out record: properties, what they meant, times, their source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from backend.analysis.cells import ALL_LENGTHS, cell_parts, cell_words, group_words
from backend.analysis.wording import count, number
from backend.contracts.findings import Interval, Quantiles
from backend.records.blocks import Block, Bullets, Heading, Paragraph, Table
from backend.records.record import (
    CandidateEvidence,
    Choice,
    DecisionRecord,
    Figure,
    PropertyCount,
    content_sha256,
)

VERDICT_WORDS: Final = {
    "pass": "pass",
    "fail": "fail",
    "no_verdict": "no verdict",
    "holds": "holds",
    "violated": "violated",
    "not_shown": "not shown",
}
RELATION_WORDS: Final = {
    "other_session": "from another session's context",
    "own_stale": "from the session's own stale state",
    "reset": "from a state that was reset",
    "unknown": "from an unknown context",
}


def evidence_blocks(record: DecisionRecord) -> Iterable[Block]:
    """What the run showed about every candidate, and the digests that tie it to the run."""
    evidence = record.evidence
    yield Heading(2, "Evidence")
    if evidence.reasons:
        yield Bullets(evidence.reasons)
    properties = [
        _property_row(item, counted) for item in evidence.candidates for counted in item.properties
    ]
    if properties:
        yield Heading(3, "Do sessions stay apart?")
        yield Table(
            ("class", "candidate", "setting", "property", "verdict", "wrong of checked", "how"),
            tuple(properties),
            frozenset({5}),
        )
    meanings = [
        f"{item.class_name}, {item.candidate}: {sentence}"
        for item in evidence.candidates
        for sentence in item.meaning
    ]
    if meanings:
        yield Heading(3, "What wrong replies meant")
        yield Bullets(tuple(meanings))
    yield from _times(evidence.candidates)
    if evidence.comparisons:
        yield Heading(3, "Comparisons")
        yield Bullets(evidence.comparisons)
    if evidence.notes:
        yield Heading(3, "Notes of the run")
        yield Bullets(evidence.notes)
    yield Heading(3, "Where the numbers come from")
    yield Table(
        ("", ""),
        (
            ("Run directory", evidence.run_path),
            ("SHA-256 of findings.json", evidence.findings_sha256),
            ("SHA-256 of this record's content", content_sha256(record)),
        ),
    )


def key_figures(record: DecisionRecord, choice: Choice) -> tuple[str, ...]:
    """What the run showed about the chosen configuration, a sentence per setting it was tried in.

    Wrong replies are those of the property that was checked most; the tail is the p99, or the
    highest quantile below it that there were requests enough for.
    """
    shown = record.evidence_for(choice)
    if shown is None:
        return ()
    tried = [item.cell for item in shown.properties] + [item.cell for item in shown.figures]
    cells = dict.fromkeys(c for c in tried if cell_parts(c).instances == choice.instances)
    sentences = []
    for cell in cells:
        parts = []
        checked = [item for item in shown.properties if item.cell == cell and item.checked_count]
        if checked:
            main = max(checked, key=lambda item: item.checked_count)
            parts.append(
                f"{main.violation_count:,} wrong of {main.checked_count:,} checked replies"
            )
        for figure in shown.figures:
            if figure.cell == cell and figure.length_group == ALL_LENGTHS:
                parts += [
                    _tail(figure, "queue", figure.queue_ms),
                    _tail(figure, "response", figure.response_ms),
                    f"n = {figure.n:,} in {count(figure.rounds, 'round')}",
                ]
        sentences.append(f"With {cell_words(cell)}: {', '.join(part for part in parts if part)}.")
    return tuple(sentences)


def _tail(figure: Figure, name: str, values: Quantiles) -> str:
    for quantile, value in (("p99", values.p99), ("p90", values.p90), ("p50", values.p50)):
        if value is not None:
            shown = _with_interval(value, figure.intervals.get(f"{name}_{quantile}_ms"), " ms")
            return f"{name} time {quantile} {shown}"
    return ""


def _property_row(item: CandidateEvidence, counted: PropertyCount) -> tuple[str, ...]:
    how = [
        f"{replies:,} {RELATION_WORDS[relation]}"
        for relation, replies in counted.relations.items()
        if replies
    ]
    return (
        item.class_name,
        item.candidate,
        cell_words(counted.cell),
        f"{counted.row} {counted.title}",
        VERDICT_WORDS[counted.verdict],
        f"{counted.violation_count:,} of {counted.checked_count:,}"
        if counted.checked_count
        else "none checked",
        "; ".join([*how, counted.note] if counted.note else how),
    )


def _times(candidates: Sequence[CandidateEvidence]) -> Iterable[Block]:
    rows = [
        (
            item.class_name,
            item.candidate,
            cell_words(figure.cell),
            group_words(figure.length_group),
            f"{figure.n:,}",
            *_quantiles(figure, "queue", figure.queue_ms),
            *_quantiles(figure, "response", figure.response_ms),
        )
        for item in candidates
        for figure in item.figures
    ]
    if not rows:
        return
    yield Heading(3, "Queue time and response time")
    yield Paragraph(
        "Milliseconds; n answered requests of all rounds together. In brackets: the 95 % bootstrap "
        "interval over rounds, where there were enough of them. A dash: too few requests to tell "
        "(a p99 needs 1,000)."
    )
    quantiles = ("p50", "p90", "p99")
    yield Table(
        (
            *("class", "candidate", "setting", "sessions", "n"),
            *(f"queue {q}" for q in quantiles),
            *(f"response {q}" for q in quantiles),
        ),
        tuple(rows),
        frozenset(range(4, 11)),
    )


def _quantiles(figure: Figure, name: str, values: Quantiles) -> tuple[str, ...]:
    return tuple(
        _with_interval(value, figure.intervals.get(f"{name}_{quantile}_ms"))
        for quantile, value in (("p50", values.p50), ("p90", values.p90), ("p99", values.p99))
    )


def _with_interval(value: float | None, interval: Interval | None, unit: str = "") -> str:
    if value is None:
        return "–"
    if interval is None:
        return f"{number(value)}{unit}"
    return f"{number(value)}{unit} ({number(interval.low)} to {number(interval.high)})"
