"""Rules on files that cannot be read, and on configurations that Triton refuses."""

from __future__ import annotations

from backend.modelconfig.lint.release import Release
from tests.modelconfig.lint.case import (
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
START = f"kind: CONTROL_SEQUENCE_START {FLAGS}"
INITIAL = 'name: "i" data_type: TYPE_FP32 dims: [ 1 ] zero_data: true'
ENSEMBLE = 'platform: "ensemble"\n' + IO
STEP = (
    'model_name: "a" model_version: -1 '
    'input_map { key: "P" value: "X" } output_map { key: "Q" value: "Y" }'
)
WARM = "data_type: TYPE_FP32 dims: [ 1 ] zero_data: true"


def steps(*inner: str) -> str:
    lines = "\n".join(f"step [ {{ {one} }} ]" for one in inner)
    return f"ensemble_scheduling {{\n{lines}\n}}\n"


READING = {
    "syntax": Case('name: "a"\nmax_batch_size »4\n', 'name: "a"\nmax_batch_size: 4\n'),
    "unknown-field": Case("»max_bach_size: 4\n", "max_batch_size: 4\n"),
    "unknown-value": Case(
        'input [ { name: "X" dims: 1 data_type: »FP32 } ]\n',
        'input [ { name: "X" dims: 1 data_type: TYPE_FP32 } ]\n',
    ),
    "wrong-type": Case('max_batch_size: »"4"\n', "max_batch_size: 4\n"),
    "field-twice": Case("max_batch_size: 1\n»max_batch_size: 2\n", "max_batch_size: 2\n"),
    "two-schedulers": Case(
        "dynamic_batching { }\n»sequence_batching { }\n", "sequence_batching { }\n"
    ),
    "two-strategies": Case(
        "sequence_batching {\n  direct { }\n  »oldest { }\n}\n",
        "sequence_batching {\n  oldest { }\n}\n",
    ),
    "byte-order-mark": Case('»\ufeffname: "a"\n', 'name: "a"\n'),
    "empty-file": Case("»# only a comment\n", 'name: "a"\n'),
    "git-link": Case("»../shared/config.pbtxt", 'name: "a"\n'),
    "include": Case('name: "a"\n»include "common.pbtxt"\n', 'name: "a"\n'),
    "not-a-configuration": Case("»<!DOCTYPE html><html></html>\n", 'name: "a"\n'),
    "json-in-pbtxt": Case('»{"name": "a"}\n', 'name: "a"\n', {"file": "models/a/config.pbtxt"}),
    "placeholder": Case("max_batch_size: »${SIZE}\n", "max_batch_size: 4\n"),
}

MODEL = {
    "max-batch-size-negative": Case('name: "a"\n»max_batch_size: -1\n', "max_batch_size: 0\n"),
    "name-not-folder": Case(
        'backend: "python"\n»name: "other"\n', 'name: "model"\n', {"folder": "model"}
    ),
    "platform-backend": Case(
        'backend: "onnxruntime"\n»platform: "tensorrt_plan"\n',
        'backend: "onnxruntime"\nplatform: "onnxruntime_onnx"\n',
    ),
    "no-version-served": Case(
        "version_policy {\n  »latest { num_versions: 0 }\n}\n",
        "version_policy {\n  latest { num_versions: 1 }\n}\n",
    ),
    "cache-with-sequences": Case(
        "sequence_batching { }\n»response_cache { enable: true }\n",
        "sequence_batching { }\nresponse_cache { enable: false }\n",
    ),
    "cache-with-decoupled": Case(
        "model_transaction_policy { decoupled: true }\n»response_cache { enable: true }\n",
        "response_cache { enable: true }\n",
    ),
    "custom-batching-with-sequences": Case(
        'sequence_batching { }\n»parameters { key: "TRITON_BATCH_STRATEGY_PATH" '
        'value { string_value: "b.so" } }\n',
        'parameters { key: "TRITON_BATCH_STRATEGY_PATH" value { string_value: "b.so" } }\n',
    ),
    "batching-library-path": Case(
        '»parameters { key: "TRITON_BATCH_STRATEGY_PATH" value { string_value: "" } }\n',
        'parameters { key: "TRITON_BATCH_STRATEGY_PATH" value { string_value: "/m/b.so" } }\n',
    ),
    "backend-none": Case(
        '»name: "a"\n',
        'name: "a"\nbackend: "mine"\n',
        {"files": {"config.pbtxt": 9, "1/": 0, "1/model.bin": 9}},
    ),
    "python-file-name": Case(
        'backend: "python"\n»default_model_filename: "my.model.py"\n',
        'backend: "python"\ndefault_model_filename: "sub/my_model.py"\n',
    ),
    "force-cpu-only-value": Case(
        'backend: "python"\n»parameters { key: "FORCE_CPU_ONLY_INPUT_TENSORS" '
        'value { string_value: "true" } }\n',
        'backend: "python"\nparameters { key: "FORCE_CPU_ONLY_INPUT_TENSORS" '
        'value { string_value: "yes" } }\n',
    ),
    "metric-control": Case(
        'model_metrics { metric_control [ »{ metric_identifier { family: "f" } } ] }\n',
        'model_metrics { metric_control [ { metric_identifier { family: "f" } '
        "histogram_options { buckets: [ 1 ] } } ] }\n",
        {"release": Release.of("24.11")},
    ),
    "field-newer": Case(
        "»model_metrics { }\n", "model_metrics { }\n".replace("model_metrics", "optimization")
    ),
}

TENSORS = {
    "tensor-without-name": Case(
        tensor("»{ data_type: TYPE_FP32 dims: [ 1 ] }"),
        tensor('{ name: "X" data_type: TYPE_FP32 dims: [ 1 ] }'),
    ),
    "tensor-without-type": Case(
        tensor('»{ name: "X" dims: [ 1 ] }'),
        tensor('{ name: "X" data_type: TYPE_FP32 dims: [ 1 ] }'),
    ),
    "tensor-dims": Case(
        tensor('{ name: "X" data_type: TYPE_FP32 dims: [ 1, »0 ] }'),
        tensor('{ name: "X" data_type: TYPE_FP32 dims: [ 1, -1 ] }'),
    ),
    "reshape-to-nothing": Case(
        tensor('{ name: "X" data_type: TYPE_FP32 dims: [ 1 ] »reshape { } }'),
        tensor('{ name: "X" data_type: TYPE_FP32 dims: [ 1 ] reshape { } }', "max_batch_size: 1\n"),
    ),
    "reshape-size": Case(
        tensor('{ name: "X" data_type: TYPE_FP32 dims: [ 4 ] »reshape { shape: [ 2, 3 ] } }'),
        tensor('{ name: "X" data_type: TYPE_FP32 dims: [ 4 ] reshape { shape: [ 2, 2 ] } }'),
    ),
    "image-format-dims": Case(
        tensor('{ name: "X" data_type: TYPE_FP32 dims: [ 1 ] »format: FORMAT_NHWC }'),
        tensor('{ name: "X" data_type: TYPE_FP32 dims: [ 1, 2, 3 ] format: FORMAT_NHWC }'),
    ),
    "tensorrt-only-tensor": Case(
        tensor('{ name: "X" data_type: TYPE_INT32 dims: [ 1 ] »is_shape_tensor: true }'),
        tensor(
            '{ name: "X" data_type: TYPE_INT32 dims: [ 1 ] is_shape_tensor: true }',
            'backend: "tensorrt"\n',
        ),
    ),
    "batch-input": Case(
        IO
        + "»batch_input [ { kind: BATCH_ELEMENT_COUNT data_type: TYPE_FP32 } ]\n".replace(
            "»batch_input [ ", "batch_input [ »"
        ),
        IO + "batch_input [ { kind: BATCH_ELEMENT_COUNT data_type: TYPE_FP32 "
        'source_input: "X" } ]\n',
    ),
    "batch-output": Case(
        IO + 'batch_output [ { target_name: [ »"Z" ] source_input: "X" } ]\n',
        IO + 'batch_output [ { target_name: [ "Y" ] source_input: "X" } ]\n',
    ),
}

SCHEDULING = {
    "preferred-size": Case(
        dynamic("preferred_batch_size: [ 2, »8 ]"), dynamic("preferred_batch_size: [ 2, 4 ]")
    ),
    "default-priority-level": Case(
        dynamic("»priority_levels: 2"), dynamic("priority_levels: 2 default_priority_level: 2")
    ),
    "priority-policy-level": Case(
        dynamic(
            "priority_levels: 2 default_priority_level: 1\n"
            "»priority_queue_policy { key: 3 value { max_queue_size: 1 } }"
        ),
        dynamic(
            "priority_levels: 2 default_priority_level: 1\n"
            "priority_queue_policy { key: 2 value { max_queue_size: 1 } }"
        ),
    ),
    "ordering-with-levels": Case(
        dynamic("priority_levels: 2 default_priority_level: 1\n»preserve_ordering: true"),
        dynamic("priority_levels: 1 default_priority_level: 1\npreserve_ordering: true"),
    ),
    "ordering-with-delay": Case(
        dynamic(
            "preserve_ordering: true\n"
            "»default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 5 }"
        ),
        dynamic(
            "preserve_ordering: true\n"
            "default_queue_policy { timeout_action: REJECT default_timeout_microseconds: 5 }"
        ),
    ),
    "slot-utilization": Case(
        sequence("direct { »minimum_slot_utilization: 1.5 }"),
        sequence("direct { minimum_slot_utilization: 1 }"),
    ),
}

CONTROLS = {
    "control-without-name": Case(
        sequence(f"control_input [ »{{ control [ {{ {START} }} ] }} ]"),
        control(f"{{ {START} }}"),
    ),
    "control-name-twice": Case(
        sequence(
            f'control_input [ {{ name: "C" control [ {{ {START} }} ] }},\n'
            f'»{{ name: "C" control [ {{ kind: CONTROL_SEQUENCE_END {FLAGS} }} ] }} ]'
        ),
        sequence(
            f'control_input [ {{ name: "C" control [ {{ {START} }} ] }},\n'
            f'{{ name: "D" control [ {{ kind: CONTROL_SEQUENCE_END {FLAGS} }} ] }} ]'
        ),
    ),
    "control-kind-twice": Case(
        sequence(
            f'control_input [ {{ name: "C" control [ {{ {START} }} ] }},\n'
            f'{{ name: "D" control [ »{{ {START} }} ] }} ]'
        ),
        sequence(
            f'control_input [ {{ name: "C" control [ {{ {START} }} ] }},\n'
            f'{{ name: "D" control [ {{ kind: CONTROL_SEQUENCE_END {FLAGS} }} ] }} ]'
        ),
    ),
    "control-flag-values": Case(
        control("{ kind: CONTROL_SEQUENCE_READY »int32_false_true: [ 0 ] }"),
        control(f"{{ kind: CONTROL_SEQUENCE_READY {FLAGS} }}"),
    ),
    "control-id-flags": Case(
        control(f"{{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 »{FLAGS} }}"),
        control("{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 }"),
    ),
    "control-id-type": Case(
        control("{ kind: CONTROL_SEQUENCE_CORRID »data_type: TYPE_FP32 }"),
        control("{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 }"),
    ),
    "control-id-text-python": Case(
        'backend: "python"\n'
        + control("{ kind: CONTROL_SEQUENCE_CORRID »data_type: TYPE_STRING }"),
        'backend: "onnxruntime"\n'
        + control("{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_STRING }"),
    ),
}

STATE = {
    "initial-state-several": Case(
        state(f"initial_state [ {{ {INITIAL} }},\n»{{ {INITIAL} }} ]"),
        state(f"initial_state [ {{ {INITIAL} }} ]"),
    ),
    "initial-state-unfit": Case(
        state('initial_state [ »{ name: "i" data_type: TYPE_FP32 dims: [ 2 ] zero_data: true } ]'),
        state(f"initial_state [ {{ {INITIAL} }} ]"),
    ),
    "initial-state-empty": Case(
        state('initial_state [ »{ name: "i" data_type: TYPE_FP32 dims: [ 1 ] } ]'),
        state(f"initial_state [ {{ {INITIAL} }} ]"),
    ),
    "initial-state-memory": Case(
        state(
            'initial_state [ { name: "i" data_type: TYPE_FP32 »dims: [ 274877906944 ] '
            "zero_data: true } ]"
        ).replace("dims: [ 1 ]", "dims: [ -1 ]"),
        state(
            'initial_state [ { name: "i" data_type: TYPE_FP32 dims: [ 1024 ] zero_data: true } ]'
        ).replace("dims: [ 1 ]", "dims: [ -1 ]"),
    ),
    "initial-state-input-twice": Case(
        state(
            f"initial_state [ {{ {INITIAL} }} ]\n"
            '}, { input_name: "S" output_name: "U" data_type: TYPE_FP32 dims: [ 1 ]\n'
            f"initial_state [ »{{ {INITIAL} }} ]"
        ),
        state(
            f"initial_state [ {{ {INITIAL} }} ]\n"
            '}, { input_name: "R" output_name: "Q" data_type: TYPE_FP32 dims: [ 1 ]\n'
            f"initial_state [ {{ {INITIAL} }} ]"
        ),
    ),
}

GROUPS = {
    "cpu-group-with-gpus": Case(
        group("{ kind: KIND_CPU »gpus: [ 0 ] }"), group("{ kind: KIND_GPU gpus: [ 0 ] }")
    ),
    "gpu-number": Case(
        group("{ kind: KIND_GPU gpus: [ 0, »-1 ] }"), group("{ kind: KIND_GPU gpus: [ 0, 1 ] }")
    ),
    "group-kind": Case(group("{ »kind: 7 }"), group("{ kind: KIND_CPU }")),
    "group-profile": Case(
        group('{ »profile: [ "1" ] }'), group('{ profile: [ "1" ] }', 'backend: "tensorrt"\n')
    ),
    "passive-with-sequences": Case(
        group("{ »passive: true }", "sequence_batching { }\n"),
        group("{ passive: false }", "sequence_batching { }\n"),
    ),
    "warm-up-memory": Case(
        IO + "model_warmup [ { batch_size: 1\n"
        'inputs { key: "X" value { data_type: TYPE_FP32 »dims: [ 274877906944 ] zero_data: true } '
        "} } ]\n",
        IO + f'model_warmup [ {{ batch_size: 1\ninputs {{ key: "X" value {{ {WARM} }} }} }} ]\n',
    ),
    "warm-up-count": Case(
        IO + "model_warmup [ { batch_size: 1 »count: 10000000\n"
        f'inputs {{ key: "X" value {{ {WARM} }} }} }} ]\n',
        IO + "model_warmup [ { batch_size: 1 count: 10\n"
        f'inputs {{ key: "X" value {{ {WARM} }} }} }} ]\n',
    ),
    "warm-up-nothing": Case(
        'backend: "python"\nmax_batch_size: 4\nmodel_warmup [ »{ batch_size: 1 } ]\n',
        'backend: "python"\nmax_batch_size: 4\nmodel_warmup [ { batch_size: 0 } ]\n',
    ),
    "warm-up-input": Case(
        IO + "model_warmup [ { batch_size: 1\n"
        '»inputs { key: "X" value { data_type: TYPE_FP32 dims: [ -1 ] zero_data: true } } } ]\n',
        IO + f'model_warmup [ {{ batch_size: 1\ninputs {{ key: "X" value {{ {WARM} }} }} }} ]\n',
    ),
    "warm-up-batch": Case(
        "max_batch_size: 4\n" + IO + 'model_warmup [ { name: "w" »batch_size: 8\n'
        f'inputs {{ key: "X" value {{ {WARM} }} }} }} ]\n',
        "max_batch_size: 4\n" + IO + 'model_warmup [ { name: "w" batch_size: 4\n'
        f'inputs {{ key: "X" value {{ {WARM} }} }} }} ]\n',
    ),
}

START_UP = {
    "metric-tag-name": Case(
        '»metric_tags { key: "team:a" value: "x" }\n', 'metric_tags { key: "team_a" value: "x" }\n'
    ),
    "agents-none": Case("»model_repository_agents { }\n", "optimization { }\n"),
    "slots-too-many": Case(
        sequence("oldest { »max_candidate_sequences: 2147483647 }"),
        sequence("oldest { max_candidate_sequences: 1000000 }"),
    ),
    "name-in-shell": Case(
        group('{ »name: "a; b" }', 'backend: "python"\n'),
        group('{ name: "a_b" }', 'backend: "python"\n'),
    ),
}

ENSEMBLES = {
    "ensemble-platform": Case(
        IO + "»" + steps(STEP), 'platform: "ensemble"\n' + IO + steps(STEP)
    ),
    "ensemble-extra": Case(
        ENSEMBLE + steps(STEP) + "»instance_group [ { count: 1 } ]\n", ENSEMBLE + steps(STEP)
    ),
    "ensemble-step": Case(
        ENSEMBLE + steps(STEP, 'model_name: "b"').replace('{ model_name: "b', '»{ model_name: "b'),
        ENSEMBLE + steps(STEP),
    ),
    "ensemble-step-key": Case(
        ENSEMBLE + steps(STEP).replace('output_map { key: "Q"', '»output_map { key: ""'),
        ENSEMBLE + steps(STEP),
    ),
    "ensemble-step-version": Case(
        ENSEMBLE + steps(STEP).replace("model_version: -1", "»model_version: 0"),
        ENSEMBLE + steps(STEP).replace("model_version: -1", "model_version: 3"),
    ),
    "ensemble-graph": Case(
        ENSEMBLE + steps(STEP.replace('output_map { key: "Q" value: "Y" }', '')
                         + ' output_map { key: "Q" value: "Y" }'
                         + ' »output_map { key: "R" value: "Z" }'),
        ENSEMBLE + steps(STEP),
    ),
}  # fmt: skip

FOLDER = {"config.pbtxt": 9, "1/": 0, "1/model.py": 9, "2/": 0, "03/": 0, "03/model.py": 9,
          "labels.txt": 9, "warmup/": 0, "warmup/three": 3}  # fmt: skip
SAMPLE = (
    IO + 'model_warmup [ { batch_size: 1\n»inputs { key: "X" value '
    '{ data_type: TYPE_FP32 dims: [ 1 ] input_data_file: "three" } } } ]\n'
)

BESIDE = {
    "file-missing": Case(
        'backend: "python"\n' + LABELLED.replace("labels", "label").replace("label_", "»label_"),
        'backend: "python"\n' + LABELLED,
        {"files": {name: FOLDER[name] for name in FOLDER if name != "2/"}},
    ),
    "file-short": Case(SAMPLE, SAMPLE.replace("»", "").replace("FP32", "INT8"), {"files": FOLDER}),
    "version-missing": Case(
        'name: "a"\n»version_policy { specific { versions: [ 3, 4 ] } }\n',
        'name: "a"\nversion_policy { specific { versions: [ 1, 4 ] } }\n',
        {"files": FOLDER},
    ),
    "gpu-none": Case(group("{ »gpus: [ 0 ] }"), group("{ kind: KIND_CPU }"), {"gpus": False}),
}

CASES = {
    **READING,
    **MODEL,
    **TENSORS,
    **SCHEDULING,
    **CONTROLS,
    **STATE,
    **GROUPS,
    **START_UP,
    **ENSEMBLES,
    **BESIDE,
}
