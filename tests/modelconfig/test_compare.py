"""Differences side by side (M12): each field, both values, and what it changes."""

from __future__ import annotations

from backend.modelconfig.compare import differences
from backend.modelconfig.parse import parse

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
        "dynamic_batching": (None, "present"),
        "dynamic_batching.max_queue_delay_microseconds": (None, "100"),
        "instance_group[0].count": ("2", "1"),
    }


def test_every_difference_says_what_it_changes() -> None:
    effects = {item.field: item.effect for item in differences(parse(OLDEST), parse(DYNAMIC))}
    assert effects["dynamic_batching"] == (
        "Requests of any session are merged and run on any idle instance."
    )
    assert "one more waits" in effects["sequence_batching.oldest.max_candidate_sequences"]
    assert not any("guide" in effect for effect in effects.values())


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
