"""What a file makes Triton do, in sentences (M12)."""

from __future__ import annotations

import pytest

from backend.modelconfig.durations import milliseconds
from backend.modelconfig.explain import explain
from backend.modelconfig.lint.release import Release
from tests.modelconfig.reading import parse

DIRECT = "max_batch_size: 4 instance_group [ { count: 2 kind: KIND_CPU } ] sequence_batching "


def told(text: str) -> str:
    return "\n".join(explain(parse(text)))


def test_slots_and_idle_limit_are_worked_out() -> None:
    text = told(DIRECT + "{ direct { } max_sequence_idle_microseconds: 2500000 }")
    assert "2 x 4 = 8 sessions can be live at once" in text
    assert "nothing arrives for 2.5 s" in text
    assert "Strategy direct" in text
    oldest = told(DIRECT + "{ oldest { max_candidate_sequences: 10 } }")
    assert "2 x 10 = 20 sessions" in oldest
    assert "nothing arrives for 1 s" in oldest  # Triton's default


def test_a_sequence_batcher_without_a_strategy_is_direct() -> None:
    assert "Strategy direct" in told(DIRECT + "{ }")


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        ("max_queue_delay_microseconds: 5000", "has no effect"),
        ("minimum_slot_utilization: 0.5", "has no effect"),
        (
            "max_queue_delay_microseconds: 5000 minimum_slot_utilization: 0.5",
            "waits up to 5 ms until 50% of the slots",
        ),
        ("", "No request waits for others on purpose"),
    ],
)
def test_directs_delay_needs_both_values(inner: str, words: str) -> None:
    assert words in told(DIRECT + f"{{ direct {{ {inner} }} }}")


def test_the_dynamic_batcher_ignores_sessions_and_says_so() -> None:
    text = told("max_batch_size: 8 dynamic_batching { }")
    assert "batches of up to 8" in text
    assert "START and END flags have no effect" in text
    one = told("max_batch_size: 1 dynamic_batching { }")
    assert "every request is executed alone" in one


def test_a_small_preferred_size_freezes_batches_only_without_a_delay() -> None:
    without = told("max_batch_size: 8 dynamic_batching { preferred_batch_size: [ 4, 8 ] }")
    assert "stops growing at 4" in without
    whole = told("max_batch_size: 8 dynamic_batching { preferred_batch_size: [ 8 ] }")
    assert "stops growing" not in whole


def test_a_queue_policy_has_its_price_named() -> None:
    policy = "max_batch_size: 8 dynamic_batching { default_queue_policy { max_queue_size: 5 } }"
    assert "up to 500 ms" in told(policy)
    assert "500 ms" not in told("max_batch_size: 8 dynamic_batching { }")


def test_no_scheduler_section_means_one_request_each_unless_a_backend_adds_one() -> None:
    assert "executes each request by itself" in told('backend: "python" max_batch_size: 8')
    assert "may add dynamic_batching" in told('backend: "onnxruntime" max_batch_size: 8')
    assert "may add" not in told('backend: "python" max_batch_size: 8')


def test_times_are_told_in_readable_units() -> None:
    assert [milliseconds(t) for t in (5, 1500, 20_000, 60_000_000)] == [
        "5 µs",
        "1.5 ms",
        "20 ms",
        "60 s",
    ]


DYNAMIC = "max_batch_size: 8 dynamic_batching "


def test_a_queue_policy_is_told_in_its_numbers() -> None:
    text = told(
        DYNAMIC
        + "{ default_queue_policy { default_timeout_microseconds: 5000 max_queue_size: 7 } }"
    )
    assert "has waited 5 ms in the queue is refused with an error" in text
    assert "With 7 requests in the queue the next is refused at once" in text
    assert "a request brings itself has no effect" in text
    delayed = told(
        DYNAMIC
        + "{ default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 5000 "
        "allow_timeout_override: true } }"
    )
    assert "goes behind those that are in time" in delayed
    assert "counts only if it is shorter" in delayed
    idle = told(DYNAMIC + "{ default_queue_policy { allow_timeout_override: true } }")
    assert "has no effect: without default_timeout_microseconds" in idle


def test_priorities_are_strict_and_may_have_policies_of_their_own() -> None:
    text = told(
        DYNAMIC + "{ priority_levels: 3 default_priority_level: 2 priority_queue_policy { key: 1 "
        "value { max_queue_size: 4 } } }"
    )
    assert "one of 3 priorities" in text
    assert "gets level 2" in text
    assert "With 4 requests of level 1 in the queue" in text
    ignored = told(DYNAMIC + "{ priority_queue_policy { key: 1 value { max_queue_size: 4 } } }")
    assert "policies per level are ignored" in ignored
    assert "of level 1 in the queue" not in ignored


