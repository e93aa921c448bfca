"""A template: what depends on a placeholder's value is not said, all else is (M10, M11)."""

from __future__ import annotations

import pytest

from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.lint.rule import ModelCode

MODEL = """name: "m"
backend: "python"
input { name: "I" data_type: TYPE_FP32 dims: 1 }
output { name: "O" data_type: TYPE_FP32 dims: 1 }
"""
ENSEMBLE = """name: "e" platform: "ensemble"
input { name: "A" data_type: TYPE_FP32 dims: 1 } output { name: "Z" data_type: TYPE_FP32 dims: 1 }
ensemble_scheduling { step { model_name: "m" model_version: -1
  input_map { key: "x" value: "VALUE" } output_map { key: "y" value: "Z" } } }
"""
CODE = ModelCode(file="model.py", inputs=(("I", 3),), outputs=(("O", 4),))


def said(text: str, code: ModelCode | None = None) -> set[str]:
    return {item.rule for item in lint_text(text, code=code)} - {"placeholder"}


def errors(text: str, code: ModelCode | None = None) -> set[str]:
    found = lint_text(text, code=code)
    return {item.rule for item in found if item.severity == "error"}


# with a hole; with a value that breaks a rule; the rule
DEPENDS = [
    (
        MODEL + "max_batch_size: ${N} dynamic_batching { preferred_batch_size: [8] }",
        MODEL + "max_batch_size: 4 dynamic_batching { preferred_batch_size: [8] }",
        "preferred-size",
    ),
    (
        MODEL + "max_batch_size: {{ size }} sequence_batching { direct { } }",
        MODEL + "max_batch_size: 1 sequence_batching { direct { } }",
        "direct-one-slot",
    ),
    (
        MODEL + "max_batch_size: {{ size }} dynamic_batching { }",
        MODEL + "max_batch_size: 1 dynamic_batching { }",
        "dynamic-without-batch",
    ),
    (
        MODEL + "max_batch_size: 4 dynamic_batching { priority_levels: ${L} "
        "default_priority_level: 2 }",
        MODEL + "max_batch_size: 4 dynamic_batching { priority_levels: 1 "
        "default_priority_level: 2 }",
        "default-priority-level",
    ),
    (ENSEMBLE.replace("VALUE", "${SOURCE}"), ENSEMBLE.replace("VALUE", "Q"), "ensemble-graph"),
    (
        ENSEMBLE.replace("VALUE", "in_${SOURCE}"),
        ENSEMBLE.replace("VALUE", "in_x"),
        "ensemble-graph",
    ),
    (
        MODEL + "instance_group { kind: ${KIND} gpus: [0] }",
        MODEL + "instance_group { kind: KIND_CPU gpus: [0] }",
        "cpu-group-with-gpus",
    ),
    # an enumeration, a truth, a number with a fraction, a key, a part of a text
    (
        MODEL.replace(
            "TYPE_FP32 dims: 1 }\noutput", "${TYPE} reshape { shape: 2 } dims: 1 }\noutput"
        )
        + "model_warmup { batch_size: 1 inputs { key: 'I' value { data_type: TYPE_INT8 dims: 1 "
        "zero_data: true } } }",
        MODEL
        + "model_warmup { batch_size: 1 inputs { key: 'I' value { data_type: TYPE_INT8 dims: 1 "
        "zero_data: true } } }",
        "warm-up-input",
    ),
    (
        MODEL.replace("dims: 1 }\no", "dims: 1 is_shape_tensor: ${S} }\no"),
        MODEL.replace("dims: 1 }\no", "dims: 1 is_shape_tensor: true }\no"),
        "tensorrt-only-tensor",
    ),
    (
        MODEL + "max_batch_size: 4 sequence_batching { direct { minimum_slot_utilization: ${U} } }",
        MODEL + "max_batch_size: 4 sequence_batching { direct { minimum_slot_utilization: 1.5 } }",
        "slot-utilization",
    ),
    (
        MODEL + "max_batch_size: 4 dynamic_batching { priority_levels: 2 default_priority_level: 1 "
        "priority_queue_policy { key: ${LEVEL} value { max_queue_size: 1 } } }",
        MODEL + "max_batch_size: 4 dynamic_batching { priority_levels: 2 default_priority_level: 1 "
        "priority_queue_policy { key: 3 value { max_queue_size: 1 } } }",
        "priority-policy-level",
    ),
    # whole sections, parts of lists, whole lists
    (
        MODEL + "max_batch_size: 4 sequence_batching { oldest { } control_input ${CONTROL} }",
        MODEL + "max_batch_size: 4 sequence_batching { oldest { } }",
        "oldest-without-id",
    ),
    (
        ENSEMBLE.replace('input_map { key: "x" value: "VALUE" }', "{{ maps }}"),
        ENSEMBLE.replace('input_map { key: "x" value: "VALUE" }', ""),
        "ensemble-step",
    ),
    (
        MODEL + "max_batch_size: 4 sequence_batching { direct { } control_input [ ${CONTROLS} ] }",
        MODEL + "max_batch_size: 4 sequence_batching { direct { } }",
        "direct-without-ready",
    ),
    (
        '{"max_batch_size": "${N}", "dynamic_batching": {"preferred_batch_size": [8]}}',
        '{"max_batch_size": "4", "dynamic_batching": {"preferred_batch_size": [8]}}',
        "preferred-size",
    ),
    (
        '{"max_batch_size": {{ n }}, "dynamic_batching": {"preferred_batch_size": [8]}}',
        '{"max_batch_size": 4, "dynamic_batching": {"preferred_batch_size": [8]}}',
        "preferred-size",
    ),
]


