"""Findings as text for a terminal."""

from __future__ import annotations

from backend.analysis.cells import ALL_LENGTHS
from backend.commands.printing import paragraph, show
from backend.contracts.findings import CandidateFinding, ClassFinding, Findings, GroupFinding

_WORDS = {"pass": "pass", "fail": "fail", "no_verdict": "no verdict"}


def print_findings(findings: Findings) -> None:
    """Verdict first, then each class: candidates, figures, comparisons."""
    show(
        f"{findings.study}: {_WORDS[findings.verdict]} "
        f"({findings.trials_done} of {findings.trials_planned} trials"
        f"{', interrupted' if findings.status == 'interrupted' else ''})"
    )
    for reason in findings.reasons:
        show(paragraph(reason, "  ", "  "))
    for name, item in findings.classes.items():
        _class(name, item)
    if findings.notes:
        show("\nNotes")
        for note in findings.notes:
            show(paragraph(note, "    ", "  - "))


def _class(name: str, item: ClassFinding) -> None:
    show(f"\n{name}: {_WORDS[item.verdict]} (proposed: {item.proposed or 'none'})")
    for candidate in item.candidates:
        _candidate(candidate)
    if item.candidates:
        show(f"\n  {'times in ms':<17} {'cell':<44} {'n':>7} {'queue':>15} {'response':>15}")
        quantiles = f"{'p50':>7} {'p99':>7}"
        show(f"  {'':<17} {'':<44} {'':>7} {quantiles} {quantiles} {'req/s':>7}")
    for candidate in item.candidates:
        for group in candidate.groups:
            if group.length_group == ALL_LENGTHS:
                _figures(candidate.name, group)
    if item.comparisons:
        show()
        shown = [part for part in item.comparisons if part.outcome != "not_shown"]
        for comparison in shown:
            show(paragraph(comparison.sentence, "    ", "  - "))
        hidden = len(item.comparisons) - len(shown)
        if hidden:
            show(f"  - {hidden} comparisons lack rounds or requests; --json says which.")


def _candidate(candidate: CandidateFinding) -> None:
    mark = " (proposed)" if candidate.proposed else ""
    show(f"\n  {candidate.name}{mark}: {_WORDS[candidate.verdict]}")
    for reason in candidate.reasons:
        show(paragraph(reason, "      ", "    - "))
    for item in candidate.domain:
        if item.differing:
            show(paragraph(f"{item.cell}: {item.sentence}", "      ", "    - "))


def _figures(name: str, group: GroupFinding) -> None:
    def text(value: float | None) -> str:
        return "-" if value is None else f"{value:.2f}"

    rate = "-" if group.throughput_per_s is None else f"{group.throughput_per_s:.0f}"
    show(
        f"  {name:<17} {group.cell:<44} {group.n:>7,} {text(group.queue_ms.p50):>7} "
        f"{text(group.queue_ms.p99):>7} {text(group.response_ms.p50):>7} "
        f"{text(group.response_ms.p99):>7} {rate:>7}"
    )
