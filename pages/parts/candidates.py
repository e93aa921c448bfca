"""The candidates of a class as a page shows them: which are tried, and each one's file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from backend.advice.advise import advise
from backend.advice.recommendation import Recommendation
from backend.contracts.errors import InputError
from backend.modelconfig.build import build
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.declared import template_of
from backend.modelconfig.lint.release import Release
from backend.modelconfig.propose import propose_candidate
from backend.modelconfig.text import candidate_text
from backend.templates.template import Template
from backend.workload.study import CandidateChoice, CandidateName, Study, TrafficClass


@dataclass(frozen=True)
class Shown:
    """A candidate with its file, or with the reason why there is none."""

    name: CandidateName
    candidate: Candidate | None = None
    config: Any = None
    text: str = ""
    refused: InputError | None = None


def recommendation(item: TrafficClass, study: Study | None = None) -> Recommendation:
    """The advice for a class, with what its model declares where the model is known.

    Args:
        item: The class.
        study: The study that it is of: its release and its other classes count.
    """
    # as the command does: what stands for a declared model says no more than the answers
    known = None if item.model.declared is not None else model(item)
    if study is None:
        return advise(item, known)
    release = Release.of(study.triton_release)
    return advise(item, known, release=release, classes=len(study.classes))


def model(item: TrafficClass) -> Template | None:
    """The class's model, or what stands for a declared one; null if it is not there or wrong."""
    try:
        return template_of(item.model, item.workload.answers)
    except InputError:
        return None


def tried(item: TrafficClass) -> tuple[CandidateName, ...]:
    """Names of the candidates that a test of this class tries; the proposed one is among them."""
    advice = recommendation(item)
    names = tuple(choice.name for choice in item.candidates) or advice.compare
    return names if advice.proposed in names else (advice.proposed, *names)


def shown(study: Study, item: TrafficClass, template: Template, instances: int) -> list[Shown]:
    """Every candidate that is tried, as it would be served with so many instances."""
    choices = {choice.name: choice for choice in item.candidates}
    most = max(study.matrix.concurrency)
    release = Release.of(study.triton_release)
    found = []
    for name in tried(item):
        choice = choices.get(name, CandidateChoice(name=name))
        try:
            candidate = propose_candidate(item, choice, instances, most, template, release)
            found.append(
                Shown(
                    name=name,
                    candidate=candidate,
                    config=build(candidate, template, release),
                    text=candidate_text(candidate, template, release),
                )
            )
        except InputError as error:
            found.append(Shown(name=name, refused=error))
    return found
