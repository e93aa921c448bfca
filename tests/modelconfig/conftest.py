"""A template and classes of their own: these tests must not move with the shipped models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from backend.templates.template import Parameter, Samples, Template, Tensor
from backend.workload.answers import Answers, CorrelationId
from backend.workload.demand import Demand
from backend.workload.study import ModelChoice, TrafficClass, Workload
from backend.workload.traffic import LengthGroup, Objectives, Traffic


@pytest.fixture
def template() -> Template:
    return Template(
        name="speller",
        title="Speller",
        about="Spells.",
        stateful=True,
        state_places=("correlation_id", "slot"),
        oracle="isolated_replay",
        max_batch_size=16,
        inputs=(
            Tensor(name="FRAME", data_type="FP32", dims=("width", -1)),
            Tensor(name="WORD", data_type="BYTES", dims=(1,)),
        ),
        outputs=(Tensor(name="LABEL", data_type="INT64", dims=(3,)),),
        parameters=(
            Parameter(
                name="state_place",
                kind="choice",
                default="correlation_id",
                choices=("correlation_id", "slot"),
                about="Where.",
            ),
            Parameter(name="width", kind="integer", default=4, minimum=1, about="Wide."),
            Parameter(name="pace", kind="number", default=1.5, about="Pace."),
        ),
        samples=Samples(kind="generated", input="FRAME"),
        folder=Path("/nowhere"),
    )


def make_class(
    *,
    id_type: str = "uint64",
    traffic: Traffic | None = None,
    answers: Answers | None = None,
    demand: Demand | None = None,
    **parameters: int | float | str,
) -> TrafficClass:
    return TrafficClass(
        name="letters",
        workload=Workload(
            answers=answers or Answers(correlation_id=CorrelationId(type=id_type)),
            traffic=traffic
            or Traffic(
                mixes={"m": (LengthGroup(group="g", share=1.0, steps=(5, 50)),)},
                longest_gap_ms=3000.0,
                objectives=Objectives(response_p99_ms=500.0),
            ),
            demand=demand or Demand(),
        ),
        model=ModelChoice(template="speller", parameters=parameters),
    )


@pytest.fixture
def class_with() -> Callable[..., TrafficClass]:
    """Makes a class with other ids, traffic, answers, demand or parameters."""
    return make_class


@pytest.fixture
def letters() -> TrafficClass:
    return make_class()