@pytest.mark.parametrize(("hole", "filled", "rule"), DEPENDS)
def test_what_a_value_decides_is_left_open(hole: str, filled: str, rule: str) -> None:
    assert rule in said(filled)
    assert rule not in said(hole)
    assert "placeholder" in {item.rule for item in lint_text(hole)}


# a hole somewhere, and a fault elsewhere that no value mends
REMAINS = [
    (MODEL.replace("dims: 1 }\n", "dims: -2 }\n") + "max_batch_size: ${N}", "tensor-dims"),
    (MODEL.replace('name: "O"', 'name: "${O}"') + "max_batch_size: -3", "max-batch-size-negative"),
    (
        MODEL + "max_batch_size: 4 dynamic_batching { preserve_ordering: ${P} priority_levels: 3 "
        "default_priority_level: 5 }",
        "default-priority-level",
    ),
    (
        MODEL.replace("backend", "${MORE}\nbackend") + "max_batch_size: -1",
        "max-batch-size-negative",
    ),
    (
        MODEL + "max_batch_size: ${N} instance_group { kind: KIND_CPU gpus: [0] }",
        "cpu-group-with-gpus",
    ),
    (ENSEMBLE.replace("VALUE", "Q").replace('"e"', '"{{ name }}"'), "ensemble-graph"),
    (
        MODEL.replace("dims: 1 }\no", "dims: -3 }\n{{ inputs }}\no"),
        "tensor-dims",
    ),
    (MODEL.replace("dims: 1 }\no", "dims: [ -3, ${D} ] }\no"), "tensor-dims"),
    (
        MODEL.replace("dims: 1 }\no", "dims: -3 }\no").replace("input {", "input ${A} input {"),
        "tensor-dims",
    ),
    (
        MODEL + "max_batch_size: 4 {# a remark #} dynamic_batching { preferred_batch_size: 8 }",
        "preferred-size",
    ),
    (
        MODEL + "max_batch_size: 4 ${MORE} dynamic_batching { preferred_batch_size: 8 }",
        "preferred-size",
    ),
    (
        MODEL + "max_batch_size: 4 sequence_batching { control_input ${C} "
        "direct { minimum_slot_utilization: 2 } }",
        "slot-utilization",
    ),
    (
        MODEL + "{% if priorities %} max_batch_size: -1 {% endif %}",
        "max-batch-size-negative",
    ),
    (
        MODEL + 'parameters { key: "${K}" value { string_value: "${V}" } } instance_group { '
        "kind: KIND_CPU gpus: 1 }",
        "cpu-group-with-gpus",
    ),
    ('{"max_batch_size": ${N}, "input": [{"name": "I", "dims": [-3]}]}', "tensor-dims"),
]


@pytest.mark.parametrize(("text", "rule"), REMAINS)
def test_a_fault_that_no_value_mends_is_found(text: str, rule: str) -> None:
    assert rule in errors(text)


def test_names_in_the_source_may_be_what_a_placeholder_becomes() -> None:
    assert errors(MODEL.replace('"I"', '"${I}"'), CODE) == set()
    assert "code-input-undeclared" in errors(MODEL.replace('"I"', '"other"'), CODE)


@pytest.mark.parametrize("more", ["{{ rest }}\n", "${REST}\n", "@REST@\n"])
def test_what_a_placeholder_between_fields_may_bring_is_not_missed(more: str) -> None:
    bare = 'name: "m"\nmax_batch_size: 4\n'
    assert said(bare)
    assert said(bare + more) == set()


def test_whole_sections_may_be_placeholders() -> None:
    text = MODEL.replace('input { name: "I" data_type: TYPE_FP32 dims: 1 }', "input ${INPUTS}")
    assert errors(text, CODE) == set()
    assert errors(MODEL + "max_batch_size: 4 sequence_batching ${SEQUENCE}", CODE) == set()


def test_branches_of_a_template_are_not_taken_for_two_schedulers() -> None:
    text = (
        MODEL + "max_batch_size: 4\n{% if free %}\ndynamic_batching { }\n{% else %}\n"
        "sequence_batching { direct { } }\n{% endif %}\n"
    )
    assert errors(text) == set()
    assert "two-schedulers" in errors(MODEL + "dynamic_batching { }\nsequence_batching { }\n")


def test_a_field_in_a_branch_may_be_missing() -> None:
    alone = MODEL + "max_batch_size: 0 dynamic_batching { preferred_batch_size: 8 }"
    assert "dynamic-without-batch" in said(alone)
    branch = alone.replace(
        "max_batch_size: 0", "\n{% if single %}\nmax_batch_size: 0\n{% endif %}\n"
    )
    assert "dynamic-without-batch" not in said(branch)


def test_two_tensors_of_one_name_in_two_branches_are_one() -> None:
    tensor = 'input { name: "I" data_type: TYPE_FP32 dims: 1 }'
    twice = MODEL.replace(tensor, f"{tensor}\n{tensor}")
    assert "tensors-declared" in said(twice)
    branches = MODEL.replace(
        tensor, f"{{% if a %}}\n{tensor}\n{{% else %}}\n{tensor}\n{{% endif %}}"
    )
    assert "tensors-declared" not in said(branches)


def test_the_backend_may_stand_in_what_is_brought_in() -> None:
    """Where a template may name one yet, what depends on it is left open."""
    profile = 'instance_group { profile: "1" }'
    bare = MODEL.replace('backend: "python"\n', "")
    assert "group-profile" in said(MODEL + profile)
    assert "group-profile" not in said(bare + "${MORE}\n" + profile)
    assert "group-profile" not in said(bare + 'backend: "${B}"\n' + profile)
