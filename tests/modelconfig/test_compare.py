"""Differences in meaning (M12): defaults filled in, entries by name, effects of both sides."""

from __future__ import annotations

import pytest

from backend.modelconfig.compare import differences
from backend.modelconfig.lint.release import Release
from tests.modelconfig.reading import parse

OLDEST = """
name: "a" max_batch_size: 8
sequence_batching { oldest { max_candidate_sequences: 16 } max_sequence_idle_microseconds: 5000000
  control_input [
    { name: "C" control [ { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } ] } ] }
instance_group [ { count: 2 kind: KIND_CPU } ]
parameters { key: "p" value { string_value: "1" } }
"""
DYNAMIC = """
name: "a" max_batch_size: 8
dynamic_batching { max_queue_delay_microseconds: 100 }
instance_group [ { count: 1 kind: KIND_CPU } ]
parameters { key: "p" value { string_value: "1" } }
"""


def test_each_field_that_differs_is_listed_with_both_values() -> None:
    found = {
        item.field: (item.left, item.right) for item in differences(*map(parse, (OLDEST, DYNAMIC)))
    }
    assert found == {
        "sequence_batching": ("present", None),
        "sequence_batching.oldest": ("present", None),
        "sequence_batching.oldest.max_candidate_sequences": ("16", None),
        "sequence_batching.max_sequence_idle_microseconds": ("5000000", None),
        "sequence_batching.control_input[C]": (
            "CONTROL_SEQUENCE_CORRID, data_type TYPE_UINT64",
            None,
        ),
        "sequence_batching.oldest.preferred_batch_size": ("[8]", None),
        "dynamic_batching": (None, "present"),
        "dynamic_batching.preferred_batch_size": (None, "[8]"),
        "dynamic_batching.max_queue_delay_microseconds": (None, "100"),
        "instance_group[0].count": ("2", "1"),
    }


def test_every_difference_says_what_each_side_does_in_its_own_numbers() -> None:
    effects = {item.field: item.effect for item in differences(parse(OLDEST), parse(DYNAMIC))}
    assert effects["instance_group[0].count"] == (
        "left: 2 executions at the same time in this group; "
        "right: 1 executions at the same time in this group."
    )
    assert effects["sequence_batching.max_sequence_idle_microseconds"] == (
        "left: a session silent for 5 s is forgotten, its next request refused; "
        "right: no sequence batcher here."
    )
    assert (
        "2 x 16 = 32 sessions at once"
        in (effects["sequence_batching.oldest.max_candidate_sequences"])
    )
    assert (
        "right: requests that wait are merged, whichever session they belong to, up to 8"
        in (effects["dynamic_batching"])
    )
    mirrored = {item.field: item.effect for item in differences(parse(DYNAMIC), parse(OLDEST))}
    assert mirrored.keys() == effects.keys()
    left, right = effects["dynamic_batching.max_queue_delay_microseconds"][:-1].split("; ")
    assert mirrored["dynamic_batching.max_queue_delay_microseconds"] == (
        f"left: {right.removeprefix('right: ')}; right: {left.removeprefix('left: ')}."
    )


BASE = 'name: "a" backend: "onnxruntime" max_batch_size: 8 '
SAME = {
    "preferred sizes": (
        "dynamic_batching { }",
        "dynamic_batching { preferred_batch_size: [ 8 ] }",
    ),
    "idle limit and strategy": (
        "sequence_batching { }",
        "sequence_batching { direct { } max_sequence_idle_microseconds: 1000000 }",
    ),
    "candidates of oldest": (
        "sequence_batching { oldest { } }",
        "sequence_batching { oldest { max_candidate_sequences: 8 preferred_batch_size: 8 } }",
    ),
    "a policy that sets nothing": (
        "dynamic_batching { }",
        "dynamic_batching { default_queue_policy { } }",
    ),
    "instance group": ("", "instance_group [ { count: 1 } ]"),
    "two on the CPU for this backend": (
        "instance_group [ { kind: KIND_CPU } ]",
        'instance_group [ { kind: KIND_CPU count: 2 name: "a_0" } ]',
    ),
    "version policy": ("", "version_policy { latest { num_versions: 1 } }"),
    "platform and file": ("", 'platform: "onnxruntime_onnx" default_model_filename: "model.onnx"'),
    "pinned memory": ("", "optimization { input_pinned_memory { enable: true } }"),
    "sections that set nothing": (
        "",
        "optimization { cuda { } } response_cache { } model_transaction_policy { }",
    ),
    "warm-up once": (
        'model_warmup { name: "w" batch_size: 1 }',
        'model_warmup { name: "w" batch_size: 1 count: 1 }',
    ),
}


