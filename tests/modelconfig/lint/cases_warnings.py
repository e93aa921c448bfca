"""Rules on configurations that load and then behave otherwise than they seem to say."""

from __future__ import annotations

from backend.modelconfig.lint.release import Release
from tests.modelconfig.lint.case import (
    CONTROLS,
    IO,
    LABELLED,
    Case,
    control,
    dynamic,
    group,
    sequence,
    state,
    tensor,
)

FLAGS = "int32_false_true: [ 0, 1 ]"
VARIABLE = '{ name: "X" data_type: TYPE_FP32 »dims: [ -1 ] }'
INITIAL = 'initial_state [ { name: "i" data_type: TYPE_FP32 dims: [ 1 ] zero_data: true } ]'
IDLE = "max_sequence_idle_microseconds: 60000000"


def at(release: str) -> dict[str, object]:
    return {"release": Release.of(release)}


DYNAMIC = {
    "dynamic-without-batch": Case(
        "max_batch_size: 1\n»dynamic_batching { }\n", "max_batch_size: 2\ndynamic_batching { }\n"
    ),
    "timeout-override-unused": Case(
        dynamic("default_queue_policy { »allow_timeout_override: true }"),
        dynamic(
            "default_queue_policy { allow_timeout_override: true "
            "default_timeout_microseconds: 100 }"
        ),
    ),
    "prefetch-off": Case(dynamic("default_queue_policy { »max_queue_size: 100 }"), dynamic("")),
    "preferred-size-freezes": Case(
        dynamic("»preferred_batch_size: [ 2, 4 ]"), dynamic("preferred_batch_size: [ 4 ]")
    ),
    "preferred-size-one-more": Case(
        dynamic("»preferred_batch_size: [ 2 ] max_queue_delay_microseconds: 100"),
        dynamic("preferred_batch_size: [ 4 ] max_queue_delay_microseconds: 100"),
    ),
    "delay-long": Case(
        dynamic("»max_queue_delay_microseconds: 100001"),
        dynamic("max_queue_delay_microseconds: 100000"),
    ),
    "delay-for-ever": Case(
        dynamic("default_queue_policy { »timeout_action: DELAY default_timeout_microseconds: 9 }"),
        dynamic("default_queue_policy { timeout_action: REJECT default_timeout_microseconds: 9 }"),
    ),
    "priority-policy-unused": Case(
        dynamic("»priority_queue_policy { key: 1 value { max_queue_size: 1 } }"),
        dynamic(
            "priority_levels: 1 default_priority_level: 1\n"
            "priority_queue_policy { key: 1 value { max_queue_size: 1 } }"
        ),
    ),
    "priority-starves": Case(
        dynamic("»priority_levels: 2 default_priority_level: 1"),
        dynamic("priority_levels: 1 default_priority_level: 1"),
    ),
    "ordering-decoupled": Case(
        dynamic("»preserve_ordering: true") + "model_transaction_policy { decoupled: true }\n",
        dynamic("preserve_ordering: true"),
    ),
    "ordering-is-no-session": Case(dynamic("»preserve_ordering: true"), dynamic("")),
}

SEQUENCE = {
    "direct-wait-unused": Case(
        sequence("direct { »max_queue_delay_microseconds: 100 }"),
        sequence("direct { max_queue_delay_microseconds: 100 minimum_slot_utilization: 1 }"),
    ),
    "idle-limit-default": Case(
        "max_batch_size: 4\n»sequence_batching { oldest { } }\n", sequence(f"oldest {{ }} {IDLE}")
    ),
    "idle-limit-short": Case(
        sequence("»max_sequence_idle_microseconds: 999999"),
        sequence("max_sequence_idle_microseconds: 1000000"),
    ),
    "candidates-few": Case(
        sequence("oldest { »max_candidate_sequences: 3 }"),
        sequence("oldest { max_candidate_sequences: 4 }"),
    ),
    "oldest-wait-unused": Case(
        sequence("oldest { »max_queue_delay_microseconds: 9 }", "max_batch_size: 1\n"),
        sequence("oldest { max_queue_delay_microseconds: 9 }", "max_batch_size: 2\n"),
    ),
    "candidates-many": Case(
        sequence("oldest { »max_candidate_sequences: 1024 }"),
        sequence("oldest { max_candidate_sequences: 32 }"),
    ),
    "candidates-negative": Case(
        sequence("oldest { »max_candidate_sequences: -1 }"),
        sequence("oldest { max_candidate_sequences: 4 }"),
    ),
    "direct-one-slot": Case(sequence("»direct { }", "max_batch_size: 1\n"), sequence("direct { }")),
    "strategy-default": Case("»sequence_batching { }\n", "sequence_batching { direct { } }\n"),
    "iterative-sequence": Case(
        sequence("»iterative_sequence: true"), sequence("iterative_sequence: false")
    ),
}

