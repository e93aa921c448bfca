"""Models known by their tensors alone (M09, M11): a configuration for each candidate."""

from __future__ import annotations

import pytest
from tritonclient.grpc import model_config_pb2 as pb

from backend.contracts.errors import InputError
from backend.modelconfig.declared import template_of
from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.text import candidate_text
from backend.workload.study import CANDIDATE_NAMES, ModelChoice
from tests.modelconfig.declared_models import FRAME, config, declared, propose, state
from tests.modelconfig.reading import parse

BACKENDS = (
    "python", "onnxruntime", "tensorrt", "pytorch", "tensorflow", "openvino", "dali",
    "tensorrtllm", "custom",
)  # fmt: skip


@pytest.mark.parametrize("name", CANDIDATE_NAMES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_candidate_of_every_backend_passes_schema_and_linter(backend: str, name: str) -> None:
    """Done means 5, for backends that the embedded server lacks."""
    item = declared(backend, hardware="unknown")
    candidate = propose(item, name, instances=2)
    text = candidate_text(candidate, template_of(item.model, item.workload.answers))
    assert parse(text) == config(item, name, instances=2)
    assert [f.message for f in lint_text(text, folder="speech") if f.severity == "error"] == []
    assert f'backend: "{backend}"' in text


def test_tensors_stand_as_declared() -> None:
    item = declared(
        inputs=(
            FRAME,
            FRAME.model_copy(update={"name": "MASK", "data_type": "BF16", "optional": True}),
        )
    )
    found = config(item, "dynamic")
    assert [(i.name, i.data_type, list(i.dims), i.optional) for i in found.input] == [
        ("FRAME", pb.TYPE_FP32, [80], False),
        ("MASK", pb.TYPE_BF16, [80], True),
    ]
    assert [(o.name, list(o.dims)) for o in found.output] == [("LABEL", [5])]
    assert found.max_batch_size == 8


def test_an_unanswered_backend_is_asked_for() -> None:
    item = declared("unknown")
    with pytest.raises(InputError, match="backend of this class's model is not known") as caught:
        template_of(item.model, item.workload.answers)
    assert "serving.backend" in caught.value.next_step


def test_a_name_of_a_custom_backend_has_to_be_written() -> None:
    assert "write the name" in propose(declared("custom"), "dynamic").reasons["backend"]
    assert "backend" not in propose(declared("python"), "dynamic").reasons


def test_a_model_without_batch_dimension_gets_none() -> None:
    item = declared(batch=0)
    for name in CANDIDATE_NAMES:
        assert config(item, name).max_batch_size == 0
    assert list(config(item, "dynamic").dynamic_batching.preferred_batch_size) == []
    assert propose(item, "sequence-direct", instances=3).slots == 3
    with pytest.raises(InputError, match="max_batch_size is 4") as caught:
        propose(item, "dynamic", max_batch_size=4)
    assert "no batch dimension" in caught.value.why


def test_vllm_batches_inside_itself() -> None:
    with pytest.raises(InputError, match="max_batch_size 8, but its backend is 'vllm'"):
        propose(declared("vllm"), "dynamic")
    found = config(declared("vllm", batch=0), "no-batching")
    assert found.model_transaction_policy.decoupled
    assert found.instance_group[0].kind == pb.ModelInstanceGroup.KIND_MODEL


def test_a_dimension_of_nothing_and_a_name_given_twice_are_refused() -> None:
    with pytest.raises(InputError, match=r"has dims \[0\]"):
        propose(declared(inputs=(FRAME.model_copy(update={"dims": (0,)}),)), "dynamic")
    with pytest.raises(InputError, match="two tensors named 'FRAME'"):
        propose(declared(inputs=(FRAME, FRAME)), "dynamic")


def test_a_template_is_given_as_it_is() -> None:
    item = declared()
    template = template_of(ModelChoice(template="session_probe"), item.workload.answers)
    assert (template.name, template.backend) == ("session_probe", "python")
    with pytest.raises(InputError, match="no parameter 'speed'"):
        template_of(
            ModelChoice(template="session_probe", parameters={"speed": 1}), item.workload.answers
        )


def test_whether_it_keeps_state_is_as_declared_and_else_as_answered() -> None:
    """M03: an unknown state counts as one."""

    def stateful(**values: object) -> bool:
        item = declared(**values)
        return template_of(item.model, item.workload.answers).stateful

    assert stateful(keeps_state="yes", state_kind="none")
    assert not stateful(keeps_state="no", state_kind="session_object")
    assert stateful(keeps_state="unknown", state_kind="unknown")
    assert not stateful(keeps_state="unknown", state_kind="none")
    assert not stateful(keeps_state="unknown", state_kind="carried_in_request")
    assert stateful(keeps_state="no", states=(state(),))


def test_a_stateless_class_is_told_to_have_a_model_of_its_own() -> None:
    """M14."""
    alone = propose(declared(keeps_state="no"), "dynamic")
    assert "never share a scheduler" in alone.reasons["model_name"]
    assert "model_name" not in propose(declared(keeps_state="yes"), "dynamic").reasons
