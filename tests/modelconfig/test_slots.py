"""Slots are counted in one way wherever they are named (M09, M11)."""

from __future__ import annotations

import pytest
from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2

from backend.modelconfig.explain import explain
from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.slots import instances, slots_of, slots_per_instance
from tests.modelconfig.lint.cases_fit import of_class

OLDEST = "sequence_batching { oldest { max_candidate_sequences: 8 } }\n"

# the file's groups and backend; instances; slots of each
COUNTS = [
    ('backend: "python" instance_group { count: 2 }', 2, 8),
    ('backend: "python" instance_group { kind: KIND_CPU }', 1, 8),
    ('backend: "onnxruntime" instance_group { kind: KIND_CPU }', 2, 8),
    ('platform: "onnxruntime_onnx" instance_group { kind: KIND_CPU }', 2, 8),
    ('backend: "onnxruntime" instance_group { kind: KIND_GPU gpus: [ 0, 1, 2, 3 ] }', 4, 8),
    ('backend: "python" instance_group { count: -2 }', 1, 8),
    ('backend: "python"', 1, 8),
]


@pytest.mark.parametrize(("top", "number", "each"), COUNTS)
def test_linter_and_explanation_count_alike(top: str, number: int, each: int) -> None:
    text = f'name: "m" max_batch_size: 4 {top}\n{OLDEST}'
    config = text_format.Parse(text, model_config_pb2.ModelConfig())
    assert (instances(config), slots_per_instance(config)) == (number, each)
    told = " ".join(explain(config))
    assert f"{number * each} sessions" in told
    slots = number * each
    few = of_class(answers={"relation": "parts_of_a_session"}, demand={"live_sessions": slots + 1})
    enough = of_class(answers={"relation": "parts_of_a_session"}, demand={"live_sessions": slots})
    (found,) = [item for item in lint_text(text, **few) if item.rule == "class-slots"]
    assert f"{number} x {each} = {slots} slots for {slots + 1}" in found.message
    assert "class-slots" not in {item.rule for item in lint_text(text, **enough)}


def test_a_negative_number_of_candidates_counts_as_not_set() -> None:
    text = "max_batch_size: 4 sequence_batching { oldest { max_candidate_sequences: -3 } }"
    config = text_format.Parse(text, model_config_pb2.ModelConfig())
    assert slots_per_instance(config) == 4


@pytest.mark.parametrize(
    ("groups", "number"),
    [("", 2), ("instance_group { }", 2), ("instance_group { kind: KIND_GPU }", 1),
     ("instance_group { count: 3 }", 3)],
)  # fmt: skip
def test_what_names_no_kind_runs_on_the_cpu_of_a_machine_without_a_gpu(
    groups: str, number: int
) -> None:
    """Two instances there, for ONNX Runtime: SetDefaultInstanceCount."""
    text = f'backend: "onnxruntime" max_batch_size: 4 {groups} {OLDEST}'
    config = text_format.Parse(text, model_config_pb2.ModelConfig())
    assert instances(config, gpus=False) == number
    many = of_class(answers={"relation": "parts_of_a_session"}, demand={"live_sessions": 99})
    found = [r for r in lint_text(text, gpus=False, **many) if r.rule == "class-slots"]
    assert found[0].message.startswith(f"{number} x 8 = {8 * number} slots")
    told = " ".join(explain(config))
    assert ("On a machine without a GPU it is 2 x 8 = 16 sessions" in told) is (
        number != instances(config)
    )


def test_a_candidate_counts_its_slots_as_the_file_built_from_it() -> None:
    assert [slots_of(4, 8), slots_of(4), slots_of(0), slots_of(4, -1)] == [8, 4, 1, 4]
