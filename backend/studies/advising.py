"""The advice for the classes of a study: asks for neither a server, packages nor a plan."""

from __future__ import annotations

from collections.abc import Sequence

from backend.advice.advise import advise
from backend.advice.recommendation import Recommendation
from backend.advice.splits import Split, splits
from backend.modelconfig.lint.release import Release
from backend.studies.preparation import check_fits, placed
from backend.templates.reader import check_parameters, load_template
from backend.workload.study import Study, TrafficClass
from backend.workload.study_file import StudySource
from backend.workload.yaml_tree import Place


def class_advice(item: TrafficClass, study: Study | None = None) -> Recommendation:
    """The advice for one class, with what its model template declares where it has one.

    Args:
        item: The class.
        study: The study that it is of: its release and its other classes count.

    Raises:
        InputError: if there is no such template.
    """
    template = load_template(item.model.template) if item.model.declared is None else None
    if study is None:
        return advise(item, template)
    release = Release.of(study.triton_release)
    return advise(item, template, release=release, classes=len(study.classes))


def study_splits(advice: Sequence[tuple[TrafficClass, Recommendation]]) -> tuple[Split, ...]:
    """The models, versions or endpoints that the classes of a study need (M14)."""
    return splits([(item.name, found.proposed) for item, found in advice])


def study_advice(
    study: Study, *, source: StudySource | None = None
) -> tuple[tuple[TrafficClass, Recommendation], ...]:
    """Every class with its advice.

    Args:
        study: The study.
        source: Its file, so that faults name the line.

    Raises:
        InputError: if a template, parameter or candidate is not possible.
    """
    return tuple(
        (item, _checked(study, item, index, source)) for index, item in enumerate(study.classes)
    )


def _checked(
    study: Study, item: TrafficClass, index: int, source: StudySource | None
) -> Recommendation:
    place: Place = ("classes", index)
    model = item.model
    if model.declared is None:
        template = placed(
            source, lambda: load_template(model.template), *place, "model", "template"
        )
        placed(
            source,
            lambda: check_parameters(template, model.parameters),
            *place,
            "model",
            "parameters",
        )
    for number, choice in enumerate(item.candidates):
        placed(
            source,
            lambda name=choice.name: check_fits(item, name),  # type: ignore[misc]
            *place,
            "candidates",
            number,
        )
    return class_advice(item, study)