@pytest.mark.parametrize("case", SAME.values(), ids=SAME.keys())
def test_a_default_written_out_is_no_difference(case: tuple[str, str]) -> None:
    """Source: core, NormalizeModelConfig and NormalizeInstanceGroup."""
    left, right = (parse(BASE + text) for text in case)
    assert differences(left, right) == ()
    assert differences(right, left) == ()


DIFFER = {
    "preferred size below the largest": (
        "dynamic_batching { }",
        "dynamic_batching { preferred_batch_size: [ 4 ] }",
        "dynamic_batching.preferred_batch_size",
        "left: a batch grows until it holds 8, which is max_batch_size; "
        "right: a batch is let go once it holds 4.",
    ),
    "idle limit": (
        "sequence_batching { }",
        "sequence_batching { max_sequence_idle_microseconds: 60000000 }",
        "sequence_batching.max_sequence_idle_microseconds",
        "left: a session silent for 1 s is forgotten, its next request refused; "
        "right: a session silent for 60 s is forgotten, its next request refused.",
    ),
    "a delay that does nothing": (
        "sequence_batching { direct { } }",
        "sequence_batching { direct { max_queue_delay_microseconds: 500 } }",
        "sequence_batching.direct.max_queue_delay_microseconds",
        "left: a batch goes as soon as its instance is free; "
        "right: 500 µs, without effect while minimum_slot_utilization is 0.",
    ),
    "queue size": (
        "dynamic_batching { default_queue_policy { max_queue_size: 5 } }",
        "dynamic_batching { default_queue_policy { max_queue_size: 50 } }",
        "dynamic_batching.default_queue_policy.max_queue_size",
        "left: with 5 requests waiting, the next is refused at once; "
        "right: with 50 requests waiting, the next is refused at once.",
    ),
    "versions": (
        "",
        "version_policy { specific { versions: [ 1, 3 ] } }",
        "version_policy.specific.versions",
        "left: the newest version only; right: the versions 1, 3 are served, no other.",
    ),
    "kind": (
        "instance_group [ { kind: KIND_CPU count: 1 } ]",
        "",
        "instance_group[0].kind",
        "left: instances run on the CPU; "
        "right: instances run on a GPU where there is one, else on the CPU.",
    ),
    "a control": (
        "sequence_batching { }",
        'sequence_batching { control_input { name: "C" '
        "control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT32 } } }",
        "sequence_batching.control_input[C]",
        "left: the model gets no tensor C from Triton; right: the model is told in C which "
        "session a request belongs to (data_type TYPE_UINT32).",
    ),
    "pinned memory off": (
        "",
        "optimization { output_pinned_memory { } }",
        "optimization.output_pinned_memory.enable",
        "left: outputs are copied to and from a GPU through pinned memory; "
        "right: outputs are copied to and from a GPU without pinned memory.",
    ),
    "ragged": (
        'input { name: "X" data_type: TYPE_FP32 dims: -1 }',
        'input { name: "X" data_type: TYPE_FP32 dims: -1 allow_ragged_batch: true }',
        "input[X].allow_ragged_batch",
        "left: only requests whose X has the same shape share a batch; "
        "right: requests whose X differs in shape may share a batch.",
    ),
    "decoupled": (
        "",
        "model_transaction_policy { decoupled: true }",
        "model_transaction_policy.decoupled",
        "left: a request gets one reply; "
        "right: a request may get several replies, or none, over a gRPC stream.",
    ),
}


@pytest.mark.parametrize("case", DIFFER.values(), ids=DIFFER.keys())
def test_a_difference_has_its_effect_on_both_sides(case: tuple[str, str, str, str]) -> None:
    left, right, field, effect = case
    found = {
        item.field: item.effect for item in differences(*map(parse, (BASE + left, BASE + right)))
    }
    assert found[field] == effect


def test_entries_are_matched_by_name_wherever_they_stand() -> None:
    flag = 'control_input {{ name: "{0}" control {{ kind: CONTROL_SEQUENCE_{0} {1} }} }}'
    start = flag.format("START", "fp32_false_true: [ 0, 1 ]")
    end = flag.format("END", "fp32_false_true: [ 0, 1 ]")
    h = 'state { input_name: "h" output_name: "ho" data_type: TYPE_FP32 dims: 2 }'
    c = 'state { input_name: "c" output_name: "co" data_type: TYPE_FP32 dims: 3 }'
    one = parse(BASE + f"sequence_batching {{ {start} {end} {h} {c} }}")
    two = parse(BASE + f"sequence_batching {{ {c} {h} {end} {start} }}")
    assert differences(one, two) == ()
    c = c.replace("dims: 3", "dims: 4")
    wider = parse(BASE + f"sequence_batching {{ {c} {h} {end} {start} }}")
    (found,) = differences(one, wider)
    assert (found.field, found.left, found.right) == (
        "sequence_batching.state[c].dims",
        "[3]",
        "[4]",
    )


