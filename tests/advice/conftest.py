"""Classes and models to advise on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from backend.advice.advise import advise
from backend.advice.recommendation import Recommendation
from backend.templates.template import Parameter, Samples, StatePlace, Template, Tensor
from backend.workload.answers import Answers
from backend.workload.questions import with_answer
from backend.workload.study import ModelChoice, TrafficClass, Workload
from backend.workload.traffic import Traffic

Advised = Callable[..., Recommendation]


def model(*places: StatePlace) -> Template:
    """A model that can keep its state in these places; none of them: a stateless one."""
    chosen = places or ("none",)
    parameters = ()
    if len(chosen) > 1:
        parameters = (
            Parameter(
                name="state_place", kind="choice", default=chosen[0], choices=chosen, about="Where."
            ),
        )
    return Template(
        name="model",
        title="The model",
        about="Some model.",
        stateful=chosen != ("none",),
        state_places=chosen,
        oracle="isolated_replay",
        max_batch_size=8,
        inputs=(Tensor(name="X", data_type="FP32", dims=(1,)),),
        outputs=(Tensor(name="Y", data_type="FP32", dims=(1,)),),
        parameters=parameters,
        samples=Samples(kind="generated", input="X"),
        folder=Path("/nowhere"),
    )


@pytest.fixture
def advised() -> Advised:
    """Advice for answers given by question id; places: the model's (none given: no model known)."""

    def ask(
        places: tuple[StatePlace, ...] | None = None,
        *,
        traffic: Traffic | None = None,
        parameters: dict[str, str] | None = None,
        **given: str,
    ) -> Recommendation:
        answers = Answers()
        for question, value in given.items():
            answers = with_answer(answers, question, value)
        item = TrafficClass(
            name="letters",
            workload=Workload(answers=answers, traffic=traffic or Traffic()),
            model=ModelChoice(template="model", parameters=parameters or {}),
        )
        return advise(item, None if places is None else model(*places))

    return ask
