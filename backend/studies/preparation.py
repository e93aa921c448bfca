"""Everything of a study that can be settled before a server starts: models, advice, plans.

Whatever is wrong with the input is found here, with its line in the study file where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from backend.advice.advise import advise
from backend.advice.recommendation import Recommendation
from backend.contracts.errors import EnvironmentMissing, InputError
from backend.modelconfig.build import build
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.lint.release import Release
from backend.modelconfig.propose import propose_candidate
from backend.sessions.correlation_ids import sends_sequences
from backend.sessions.inputs import input_bytes
from backend.sessions.plan import Plan
from backend.sessions.planning import make_plan
from backend.studies.runnable import check_runnable
from backend.templates.reader import check_parameters, load_template, missing_requirements
from backend.templates.samples import Sample, load_samples
from backend.templates.template import Template
from backend.workload.study import CandidateChoice, CandidateName, Cell, Study, TrafficClass
from backend.workload.study_file import StudySource

_T = TypeVar("_T")


@dataclass(frozen=True)
class PreparedClass:
    """One class, ready to be served.

    Attributes:
        item: The class as the study has it.
        template: Its model.
        samples: The model's sample inputs, empty where inputs are generated.
        recommendation: What is proposed, and why.
        choices: The candidates to try, the proposed one among them unless one was asked for.
        cells: The settings to try them in.
        plans: By cell name.
        most_concurrent: The largest concurrency of the study, which sizes the slots.
    """

    item: TrafficClass
    template: Template
    samples: tuple[Sample, ...]
    recommendation: Recommendation
    choices: tuple[CandidateChoice, ...]
    cells: tuple[Cell, ...]
    plans: Mapping[str, Plan]
    most_concurrent: int

    def candidate(self, name: str, instances: int) -> Candidate:
        """The candidate of that name as it is served with so many instances."""
        choice = next(choice for choice in self.choices if choice.name == name)
        return propose_candidate(self.item, choice, instances, self.most_concurrent, self.template)

    def inputs(self, plan: Plan) -> list[bytes]:
        """The bytes of every request of one of its plans."""
        return input_bytes(plan, self.template, self.samples)


@dataclass(frozen=True)
class PreparedStudy:
    """A study whose classes are all ready."""

    study: Study
    classes: tuple[PreparedClass, ...]
    left_out: tuple[str, ...] = ()
    """Classes that the one candidate asked for cannot serve."""

    def class_named(self, name: str) -> PreparedClass:
        """The class of that name (KeyError if there is none)."""
        for prepared in self.classes:
            if prepared.item.name == name:
                return prepared
        raise KeyError(name)


def prepare(
    study: Study, *, source: StudySource | None = None, only: CandidateName | None = None
) -> PreparedStudy:
    """Settle all that needs no server.

    Args:
        study: The study.
        source: Its file, so that faults name the line.
        only: Try this candidate alone, whatever the study lists.

    Raises:
        InputError: if a template, parameter, candidate or plan is not possible.
        EnvironmentMissing: if a package that a model imports is not installed.
    """
    fitting = tuple(
        (index, item)
        for index, item in enumerate(study.classes)
        if only is None or fits(item, only)
    )
    if not fitting:
        raise InputError(
            f"No class of this study can be served by {only}.",
            why="Their requests stand alone and carry no correlation ID, without which Triton's "
            "sequence batcher refuses them.",
            next_step="Choose dynamic or no-batching.",
        )
    return PreparedStudy(
        study=study,
        classes=tuple(_prepare_class(study, item, index, source, only) for index, item in fitting),
        left_out=tuple(
            item.name for item in study.classes if only is not None and not fits(item, only)
        ),
    )


def fits(item: TrafficClass, name: CandidateName) -> bool:
    """Whether the class's requests can be sent to a candidate: a sequence needs an ID."""
    return not name.startswith("sequence-") or sends_sequences(item.workload.answers)


def check_fits(item: TrafficClass, name: CandidateName) -> None:
    """Refuse a candidate that the class's requests cannot be sent to.

    Raises:
        InputError: saying what would be needed.
    """
    if not fits(item, name):
        raise InputError(
            f"Class '{item.name}' cannot be served by {name}: its requests carry no correlation "
            "ID.",
            next_step="Leave it out; or, if requests belong to sessions, answer so.",
        )


def study_choices(
    item: TrafficClass, recommendation: Recommendation
) -> tuple[CandidateChoice, ...]:
    """The candidates of a class: the study's, or else the recommendation's; the proposed included.

    A verdict is always about the proposed candidate, so a study that leaves it out gets it first.
    """
    names = recommendation.compare
    choices = item.candidates or tuple(CandidateChoice(name=name) for name in names)
    if all(choice.name != recommendation.proposed for choice in choices):
        choices = (CandidateChoice(name=recommendation.proposed), *choices)
    return choices


def _prepare_class(
    study: Study,
    item: TrafficClass,
    index: int,
    source: StudySource | None,
    only: CandidateName | None,
) -> PreparedClass:
    place = ("classes", index)
    placed(source, lambda: check_runnable(item), *place, "model", "declared")
    template = placed(
        source, lambda: load_template(item.model.template), *place, "model", "template"
    )
    placed(
        source,
        lambda: check_parameters(template, item.model.parameters),
        *place,
        "model",
        "parameters",
    )
    missing = missing_requirements(template)
    if missing:
        raise EnvironmentMissing(
            f"The model '{template.name}' needs packages that are not installed here: "
            f"{', '.join(missing)}.",
            next_step="Run 'make venv', or 'pip install -r requirements.txt' in your environment.",
        )
    samples = load_samples(template) if template.samples.kind != "generated" else ()
    recommendation = advise(
        item,
        template,
        release=Release.of(study.triton_release),
        classes=len(study.classes),
    )
    choices = study_choices(item, recommendation)
    if only is not None:
        choices = tuple(choice for choice in choices if choice.name == only) or (
            CandidateChoice(name=only),
        )
    for number, choice in enumerate(item.candidates):
        placed(
            source,
            lambda name=choice.name: check_fits(item, name),  # type: ignore[misc]
            *place,
            "candidates",
            number,
        )
    cells = study.cells(item)
    plans = {
        cell.name: placed(
            source,
            lambda cell=cell: make_plan(study, item, template, samples, cell),  # type: ignore[misc]
            *place,
            "workload",
        )
        for cell in cells
    }
    prepared = PreparedClass(
        item=item,
        template=template,
        samples=samples,
        recommendation=recommendation,
        choices=choices,
        cells=cells,
        plans=plans,
        most_concurrent=max(study.matrix.concurrency),
    )
    release = Release.of(study.triton_release)
    for choice in choices:
        for instances in study.matrix.instances:
            placed(
                source,
                lambda name=choice.name, count=instances: build(  # type: ignore[misc]
                    prepared.candidate(name, count), template, release
                ),
                *place,
                "candidates",
            )
    return prepared


def placed(source: StudySource | None, action: Callable[[], _T], *place: str | int) -> _T:
    """What the action gives; its fault, if any, with the line of the study file.

    Raises:
        InputError: as the action, with the line where there is a file.
    """
    try:
        return action()
    except InputError as error:
        if source is None or error.line is not None:
            raise
        raise source.fault(error.what, *place, why=error.why, next_step=error.next_step) from error