def test_two_entries_of_one_name_are_both_seen() -> None:
    one = 'input [ { name: "X" dims: [ 1 ] }, { name: "X" dims: [ 2 ] } ]'
    two = 'input [ { name: "X" dims: [ 1 ] }, { name: "X" dims: [ 3 ] } ]'
    (found,) = differences(parse(one), parse(two))
    assert (found.field, found.left, found.right) == ("input[X#2].dims", "[2]", "[3]")


def test_equal_configurations_differ_in_nothing_however_they_are_written() -> None:
    other = 'max_batch_size: 8, name: "a"\ndynamic_batching { max_queue_delay_microseconds: 100 }\n'
    other += "instance_group { kind: KIND_CPU count: 1 } "
    other += 'parameters { key: "p" value { string_value: "1" } }'
    assert differences(parse(DYNAMIC), parse(other)) == ()


def test_inputs_are_known_by_their_names_not_their_order() -> None:
    one = 'input [ { name: "X" dims: [ 1 ] }, { name: "Y" dims: [ 2 ] } ]'
    two = 'input [ { name: "Y" dims: [ 2 ] }, { name: "X" dims: [ 3 ] } ]'
    (found,) = differences(parse(one), parse(two))
    assert (found.field, found.left, found.right) == ("input[X].dims", "[1]", "[3]")


def test_an_input_that_one_side_lacks_is_a_difference() -> None:
    one = 'input [ { name: "X" data_type: TYPE_FP32 dims: [ 1 ] } ]'
    fields = [item.field for item in differences(parse(one), parse('name: "a"'))]
    assert fields == ["input[X].data_type", "input[X].dims", "name"]


@pytest.mark.parametrize(
    ("release", "told"),
    [
        ((24, 10), "replies leave in the order of the queue"),
        ((25, 9), "no order is kept on release 25.09"),
        ((26, 7), "no order is kept on release 26.07"),
        ((26, 8), "replies leave in the order of the queue"),
    ],
)
def test_what_a_field_does_is_told_for_the_release(release: tuple[int, int], told: str) -> None:
    text = 'name: "m" max_batch_size: 4 dynamic_batching { preserve_ordering: true }'
    one = parse(text)
    other = parse(text.replace("true", "false"))
    (found,) = differences(one, other, Release(*release))
    assert told in found.effect


def test_before_23_08_a_policy_did_not_end_preparing_ahead() -> None:
    text = "max_batch_size: 4 dynamic_batching { default_queue_policy { max_queue_size: 9 } }"
    one = parse(text)
    other = parse("max_batch_size: 4 dynamic_batching { }")
    early = " ".join(item.effect for item in differences(one, other, Release(23, 7)))
    late = " ".join(item.effect for item in differences(one, other, Release(23, 8)))
    assert "no batch is prepared ahead" not in early
    assert "no batch is prepared ahead" in late
    assert "500 ms" not in late
    asleep = " ".join(item.effect for item in differences(one, other, Release(23, 12)))
    assert "a handover may take 500 ms" in asleep


def test_a_delay_that_holds_nobody_back_is_told_so() -> None:
    text = "max_batch_size: 4 dynamic_batching { preferred_batch_size: [ 1, 4 ] MORE }"
    delayed = parse(text.replace("MORE", "max_queue_delay_microseconds: 9000"))
    (found,) = differences(delayed, parse(text.replace("MORE", "")))
    assert "a lone request goes at once" in found.effect


@pytest.mark.parametrize(
    ("text", "field", "shown"),
    [
        (
            'sequence_batching { control_input { name: "C" control { kind: 77 } } }',
            "sequence_batching.control_input[C]",
            "77",
        ),
        (
            'sequence_batching { control_input { name: "C" control { kind: 3 data_type: 99 } } }',
            "sequence_batching.control_input[C]",
            "CONTROL_SEQUENCE_CORRID, data_type 99",
        ),
        ("batch_input { kind: 9 }", "batch_input[0].kind", "9"),
    ],
)
def test_a_number_that_names_nothing_is_shown_as_a_number(
    text: str, field: str, shown: str
) -> None:
    found = {item.field: item.right for item in differences(parse('name: ""'), parse(text))}
    assert found[field] == shown