CONTROL = {
    "direct-without-ready": Case(
        "max_batch_size: 4\n»sequence_batching { direct { } }\n",
        control(f"{{ kind: CONTROL_SEQUENCE_READY {FLAGS} }}"),
    ),
    "oldest-without-id": Case(
        "»sequence_batching { oldest { } }\n",
        sequence(
            'oldest { } control_input [ { name: "C" control [ '
            "{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } ] } ]"
        ),
    ),
    "no-start-control": Case("»sequence_batching { }\n", sequence(CONTROLS)),
    "control-in-inputs": Case(
        'input [\n»{ name: "START" data_type: TYPE_INT32 dims: [ 1 ] } ]\n' + sequence(CONTROLS),
        'input [\n{ name: "X" data_type: TYPE_INT32 dims: [ 1 ] } ]\n' + sequence(CONTROLS),
    ),
    "control-several-kinds": Case(
        sequence(
            'control_input [ »{ name: "C" control [\n'
            f"{{ kind: CONTROL_SEQUENCE_START {FLAGS} }},\n"
            f"{{ kind: CONTROL_SEQUENCE_READY {FLAGS} }} ] }} ]"
        ),
        control(f"{{ kind: CONTROL_SEQUENCE_START {FLAGS} }}"),
    ),
    "control-empty": Case(
        sequence('control_input [ »{ name: "C" } ]'),
        control(f"{{ kind: CONTROL_SEQUENCE_START {FLAGS} }}"),
    ),
    "control-id-narrow": Case(
        control("{ kind: CONTROL_SEQUENCE_CORRID »data_type: TYPE_UINT32 }"),
        control("{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 }"),
    ),
    "control-id-unchecked": Case(
        control("{ kind: CONTROL_SEQUENCE_CORRID »data_type: TYPE_UINT64 }"),
        control("{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_STRING }"),
    ),
}

TWO_STATES = (
    'state [ {{ input_name: "{0}" output_name: "{1}" data_type: TYPE_FP32 dims: [ 1 ] }}, '
    '{{ {4}input_name: "{2}" output_name: "{3}" data_type: TYPE_FP32 dims: [ 1 ] }} ]'
)

STATE = {
    "state-never-written": Case(
        'backend: "python"\n' + state("").replace("state [", "»state ["),
        'backend: "onnxruntime"\n' + state(""),
    ),
    "state-uninitialised": Case(state("").replace("[ {", "[ »{", 1), state(INITIAL)),
    "state-order": Case(
        sequence("»" + TWO_STATES.format("a_in", "z_out", "b_in", "y_out", "")),
        sequence(TWO_STATES.format("a_in", "a_out", "b_in", "b_out", "")),
    ),
    "state-twice": Case(
        sequence(TWO_STATES.format("a_in", "a_out", "a_in", "b_out", "»")),
        sequence(TWO_STATES.format("a_in", "a_out", "b_in", "b_out", "")),
    ),
    "state-incomplete": Case(
        sequence('state [ »{ input_name: "S" output_name: "T" dims: [ 1 ] } ]'), state("")
    ),
    "state-variable": Case(
        sequence(
            'state [ { input_name: "S" output_name: "T" data_type: TYPE_FP32 »dims: [ -1 ] } ]'
        ),
        state(""),
    ),
    "state-growable": Case(
        state("»use_growable_memory: true"),
        group("{ kind: KIND_GPU }")
        + state("use_growable_memory: true use_same_buffer_for_input_output: true"),
    ),
}

