"""What a record copies from the findings about a candidate, and when a setting is verified."""

from __future__ import annotations

from collections.abc import Sequence

from backend.analysis.cells import ALL_LENGTHS, cell_parts
from backend.analysis.verdict import PREMISES
from backend.contracts.findings import (
    CandidateFinding,
    Findings,
    PropertyFinding,
    PropertyVerdict,
    Relation,
)
from backend.records.record import CandidateEvidence, Choice, Figure, PropertyCount


def candidate_evidence(class_name: str, found: CandidateFinding) -> CandidateEvidence:
    """The key figures of one candidate: counts per property and cell, times per group."""
    return CandidateEvidence(
        class_name=class_name,
        candidate=found.name,
        verdict=found.verdict,
        reasons=found.reasons,
        properties=_counts(found.properties),
        figures=tuple(
            Figure(
                cell=group.cell,
                length_group=group.length_group,
                n=group.n,
                rounds=group.rounds,
                queue_ms=group.queue_ms,
                response_ms=group.response_ms,
                intervals=group.intervals,
                throughput_per_s=group.throughput_per_s,
            )
            for group in found.groups
        ),
        meaning=tuple(item.sentence for item in found.domain),
        load_failure=found.load_failure,
    )


def verified(found: CandidateFinding, instances: int) -> bool:
    """Whether a candidate was shown right with so many instances.

    The premise of its class (M21 or M26) was shown to hold in every cell with so many instances,
    and nothing was violated there. A candidate whose premise was violated with other instances
    does not count: where it held, it held by luck.
    """
    if found.load_failure is not None or found.verdict == "no_verdict":
        return False
    premises = [item for item in found.properties if item.row in PREMISES]
    if any(item.verdict == "violated" for item in premises):
        return False
    own = [item for item in found.properties if cell_parts(item.cell).instances == instances]
    shown = {
        item.cell
        for item in premises
        if item in own and item.verdict == "holds" and item.checked_count > 0
    }
    whole = bool(own) and shown == {item.cell for item in own}
    return whole and not any(item.verdict == "violated" for item in own)


def comparisons(findings: Findings, decision: Sequence[Choice]) -> tuple[str, ...]:
    """The measured comparisons of the chosen candidates with the others, a sentence each.

    Those of single length groups stay in the evidence; differences inside the noise are kept: that
    nothing was gained or lost is a consequence too.
    """
    sentences = []
    for choice in decision:
        found = findings.classes.get(choice.class_name)
        sentences += [
            item.sentence
            for item in (found.comparisons if found else ())
            if choice.candidate in (item.candidate, item.against)
            and item.length_group == ALL_LENGTHS
            and item.outcome != "not_shown"
            and cell_parts(item.cell).instances == choice.instances
        ]
    return tuple(dict.fromkeys(sentences))


def _counts(properties: Sequence[PropertyFinding]) -> tuple[PropertyCount, ...]:
    """One entry per row and cell: the finding over all lengths, or else the sum over groups."""
    places = dict.fromkeys((item.row, item.cell) for item in properties)
    counts = []
    for row, cell in places:
        own = [item for item in properties if (item.row, item.cell) == (row, cell)]
        whole = [item for item in own if item.length_group == ALL_LENGTHS] or own
        relations: dict[Relation, int] = {}
        for item in whole:
            for relation, count in item.relations.items():
                relations[relation] = relations.get(relation, 0) + count
        counts.append(
            PropertyCount(
                row=row,
                title=own[0].title,
                cell=cell,
                verdict=_worst(whole),
                checked_count=sum(item.checked_count for item in whole),
                violation_count=sum(item.violation_count for item in whole),
                relations=relations,
                note=" ".join(dict.fromkeys(item.note for item in whole if item.note)),
            )
        )
    return tuple(counts)


def _worst(items: Sequence[PropertyFinding]) -> PropertyVerdict:
    verdicts = {item.verdict for item in items}
    if "violated" in verdicts:
        return "violated"
    return "holds" if verdicts == {"holds"} else "not_shown"
