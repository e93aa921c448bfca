"""How far the evidence of a record reaches: what it leaves open, and when it no longer holds."""

from __future__ import annotations

from collections.abc import Sequence

from backend.records.record import Choice, Evidence
from backend.records.run_evidence import RunEvidence
from backend.workload.questions import answered, relevant_questions


def open_points(evidence: Evidence, decision: Sequence[Choice]) -> tuple[str, ...]:
    """What the evidence leaves open about the chosen candidates."""
    points = []
    if evidence.status == "interrupted":
        points.append(
            f"The run was interrupted after {evidence.trials_done} of {evidence.trials_planned} "
            "trials; the rest was not tried."
        )
    for choice in decision:
        for item in evidence.candidates:
            if (item.class_name, item.candidate) != (choice.class_name, choice.candidate):
                continue
            not_shown: dict[str, str] = {}
            for counted in item.properties:
                if counted.verdict == "not_shown":
                    not_shown.setdefault(f"{counted.row}, {counted.title}", counted.note)
            points += [
                f"{choice.class_name}: not shown for {choice.candidate}: {name}"
                + (f" ({note.rstrip('.')})." if note else ".")
                for name, note in not_shown.items()
            ]
    return tuple(points)


def limits(run: RunEvidence, decision: Sequence[Choice]) -> tuple[str, ...]:
    """When the evidence no longer covers the service: beyond what was tried, or another server."""
    matrix = run.study.matrix
    found = [
        f"Triton is no longer release {run.study.triton_release}, or the model, its parameters or "
        "its backend change.",
        f"A class needs more than {max(matrix.concurrency)} live sessions or requests at once, or "
        f"more than {max(matrix.instances)} model instances: more was not tried.",
    ]
    for choice in decision:
        item = run.study.class_named(choice.class_name)
        longest = [
            group.steps[1] for groups in item.workload.traffic.mixes.values() for group in groups
        ]
        if longest:
            found.append(f"{choice.class_name}: sessions grow longer than {max(longest)} requests.")
        answers = item.workload.answers
        unknown = [q.text for q in relevant_questions(answers) if not answered(answers, q.id)]
        if unknown:
            found.append(
                f"{choice.class_name}: someone can answer what is not known yet: "
                + " ".join(unknown)
            )
    return tuple(found)