@pytest.mark.parametrize(
    ("text", "old", "new", "words"),
    [
        (
            DYNAMIC + "{ default_queue_policy { max_queue_size: 5 } }",
            (23, 7),
            (23, 8),
            "prepares no batch ahead",
        ),
        (
            DYNAMIC + "{ default_queue_policy { max_queue_size: 5 } }",
            (23, 11),
            (23, 12),
            "wait up to 500 ms",
        ),
        (
            DYNAMIC + "{ default_queue_policy { default_timeout_microseconds: 9 } }",
            (24, 2),
            (24, 3),
            "about every 500 ms",
        ),
        (DYNAMIC + "{ preserve_ordering: true }", (25, 8), (25, 9), "keeps no order"),
        (
            "sequence_batching { control_input { name: 'C' control { kind: "
            "CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } } }",
            (24, 12),
            (25, 1),
            "a text id is refused",
        ),
    ],
)
def test_behaviour_that_changed_is_told_by_release(
    text: str, old: tuple[int, int], new: tuple[int, int], words: str
) -> None:
    """M11."""
    config = parse(text)
    assert words not in "\n".join(explain(config, Release(*old)))
    assert words in "\n".join(explain(config, Release(*new)))


@pytest.mark.parametrize(
    "text",
    [
        DYNAMIC + "{ preferred_batch_size: [ 1, 4 ] max_queue_delay_microseconds: 9000 }",
        "sequence_batching { oldest { max_queue_delay_microseconds: 9000 } }",
    ],
)
def test_a_delay_that_holds_nobody_back_is_told_so(text: str) -> None:
    """One request is a preferred batch, or a batch is one request."""
    assert "waits up to 9 ms" not in told(text)
    assert "holds no request back" in told(text) or "executed alone" in told(text)


def test_a_default_policy_that_no_level_is_left_for_is_not_told() -> None:
    text = DYNAMIC + (
        "{ priority_levels: LEVELS default_priority_level: 1 default_queue_policy { max_queue_size:"
        " 7 } priority_queue_policy { key: 1 value { max_queue_size: 4 } } }"
    )
    assert "With 7 requests" not in told(text.replace("LEVELS", "1"))
    assert "With 7 requests of every other level" in told(text.replace("LEVELS", "2"))


def test_a_timeout_action_without_a_timeout_costs_nothing() -> None:
    """Core, PriorityQueue: only a timeout, an override or a size turn preparing ahead off."""
    assert "no batch ahead" not in told(
        DYNAMIC + "{ default_queue_policy { timeout_action: DELAY } }"
    )


def test_a_delay_and_a_policy_together_are_said_to_wear_instances_down() -> None:
    both = DYNAMIC + (
        "{ max_queue_delay_microseconds: 5 default_queue_policy { max_queue_size: 5 } }"
    )
    assert "loses idle instances" in told(both)
    assert "loses idle" not in "\n".join(explain(parse(both), Release(26, 8)))


def test_states_are_told_with_their_first_value() -> None:
    state = 'state {{ input_name: "{0}" output_name: "{0}o" data_type: TYPE_FP32 dims: 2 {1} }}'
    zero = 'initial_state { name: "z" data_type: TYPE_FP32 dims: 2 zero_data: true }'
    file = zero.replace("zero_data: true", 'data_file: "h.bin"')
    text = told(
        'backend: "onnxruntime" max_batch_size: 4 sequence_batching { '
        + state.format("a", zero)
        + state.format("b", file)
        + state.format("c", "")
        + "}"
    )
    assert "Triton keeps the state a [2]" in text
    assert "at its first zeros" in text
    assert "at its first the file initial_state/h.bin" in text
    assert "at its first whatever the memory holds" in text
    assert "by the order of their sorted names, not by entry: here both give the same" in text
    python = told('backend: "python" sequence_batching { ' + state.format("a", zero) + "}")
    assert "These states never change" in python
    assert "never change" not in text


def test_iterative_sequences_and_their_trap_are_told() -> None:
    assert "clients must not send END" in told("sequence_batching { iterative_sequence: true }")


