"""The candidates of a study as files: all that is needed to configure, and nothing to run.

Unlike ``preparation`` it takes classes whose model is only declared, and needs neither the packages
that a model imports nor a plan.
"""

from __future__ import annotations

from dataclasses import dataclass

from backend.advice.advise import advise
from backend.modelconfig.build import build
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.declared import template_of
from backend.modelconfig.lint.release import Release
from backend.modelconfig.propose import propose_candidate
from backend.studies.preparation import check_fits, fits, placed, study_choices
from backend.templates.reader import check_parameters, load_template
from backend.templates.template import Template
from backend.workload.study import CandidateChoice, CandidateName, Study, TrafficClass
from backend.workload.study_file import StudySource
from backend.workload.yaml_tree import Place


@dataclass(frozen=True)
class ProposedClass:
    """One class with the candidates that can be written for it.

    Attributes:
        item: The class as the study has it.
        template: Its model, or what stands for a declared one.
        choices: The candidates, the proposed one among them unless one was asked for.
        most_concurrent: The largest concurrency of the study, which sizes the slots.
        release: The release of Triton that is to load them.
    """

    item: TrafficClass
    template: Template
    choices: tuple[CandidateChoice, ...]
    most_concurrent: int
    release: Release

    def candidate(self, name: str, instances: int) -> Candidate:
        """The candidate of that name with so many instances.

        Raises:
            InputError: if the study's values do not fit the model, its backend or the release.
        """
        choice = next(choice for choice in self.choices if choice.name == name)
        return propose_candidate(
            self.item, choice, instances, self.most_concurrent, self.template, self.release
        )


def proposed_classes(
    study: Study,
    *,
    source: StudySource | None = None,
    only: CandidateName | None = None,
    instances: int,
) -> tuple[ProposedClass, ...]:
    """Every class that can be configured, its candidates tried.

    Args:
        study: The study.
        source: Its file, so that faults name the line.
        only: This candidate alone, whatever the study lists.
        instances: Model instances with which each candidate is tried.

    Raises:
        InputError: if a model, parameter or candidate is not possible, or no class can be served
            by the one candidate asked for.
    """
    found = []
    for index, item in enumerate(study.classes):
        if only is not None and not fits(item, only) and len(study.classes) > 1:
            continue
        found.append(_proposed(study, item, index, source, only, instances))
    if not found and only is not None:
        check_fits(study.classes[0], only)
    return tuple(found)


def _proposed(
    study: Study,
    item: TrafficClass,
    index: int,
    source: StudySource | None,
    only: CandidateName | None,
    instances: int,
) -> ProposedClass:
    place: Place = ("classes", index)
    template = _model(item, place, source)
    choices = study_choices(item, advise(item, None if item.model.declared else template))
    if only is not None:
        choices = tuple(choice for choice in choices if choice.name == only) or (
            CandidateChoice(name=only),
        )
        placed(source, lambda: check_fits(item, only), *place, "candidates")
    for number, choice in enumerate(item.candidates):
        placed(
            source,
            lambda name=choice.name: check_fits(item, name),  # type: ignore[misc]
            *place,
            "candidates",
            number,
        )
    proposed = ProposedClass(
        item=item,
        template=template,
        choices=choices,
        most_concurrent=max(study.matrix.concurrency),
        release=Release.of(study.triton_release),
    )
    for choice in choices:
        placed(
            source,
            lambda name=choice.name: build(  # type: ignore[misc]
                proposed.candidate(name, instances), template, proposed.release
            ),
            *place,
            "candidates",
        )
    return proposed


def _model(item: TrafficClass, place: Place, source: StudySource | None) -> Template:
    model = item.model
    if model.declared is not None:
        answers = item.workload.answers
        return placed(source, lambda: template_of(model, answers), *place, "model", "declared")
    template = placed(source, lambda: load_template(model.template), *place, "model", "template")
    placed(
        source,
        lambda: check_parameters(template, model.parameters),
        *place,
        "model",
        "parameters",
    )
    return template
