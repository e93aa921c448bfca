"""``advise``: the recommendation per class, with what caused it."""

from __future__ import annotations

from typing import Annotated

import typer

from backend.advice.recommendation import Recommendation
from backend.commands.printing import paragraph, show, show_json
from backend.commands.study_argument import StudyArgument
from backend.studies.advising import study_advice
from backend.workload.study_file import load_source


def advise_study(
    study: StudyArgument,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON value for machines.")] = False,
) -> int:
    """Recommend a batcher per class, with the answers and rules that caused it."""
    source = load_source(study)
    advice = study_advice(source.study, source=source)
    if as_json:
        show_json({item.name: found.model_dump(mode="json") for item, found in advice})
        return 0
    for number, (_, found) in enumerate(advice):
        if number:
            show()
        _print(found)
    return 0


def _print(found: Recommendation) -> None:
    show(f"{found.request_type}: {found.proposed}")
    show(paragraph(found.summary, "  "))
    show(f"\n  Compare: {', '.join(found.compare)}")
    show("\n  Because")
    for reason in found.reasons:
        show(paragraph(f"{reason.conclusion} ({reason.rule})", "    ", "  - "))
        for answer in reason.answers:
            show(paragraph(f"{answer.question}: {answer.text}", "        ", "      answer "))
        show(paragraph(reason.why, "      "))
        show(paragraph(f"Source: {reason.source}, since {reason.since}.", "      "))
    _list("Contradictions", [item.sentence for item in found.contradictions])
    _list("Open questions", [f"{item.text} {item.consequence}" for item in found.unknowns])
    _list(
        "Risks",
        [
            f"{item.candidate or 'any candidate'}: {item.sentence} {item.why}"
            for item in found.risks
        ],
    )
    _list(
        "To settle of the correlation ID",
        [f"{item.text} {item.sentence}" for item in found.id_points],
    )
    _list("What would change it", [item.sentence for item in found.what_would_change])
    _list(
        "Before raising a value",
        [f"{item.before.replace('_', ' ')}: {item.sentence} {item.why}" for item in found.watch],
    )
    show("\n  Decision table")
    for row in found.decision_table:
        show(f"    {row.aspect}")
        for cell in row.cells:
            words = f"{cell.candidate} ({cell.here}): {cell.text} {cell.reason}"
            show(paragraph(words, "        ", "      "))
    show(paragraph(found.confidence, "  ", "\n  "))


def _list(title: str, sentences: list[str]) -> None:
    if sentences:
        show(f"\n  {title}")
        for sentence in sentences:
            show(paragraph(sentence, "    ", "  - "))