def test_equal_shapes_are_never_called_safe() -> None:
    """M02: said wherever batches form, fixed shapes or not."""
    fixed = 'input { name: "X" data_type: TYPE_FP32 dims: 4 } '
    for section in ("dynamic_batching { }", "sequence_batching { oldest { } }"):
        assert "Equal shapes prove nothing about safety" in told(
            f"max_batch_size: 8 {fixed} {section}"
        )
    assert "Equal shapes" not in told(f"max_batch_size: 8 {fixed}")


def test_ragged_variable_and_optional_inputs_are_told() -> None:
    shape = 'input {{ name: "{0}" data_type: TYPE_FP32 dims: -1 {1} }} '
    text = told(
        "max_batch_size: 8 dynamic_batching { } "
        + shape.format("R", "allow_ragged_batch: true")
        + shape.format("V", "optional: true")
        + 'batch_input { kind: BATCH_ELEMENT_COUNT target_name: "N" data_type: TYPE_INT32 '
        'source_input: "R" }'
    )
    assert "requests whose R differ in shape share a batch" in text
    assert "only requests whose V have the same shape share a batch" in text
    assert "nobody overtakes it" in text
    assert "may leave out V" in text
    assert "Triton fills N for each batch: BATCH_ELEMENT_COUNT of R" in text


def test_an_ensemble_is_told_step_by_step() -> None:
    text = told(
        'platform: "ensemble" ensemble_scheduling { step { model_name: "cut" model_version: -1 '
        'input_map { key: "IN" value: "AUDIO" } output_map { key: "OUT" value: "frames" } } '
        'step { model_name: "vad" model_version: 3 input_map { key: "F" value: "frames" } '
        'output_map { key: "P" value: "SPEECH" } } }'
    )
    assert "2 steps" in text
    assert "Step 1: cut (newest version) takes AUDIO as IN and gives OUT as frames" in text
    assert "Step 2: vad (version 3) takes frames as F and gives P as SPEECH" in text
    assert "go on to every step" in text


SECTIONS = {
    'backend: "python"': "Only the newest version is served",
    "version_policy { all { } }": "Every version folder is served",
    "version_policy { specific { versions: [ 1, 4 ] } }": "The versions 1, 4 are served",
    "version_policy { latest { num_versions: 3 } }": "The newest 3 versions",
    'model_warmup { name: "w" batch_size: 4 count: 2 inputs { key: "X" value { zero_data: true } '
    "} }": "executes 4 requests of zeros in one batch, 2 times",
    "response_cache { enable: true }": "may come from a cache",
    "model_transaction_policy { decoupled: true }": "clients need a gRPC stream",
    "optimization { cuda { graphs: true } eager_batching: true }": "CUDA graphs are recorded",
    "optimization { input_pinned_memory { } }": "inputs are copied without pinned memory",
    "optimization { priority: PRIORITY_MAX }": "have higher priority",
    "instance_group { count: 2 kind: KIND_GPU gpus: [ 0, 1 ] }": "on each of the GPUs 0, 1",
    'instance_group { rate_limiter { priority: 3 resources { name: "R" count: 2 } } }': (
        "an instance needs 2 of R while it runs, and has priority 3"
    ),
    'name: "m"': "No instance group: one model instance on each GPU",
    'backend: "onnxruntime"': "two there for this backend",
}


@pytest.mark.parametrize(("text", "words"), SECTIONS.items())
def test_every_other_section_is_told(text: str, words: str) -> None:
    assert words in told(text)


def test_many_slots_on_several_gpus_are_counted_on_each() -> None:
    text = told(
        "max_batch_size: 4 instance_group { count: 2 kind: KIND_GPU gpus: [ 0, 1 ] } "
        "sequence_batching { }"
    )
    assert "4 x 4 = 16 sessions" in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            'sequence_batching { control_input { name: "C" control { kind: 77 } } }',
            "C (kind 77, which is none)",
        ),
        (
            'sequence_batching { control_input { name: "C" control { kind: 3 data_type: 99 } } }',
            "C",
        ),
        ("instance_group { kind: 9 }", "of the kind 9, which is none"),
        ("instance_group { secondary_devices { kind: 5 } }", "5 0"),
        ('batch_input { kind: 9 target_name: "T" source_input: "S" }', "T for each batch: 9 of S"),
        ('batch_output { kind: 9 target_name: "T" source_input: "S" }', "T for each batch: 9 of S"),
    ],
)
def test_a_number_that_names_nothing_is_told_as_a_number(text: str, words: str) -> None:
    """proto3 keeps such numbers, and Triton loads some files that hold them."""
    assert words in told(text)