MODEL = {
    "no-scheduler": Case("»max_batch_size: 4\n", "max_batch_size: 4\ndynamic_batching { }\n"),
    "variable-shape": Case(
        tensor(VARIABLE, "max_batch_size: 4\ndynamic_batching { }\n"),
        tensor(
            '{ name: "X" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }',
            "max_batch_size: 4\ndynamic_batching { }\n",
        ),
    ),
    "optional-input": Case(
        tensor(
            '{ name: "X" data_type: TYPE_FP32 dims: [ 1 ] »optional: true }',
            "max_batch_size: 4\ndynamic_batching { }\n",
        ),
        tensor(
            '{ name: "X" data_type: TYPE_FP32 dims: [ 1 ] }',
            "max_batch_size: 4\ndynamic_batching { }\n",
        ),
    ),
    "ragged-without-batch": Case(
        tensor('{ name: "X" data_type: TYPE_FP32 dims: [ -1 ] »allow_ragged_batch: true }'),
        tensor(
            '{ name: "X" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }',
            "max_batch_size: 4\n",
        ),
    ),
    "instance-count": Case(group("{ »count: -1 }"), group("{ count: 1 }")),
    "resource-both": Case(
        group(
            '{ rate_limiter { resources [ { name: "r" global: true count: 1 },\n'
            '»{ name: "r" count: 1 } ] } }'
        ),
        group('{ rate_limiter { resources [ { name: "r" global: true count: 1 } ] } }'),
    ),
    "gpu-needed": Case(group("{ »kind: KIND_GPU }"), group("{ kind: KIND_CPU }")),
    "backend-named": Case('name: "a"\n»backend: "Python"\n', 'backend: "python"\n'),
    "tensors-declared": Case(
        IO.replace("]\noutput", ', »{ name: "X" data_type: TYPE_FP32 dims: [ 1 ] } ]\noutput'), IO
    ),
    "cache-answers": Case("response_cache { »enable: true }\n", "response_cache { }\n"),
    "decoupled-clients": Case(
        "model_transaction_policy { »decoupled: true }\n", "model_transaction_policy { }\n"
    ),
    "value-unnamed": Case(
        'name: "a"\ninput [ { name: "X" »data_type: 99 dims: [ 1 ] } ]\n',
        'name: "a"\ninput [ { name: "X" data_type: 11 dims: [ 1 ] } ]\n',
    ),
    "batching-library-elsewhere": Case(
        'name: "m"\n»parameters { key: "TRITON_BATCH_STRATEGY_PATH" '
        'value { string_value: "../x.so" } }\n',
        'name: "m"\nparameters { key: "TRITON_BATCH_STRATEGY_PATH" '
        'value { string_value: "/models/m/x.so" } }\n',
    ),
    "file-needed": Case(
        LABELLED.replace("label_", "»label_"),
        LABELLED.replace('label_filename: "labels.txt" ', ""),
    ),
}

RELEASES = {
    "release-unknown": Case("»name: 'a'\n", "name: 'a'\n", at("27.01")),
    "instances-decay": Case(
        dynamic("priority_levels: 1 default_priority_level: 1 »max_queue_delay_microseconds: 9"),
        dynamic("max_queue_delay_microseconds: 9"),
    ),
    "batches-unequal": Case(
        'max_batch_size: 4\ninput [ { name: "X" data_type: TYPE_FP32 »dims: [ -1 ] } ]\n'
        "dynamic_batching { max_queue_delay_microseconds: 9 }\n",
        'max_batch_size: 4\ninput [ { name: "X" data_type: TYPE_FP32 dims: [ -1 ] } ]\n'
        "dynamic_batching { }\n",
        at("22.08"),
    ),
    "priority-wide": Case(
        dynamic("»priority_levels: 4294967296 default_priority_level: 1"),
        dynamic("priority_levels: 4294967295 default_priority_level: 1"),
        at("23.06"),
    ),
    "ordering-broken": Case(dynamic("»preserve_ordering: true"), dynamic(""), at("25.10")),
    "oldest-ordering-unheeded": Case(
        sequence("oldest { »preserve_ordering: true }"), sequence("oldest { }"), at("23.08")
    ),
    "slot-freed-twice": Case("»sequence_batching { }\n", "dynamic_batching { }\n", at("24.04")),
    "timeouts-late": Case(
        dynamic("default_queue_policy { »default_timeout_microseconds: 9 }"),
        dynamic(""),
        at("24.02"),
    ),
    "ensemble-queue-full": Case(
        'platform: "ensemble"\n»ensemble_scheduling { }\n', 'name: "a"\n', at("26.02")
    ),
    "iterative-release": Case(sequence("»iterative_sequence: true"), sequence(""), at("25.10")),
    "custom-batching-unknown": Case(
        '»parameters { key: "TRITON_BATCH_STRATEGY_PATH" value { string_value: "b.so" } }\n',
        'name: "a"\n',
        at("22.12"),
    ),
}

CASES = {**DYNAMIC, **SEQUENCE, **CONTROL, **STATE, **MODEL, **RELEASES}
