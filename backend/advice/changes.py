"""What would change a proposal (M08): each answer is changed by itself and decided again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from backend.advice.decision import Decision, Known, decide
from backend.advice.recommendation import Change
from backend.workload.answers import Answers
from backend.workload.questions import QUESTIONS, answer_to, question, with_answer
from backend.workload.study import CandidateName, TrafficClass

_TO_STATELESS: Final = (
    ("relation", "independent"),
    ("order", "no"),
    ("state_kind", "none"),
    ("state_place", "none"),
)


def changes(item: TrafficClass, known: Known, decided: Decision) -> Iterator[Change]:
    """Other answers that would lead to another proposal, found by deciding again with each."""
    answers = item.workload.answers
    reached = False
    for asked in QUESTIONS:
        if asked.multiple:
            continue
        current = answer_to(answers, asked.id)
        outcomes: dict[CandidateName, list[str]] = {}
        for option in asked.options:
            if option.value == current:
                continue
            again = decide(_with(item, with_answer(answers, asked.id, option.value)), known)
            if again.proposed != decided.proposed:
                outcomes.setdefault(again.proposed, []).append(option.value)
        for becomes, values in outcomes.items():
            labels = " or ".join(f"'{asked.option(value).label}'" for value in values)
            yield Change(
                question=asked.id,
                answers=tuple(values),
                becomes=becomes,
                sentence=f"'{asked.text}' answered with {labels} would lead to {becomes}.",
            )
            reached = reached or becomes == "dynamic"
    if decided.batcher == "sequence" and not reached:
        yield from _to_dynamic(item, known, decided)


def _with(item: TrafficClass, answers: Answers) -> TrafficClass:
    workload = item.workload.model_copy(update={"answers": answers})
    return item.model_copy(update={"workload": workload})


def _to_dynamic(item: TrafficClass, known: Known, decided: Decision) -> Iterator[Change]:
    """What would all have to be different, where no single answer leads to the dynamic batcher."""
    answers = item.workload.answers
    changed = Answers()
    for asked, value in _TO_STATELESS:
        changed = with_answer(changed, asked, value)
    if decide(_with(item, changed), known).batcher == "sequence":
        yield Change(
            question="model",
            answers=("stateless",),
            becomes="dynamic",
            sentence="Only a model that keeps no state would lead to dynamic: this one declares "
            "that it does.",
        )
        return
    if decided.by_measuring:
        yield Change(
            question="test",
            answers=("equal results",),
            becomes="dynamic",
            sentence="Dynamic may be reconsidered if a test shows equal results under it, on "
            "several instances: no answer alone leads there.",
        )
        return
    needed = tuple(
        value for asked, value in _TO_STATELESS if answer_to(answers, question(asked).id) != value
    )
    yield Change(
        question="relation",
        answers=needed,
        becomes="dynamic",
        sentence="Dynamic would be proposed only if requests stood alone, their order did not "
        "matter, nothing were remembered between them and none were marked as a session's first "
        "or last: all of it at once. A test would still have to show equal results.",
    )
