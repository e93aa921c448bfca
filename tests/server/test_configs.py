"""Every candidate of every template on a real Triton (M09 to M11): loaded, with the meant effect.

Also the other way round: what the console refuses before a load, Triton refuses too. Files for
backends that the wheel lacks are loaded with backend and device alone exchanged, on a model that
does nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pytriton", reason="install nvidia-pytriton==0.7.0 (Linux x86-64)")

from backend.contracts.errors import InputError, ModelLoadFailed
from backend.modelconfig.build import build
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.declared import template_of
from backend.modelconfig.effective import same_effect
from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.lint.reading import read_configuration
from backend.modelconfig.propose import propose_candidate
from backend.modelconfig.refusals import refuse
from backend.modelconfig.text import candidate_text, to_text
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.repository import assemble
from backend.templates.reader import list_templates, load_template
from backend.templates.template import Template
from backend.workload.answers import Answers, CorrelationId, Serving
from backend.workload.declared_model import DeclaredModel, DeclaredState, DeclaredTensor
from backend.workload.demand import Demand
from backend.workload.study import (
    CANDIDATE_NAMES,
    CandidateChoice,
    ModelChoice,
    TrafficClass,
    Workload,
)
from tests.modelconfig.reading import parse

TEMPLATES = [template.name for template in list_templates()]
DOES_NOTHING = """
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse(output_tensors=[]) for _ in requests]
"""


def make_class(template: str, *, demand: Demand | None = None, **answers: Any) -> TrafficClass:
    return TrafficClass(
        name=f"class_{template}",
        workload=Workload(answers=Answers(**answers), demand=demand or Demand()),
        model=ModelChoice(template=template),
    )


def propose(
    template: str,
    name: str,
    *,
    ids: str = "uint64",
    instances: int = 1,
    item: TrafficClass | None = None,
    **given: object,
) -> Candidate:
    item = item or make_class(template, correlation_id=CorrelationId(type=ids))
    choice = CandidateChoice(name=name, **given)
    return propose_candidate(item, choice, instances, 8, load_template(template))


def loaded_differences(server: EmbeddedServer, candidate: Candidate) -> tuple[object, ...]:
    template = load_template(candidate.template)
    text = candidate_text(candidate, template)
    return text_differences(server, template, text, build(candidate, template))


def text_differences(
    server: EmbeddedServer, template: Template, text: str, intended: Any
) -> tuple[object, ...]:
    """What the server holds otherwise than intended, after a load from the text."""
    name = intended.name
    assemble(server.repository, name, template, text)
    control = server.control()
    control.load(name)
    try:
        return same_effect(intended, control.model_config(name))
    finally:
        control.unload(name)


LATE = Demand(deadline_ms=200, when_late="refuse", execution_ms=20, priority_levels=3)


@pytest.mark.parametrize("name", CANDIDATE_NAMES)
def test_what_the_demand_asks_for_loads(name: str, triton: EmbeddedServer) -> None:
    """Done means 5, the short form: deadline, priorities, warm-up and a narrow id."""
    item = make_class(
        "session_probe",
        demand=LATE,
        correlation_id=CorrelationId(type="uint64", control_type="uint32"),
    )
    candidate = propose("session_probe", name, item=item, instances=2, warm_up=True)
    assert loaded_differences(triton, candidate) == ()
    assert candidate.warm_up_batch_sizes


@pytest.mark.long
@pytest.mark.parametrize("name", CANDIDATE_NAMES)
@pytest.mark.parametrize("template", TEMPLATES)
def test_a_proposed_candidate_loads_and_the_server_holds_what_was_meant(
    template: str, name: str, triton: EmbeddedServer
) -> None:
    assert loaded_differences(triton, propose(template, name, instances=2)) == ()


ANSWERED: dict[str, dict[str, Any]] = {
    "text ids": {"correlation_id": CorrelationId(type="string")},
    "the id is not given": {"correlation_id": CorrelationId(type="uint64", control_type="none")},
    "ids as int64": {"correlation_id": CorrelationId(type="uint64", control_type="int64")},
    "ids as int32": {"correlation_id": CorrelationId(type="uint64", control_type="int32")},
    "late ones refused": {"demand": Demand(deadline_ms=50, when_late="refuse")},
    "late ones behind": {"demand": Demand(deadline_ms=50, when_late="serve_anyway")},
    "priorities": {"demand": Demand(priority_levels=2)},
    "hundreds of sessions": {"demand": Demand(live_sessions=400, execution_ms=30)},
    "several replies, ragged, a GPU": {
        "replies": "many",
        "shapes": "ragged",
        "serving": Serving(hardware="gpu"),
    },
    "nothing known": {},
}


@pytest.mark.long
@pytest.mark.parametrize("name", CANDIDATE_NAMES)
@pytest.mark.parametrize("case", ANSWERED)
def test_every_set_of_answers_gives_files_that_load(
    case: str, name: str, triton: EmbeddedServer
) -> None:
    """Done means 5."""
    item = make_class("session_probe", **ANSWERED[case])
    instances = 1 + list(ANSWERED).index(case) % 2
    candidate = propose("session_probe", name, item=item, instances=instances)
    assert loaded_differences(triton, candidate) == ()


@pytest.mark.long
@pytest.mark.parametrize("name", CANDIDATE_NAMES)
@pytest.mark.parametrize("template", [name for name in TEMPLATES if name != "session_probe"])
def test_real_models_load_with_a_warm_up_and_all_that_a_demand_asks_for(
    template: str, name: str, triton: EmbeddedServer
) -> None:
    item = make_class(template, demand=LATE, correlation_id=CorrelationId(type="uint64"))
    candidate = propose(template, name, item=item, warm_up=True)
    assert loaded_differences(triton, candidate) == ()


FRAME = DeclaredTensor(name="FRAME", data_type="FP32", dims=(80,))
OPEN = DeclaredTensor(name="WORDS", data_type="INT64", dims=(-1,))
DECLARED: dict[str, dict[str, Any]] = {
    "python, several replies": {"backend": "python", "replies": "many"},
    "python, ragged and optional": {
        "backend": "python",
        "shapes": "ragged",
        "inputs": (FRAME, OPEN.model_copy(update={"optional": True})),
    },
    "python, no batch dimension": {"backend": "python", "batch": 0},
    "onnxruntime, states": {
        "backend": "onnxruntime",
        "states": (
            DeclaredState(input_name="c_in", output_name="c_out", data_type="FP32", dims=(2, -1)),
            DeclaredState(
                input_name="h_in",
                output_name="h_out",
                data_type="FP32",
                dims=(2,),
                initial="uninitialised",
            ),
        ),
    },
    "onnxruntime, warm-up": {"backend": "onnxruntime", "demand": LATE},
    "tensorrt": {"backend": "tensorrt", "hardware": "gpu"},
    "pytorch, ragged": {"backend": "pytorch", "shapes": "ragged", "inputs": (OPEN,)},
    "vllm": {"backend": "vllm", "batch": 0, "hardware": "gpu"},
}


def declared(
    *,
    backend: str,
    hardware: str = "cpu",
    batch: int = 8,
    inputs: tuple[DeclaredTensor, ...] = (FRAME,),
    states: tuple[DeclaredState, ...] = (),
    demand: Demand | None = None,
    **answers: Any,
) -> TrafficClass:
    return TrafficClass(
        name="declared",
        workload=Workload(
            answers=Answers(serving=Serving(backend=backend, hardware=hardware), **answers),
            demand=demand or Demand(),
        ),
        model=ModelChoice(
            declared=DeclaredModel(
                max_batch_size=batch,
                inputs=inputs,
                outputs=(DeclaredTensor(name="LABEL", data_type="FP32", dims=(5,)),),
                states=states,
            )
        ),
    )


@pytest.mark.long
@pytest.mark.parametrize("name", CANDIDATE_NAMES)
@pytest.mark.parametrize("case", DECLARED)
def test_a_declared_models_file_is_clean_and_loads_in_all_but_its_backend(
    case: str, name: str, triton: EmbeddedServer, tmp_path: Path
) -> None:
    item = declared(**DECLARED[case])
    template = template_of(item.model, item.workload.answers)
    candidate = propose_candidate(item, CandidateChoice(name=name), 2, 8, template)
    text = candidate_text(candidate, template)
    intended = build(candidate, template)
    assert parse(text) == intended
    assert [found.message for found in lint_text(text) if found.severity == "error"] == []
    # the wheel has one backend and no GPU; everything else is what is to be served
    intended.backend = "python"
    intended.ClearField("platform")
    intended.instance_group[0].kind = intended.instance_group[0].KIND_CPU
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "model.py").write_text(DOES_NOTHING, encoding="utf-8")
    idle = template.model_copy(update={"folder": tmp_path})
    if intended.model_transaction_policy.decoupled:
        intended.ClearField("model_warmup")  # a decoupled model sends through a response sender
    assert text_differences(triton, idle, to_text(intended), intended) == ()


TUNED = {
    "oldest with text ids": ("sequence-oldest", {"ids": "string"}),
    "oldest with everything set": (
        "sequence-oldest",
        {
            "max_batch_size": 4,
            "preferred_batch_sizes": (2, 4),
            "max_queue_delay_microseconds": 1500,
            "max_candidate_sequences": 12,
            "max_sequence_idle_microseconds": 1_234_567,
        },
    ),
    "direct that waits": (
        "sequence-direct",
        {"max_queue_delay_microseconds": 2000, "minimum_slot_utilization": 0.75},
    ),
    "dynamic that waits": (
        "dynamic",
        {"preferred_batch_sizes": (4, 8), "max_queue_delay_microseconds": 2000},
    ),
    "one request per batch": ("dynamic", {"max_batch_size": 1}),
    "dynamic with a queue of its own": (
        "dynamic",
        {
            "queue_timeout_microseconds": 5000,
            "timeout_action": "DELAY",
            "max_queue_size": 9,
            "priority_levels": 4,
            "default_priority_level": 2,
        },
    ),
    "dynamic in order": ("dynamic", {"preserve_ordering": True, "max_queue_size": 9}),
    "oldest in order": ("sequence-oldest", {"preserve_ordering": True}),
    "where the model decides": ("dynamic", {"instance_kind": "KIND_MODEL"}),
    "warmed": ("sequence-direct", {"warm_up": True, "max_batch_size": 3}),
}


@pytest.mark.long
@pytest.mark.parametrize("case", TUNED.values(), ids=TUNED.keys())
def test_the_studys_own_values_reach_the_server(
    case: tuple[str, dict[str, object]], triton: EmbeddedServer
) -> None:
    name, given = case
    candidate = propose("session_probe", name, **given)
    assert loaded_differences(triton, candidate) == ()


# changes to a good configuration that make Triton refuse it, or end the model
REFUSED = {
    "preferred above the largest": lambda c: c.dynamic_batching.preferred_batch_size.append(99),
    "preferred of nothing": lambda c: c.dynamic_batching.preferred_batch_size.append(0),
    "negative batch size": lambda c: setattr(c, "max_batch_size", -1),
    "GPUs for the CPU": lambda c: c.instance_group[0].gpus.append(0),
    "a priority without a level": lambda c: setattr(c.dynamic_batching, "priority_levels", 2),
    "a tensor of no size": lambda c: c.input[0].dims.append(0),
    "a share above the whole": lambda c: setattr(
        c.sequence_batching.direct, "minimum_slot_utilization", 1.5
    ),
    "a control without values": lambda c: c.sequence_batching.control_input.add(
        name="S"
    ).control.add(),
    "a cache for sessions": lambda c: (
        c.sequence_batching.direct.SetInParent(),
        setattr(c.response_cache, "enable", True),
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("case", REFUSED)
def test_what_the_console_refuses_triton_refuses_too(case: str, triton: EmbeddedServer) -> None:
    template = load_template("session_probe")
    config = build(propose("session_probe", "no-batching"), template)
    config.name = "broken"
    config.max_batch_size = 4
    REFUSED[case](config)
    with pytest.raises(InputError):
        refuse(config)
    text = to_text(config)
    assert parse(text) == config
    assemble(triton.repository, "broken", template, text)
    with pytest.raises(ModelLoadFailed):
        triton.control().load("broken")
    assert triton.is_alive()


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "dynamic_batching { } sequence_batching { }",
        "sequence_batching { direct { } oldest { } }",
        "max_bach_size: 4",
        "max_batch_size: 1 max_batch_size: 2",
    ],
)
def test_what_cannot_be_parsed_here_cannot_be_there(
    text: str, triton: EmbeddedServer, tmp_path: Path
) -> None:
    template = load_template("session_probe")
    good = build(propose("session_probe", "no-batching"), template)
    good.name = "unread"
    good.ClearField("max_batch_size")
    whole = to_text(good) + text + "\n"
    assert read_configuration(whole).troubles
    assemble(triton.repository, "unread", template, whole)
    with pytest.raises(ModelLoadFailed):
        triton.control().load("unread")
    assert triton.is_alive()
