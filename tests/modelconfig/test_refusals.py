"""What Triton would refuse at load, or die of, is said before (release 24.10 gives no reason)."""

from __future__ import annotations

import pytest

from backend.contracts.errors import InputError
from backend.modelconfig.parse import parse
from backend.modelconfig.refusals import refusals, refuse

START = (
    'control_input [ { name: "S" control [ { kind: CONTROL_SEQUENCE_START '
    "int32_false_true: [ 0, 1 ] } ] } ]"
)
TENSOR = 'input [ { name: "X" data_type: TYPE_FP32 dims: [ 4 ] } ]'


def sequence(inner: str) -> str:
    return f"max_batch_size: 4 sequence_batching {{ {inner} }}"


def corrid(inner: str) -> str:
    return sequence(
        f'control_input [ {{ name: "C" control [ {{ kind: CONTROL_SEQUENCE_CORRID {inner} }} ] }} ]'
    )


# the refused text, the field, words of the reason, a near miss that passes
CASES = {
    "negative batch size": (
        "max_batch_size: -1",
        "max_batch_size",
        "max_batch_size is -1",
        'name: "a" max_batch_size: 0',
    ),
    "preferred above the largest": (
        "max_batch_size: 4 dynamic_batching { preferred_batch_size: [ 2, 8 ] }",
        "dynamic_batching.preferred_batch_size",
        "8 is above max_batch_size 4",
        "max_batch_size: 8 dynamic_batching { preferred_batch_size: [ 2, 8 ] }",
    ),
    "preferred without a batch dimension": (
        'name: "a" dynamic_batching { preferred_batch_size: [ 1 ] }',
        "dynamic_batching.preferred_batch_size",
        "1 is above max_batch_size 0",
        "max_batch_size: 1 dynamic_batching { preferred_batch_size: [ 1 ] }",
    ),
    "preferred of nothing": (
        "max_batch_size: 4 dynamic_batching { preferred_batch_size: [ 0 ] }",
        "dynamic_batching.preferred_batch_size",
        "must be at least 1",
        "max_batch_size: 4 dynamic_batching { }",
    ),
    "preferred of oldest": (
        sequence("oldest { preferred_batch_size: [ 5 ] }"),
        "sequence_batching.oldest.preferred_batch_size",
        "5 is above max_batch_size 4",
        sequence("oldest { preferred_batch_size: [ 4 ] }"),
    ),
    "priority without a level": (
        "max_batch_size: 4 dynamic_batching { priority_levels: 2 }",
        "dynamic_batching.default_priority_level",
        "must be 1 to 2",
        "max_batch_size: 4 dynamic_batching { priority_levels: 2 default_priority_level: 2 }",
    ),
    "order kept over priorities": (
        "max_batch_size: 4 dynamic_batching "
        "{ priority_levels: 2 default_priority_level: 1 preserve_ordering: true }",
        "dynamic_batching.preserve_ordering",
        "one priority level only",
        "max_batch_size: 4 dynamic_batching { preserve_ordering: true }",
    ),
    "a share above the whole": (
        sequence("direct { minimum_slot_utilization: 1.5 }"),
        "sequence_batching.direct.minimum_slot_utilization",
        "is 1.5",
        sequence("direct { minimum_slot_utilization: 1 }"),
    ),
    "a control twice": (
        sequence(START + START.replace('"S"', '"T"')),
        "sequence_batching.control_input",
        "CONTROL_SEQUENCE_START stands there 2 times",
        sequence(START + START.replace('"S"', '"T"').replace("_START", "_END")),
    ),
    "a control name twice": (
        sequence(START + START.replace("_START", "_END")),
        "sequence_batching.control_input",
        "'S' stands there 2 times",
        sequence(START),
    ),
    "a control without a name": (
        sequence(START.replace('name: "S"', "")),
        "sequence_batching.control_input",
        "has no name",
        sequence(START),
    ),
    "a flag without its values": (
        sequence(START.replace("int32_false_true: [ 0, 1 ]", "")),
        "sequence_batching.control_input",
        "needs exactly one of",
        sequence(START.replace("int32", "fp32")),
    ),
    "a flag with one value": (
        sequence(START.replace("[ 0, 1 ]", "[ 1 ]")),
        "sequence_batching.control_input",
        "needs two entries",
        sequence(START),
    ),
    "an id without a type": (
        corrid(""),
        "sequence_batching.control_input",
        "is a CORRID of TYPE_INVALID",
        corrid("data_type: TYPE_UINT64"),
    ),
    "an id of a wrong type": (
        corrid("data_type: TYPE_FP32"),
        "sequence_batching.control_input",
        "is a CORRID of TYPE_FP32",
        corrid("data_type: TYPE_INT32"),
    ),
    "an id with flag values": (
        corrid("data_type: TYPE_UINT64 int32_false_true: [ 0, 1 ]"),
        "sequence_batching.control_input",
        "takes no int32_false_true",
        corrid("data_type: TYPE_UINT64"),
    ),
    "a cache for sessions": (
        sequence("") + " response_cache { enable: true }",
        "response_cache",
        "together with sequence_batching",
        sequence("") + " response_cache { }",
    ),
    "GPUs for the CPU": (
        "instance_group [ { kind: KIND_CPU gpus: [ 0 ] } ]",
        "instance_group.gpus",
        "names GPUs",
        "instance_group [ { kind: KIND_GPU gpus: [ 0 ] } ]",
    ),
    "slots where nothing runs": (
        sequence("") + " instance_group [ { kind: KIND_CPU passive: true } ]",
        "instance_group.passive",
        "ends the server",
        "max_batch_size: 4 instance_group [ { kind: KIND_CPU passive: true } ]",
    ),
    "a tensor of no size": (
        TENSOR.replace("[ 4 ]", "[ 0 ]"),
        "input",
        "has dims [0]",
        TENSOR.replace("[ 4 ]", "[ -1 ]"),
    ),
    "a tensor without a type": (
        TENSOR.replace("data_type: TYPE_FP32", ""),
        "input",
        "has no data_type",
        TENSOR,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_it_is_refused_and_its_near_miss_is_not(case: tuple[str, str, str, str]) -> None:
    text, field, words, near_miss = case
    (found,) = refusals(parse(text))
    assert found.field == field
    assert words in found.what
    assert found.next_step
    assert refusals(parse(near_miss)) == ()
    with pytest.raises(InputError) as caught:
        refuse(parse(text))
    assert words in caught.value.what
    assert caught.value.key == field
    refuse(parse(near_miss))


def test_all_reasons_are_given_at_once() -> None:
    with pytest.raises(InputError) as caught:
        refuse(parse("max_batch_size: -1 dynamic_batching { preferred_batch_size: [ 3 ] }"))
    assert "max_batch_size is -1" in caught.value.what
    assert "Also: a preferred batch size of 3" in caught.value.why
