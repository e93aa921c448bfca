"""Classes whose model is known by its tensors alone."""

from __future__ import annotations

from typing import Any

from backend.modelconfig.build import build
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.declared import template_of
from backend.modelconfig.lint.release import EMBEDDED, Release
from backend.modelconfig.propose import propose_candidate
from backend.workload.answers import Answers, CorrelationId, Serving
from backend.workload.declared_model import DeclaredModel, DeclaredState, DeclaredTensor
from backend.workload.demand import Demand
from backend.workload.study import CandidateChoice, ModelChoice, TrafficClass, Workload

FRAME = DeclaredTensor(name="FRAME", data_type="FP32", dims=(80,))
LABEL = DeclaredTensor(name="LABEL", data_type="FP32", dims=(5,))


def state(name: str = "h", **values: Any) -> DeclaredState:
    given = {
        "input_name": f"{name}_in",
        "output_name": f"{name}_out",
        "data_type": "FP32",
        "dims": (2,),
        **values,
    }
    return DeclaredState(**given)


def declared(
    backend: str = "onnxruntime",
    *,
    hardware: str = "cpu",
    batch: int = 8,
    inputs: tuple[DeclaredTensor, ...] = (FRAME,),
    states: tuple[DeclaredState, ...] = (),
    ids: dict[str, str] | None = None,
    demand: Demand | None = None,
    keeps_state: str = "yes",
    **answers: Any,
) -> TrafficClass:
    return TrafficClass(
        name="speech",
        workload=Workload(
            answers=Answers(
                serving=Serving(backend=backend, hardware=hardware),
                correlation_id=CorrelationId(**(ids or {})),
                **answers,
            ),
            demand=demand or Demand(),
        ),
        model=ModelChoice(
            declared=DeclaredModel(
                max_batch_size=batch,
                inputs=inputs,
                outputs=(LABEL,),
                states=states,
                keeps_state=keeps_state,
            )
        ),
    )


def propose(
    item: TrafficClass,
    name: str,
    *,
    instances: int = 1,
    concurrency: int = 8,
    release: Release = EMBEDDED,
    **given: Any,
) -> Candidate:
    template = template_of(item.model, item.workload.answers)
    choice = CandidateChoice(name=name, **given)
    return propose_candidate(item, choice, instances, concurrency, template, release)


def config(item: TrafficClass, name: str, **given: Any) -> Any:
    """The ``ModelConfig`` of a candidate of a declared model."""
    template = template_of(item.model, item.workload.answers)
    return build(propose(item, name, **given), template)
