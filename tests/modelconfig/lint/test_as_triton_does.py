"""Edges where the linter follows release 24.10 and not what one would think (M12).

Each was tried on the running server, by ``benchmarks/differential``.
"""

from __future__ import annotations

import pytest

from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.lint.release import Release
from tests.modelconfig.lint.cases_fit import of_class

IO = (
    'backend: "python"\nmax_batch_size: 4\n'
    'input { name: "X" data_type: TYPE_FP32 dims: [ 1 ] }\n'
    'output { name: "Y" data_type: TYPE_FP32 dims: [ 1 ] }\n'
)
STEP = (
    'step {{ model_name: "a" model_version: -1 input_map {{ key: "P" value: "{}" }} '
    'output_map {{ key: "Q" value: "{}" }} }}\n'
)
ENSEMBLE = (
    'platform: "ensemble"\n'
    'input { name: "X" data_type: TYPE_FP32 dims: [ 1 ] }\n'
    'output { name: "Y" data_type: TYPE_FP32 dims: [ 1 ] }\n'
)
BAD_SAMPLE = 'model_warmup { name: "w" BATCH inputs { key: "X" value { dims: [ -1 ] } } }\n'


def errors(text: str) -> list[str]:
    return [item.rule for item in lint_text(text) if item.severity == "error"]


@pytest.mark.parametrize(
    "text",
    [
        "runtime: '' runtime: ''",
        "response_cache { enable: false enable: true }",
        "optimization { priority: 0 priority: PRIORITY_MAX }",
        'parameters { key: "a" value { string_value: "" string_value: "" } }',
    ],
)
def test_a_field_at_its_default_may_stand_again(text: str) -> None:
    assert errors(IO + text) == []


@pytest.mark.parametrize(
    "text",
    [
        "response_cache { enable: true enable: false }",
        "version_policy { all { } all { } }",
        'parameters { key: "" key: "a" }',
        "sequence_batching { state { initial_state { zero_data: false zero_data: false } } }",
        "sequence_batching { direct { minimum_slot_utilization: -0.0 "
        "minimum_slot_utilization: 1 } }",
    ],
)
def test_any_other_field_may_not(text: str) -> None:
    assert "field-twice" in errors(IO + text)


@pytest.mark.parametrize(
    ("escape", "accepted"),
    [
        (r"\x41", True), (r"\X41", False), (r"\u00e9", True), (r"\u12", False), (r"\777", True),
        (r"\U0010FFFF", True), (r"\U001FFFFF", True), (r"\U00200000", False), (r"\8", False),
    ],
)  # fmt: skip
def test_escapes_are_those_of_the_release(escape: str, accepted: bool) -> None:
    found = errors(f'{IO}parameters {{ key: "{escape}" }}')
    assert found == ([] if accepted else ["syntax"])


@pytest.mark.parametrize("text", ["# a\0b", 'parameters { key: "a\0b" }', "\0"])
def test_a_nul_byte_is_refused_wherever_it_stands(text: str) -> None:
    assert errors(IO * 9 + text) != []
    assert "syntax" in errors(IO + text)


def test_a_sample_that_is_never_run_is_not_checked() -> None:
    assert "warm-up-input" in errors(IO + BAD_SAMPLE.replace("BATCH", "batch_size: 1"))
    assert errors(IO + BAD_SAMPLE.replace("BATCH", "")) == []
    passive = "instance_group { kind: KIND_CPU passive: true }\n"
    assert errors(IO + passive + BAD_SAMPLE.replace("BATCH", "batch_size: 1")) == []


def test_a_batch_output_shapes_some_output() -> None:
    text = IO + 'batch_output { source_input: "X" TARGET }'
    assert errors(text.replace("TARGET", 'target_name: "Y"')) == []
    assert errors(text.replace("TARGET", "")) == ["batch-output"]


def test_two_dollar_signs_are_the_backends_own_and_no_hole() -> None:
    path = "$$TRITON_MODEL_DIRECTORY/env.tar.gz"
    text = f'{IO}parameters {{ key: "EXECUTION_ENV_PATH" value {{ string_value: "{path}" }} }}'
    assert "placeholder" not in {item.rule for item in lint_text(text)}
    assert "placeholder" in {item.rule for item in lint_text(text.replace("$$", "$"))}


@pytest.mark.parametrize("name", ["g", "a/b", "é", " a", "a#b", "*", "a,b", "a=b"])
def test_names_that_a_shell_leaves_alone(name: str) -> None:
    assert errors(f'{IO}instance_group {{ kind: KIND_CPU name: "{name}" }}') == []


@pytest.mark.parametrize("name", ["a b", "a ", "a;b", "a&b", "a|b", "(a)", "#a", "a{1,2}", "a\\nb"])
def test_names_that_a_shell_takes_apart(name: str) -> None:
    text = f'{IO}instance_group {{ kind: KIND_CPU name: "{name}" }}'
    assert errors(text) == ["name-in-shell"]
    assert errors(text.replace("python", "onnxruntime")) == []


def test_an_ensemble_may_hand_an_input_through() -> None:
    text = ENSEMBLE + 'output { name: "X" data_type: TYPE_FP32 dims: [ 1 ] }\n'
    assert errors(f"{text}ensemble_scheduling {{ {STEP.format('X', 'Y')} }}") == []


def test_steps_in_a_circle_are_refused() -> None:
    steps = STEP.format("X", "Y") + STEP.format("u", "t") + STEP.format("t", "u")
    assert set(errors(f"{ENSEMBLE}ensemble_scheduling {{ {steps} }}")) == {"ensemble-graph"}


@pytest.mark.parametrize(
    ("key", "accepted"),
    [("", True), ("7", True), ("a_b", True), ("_a", False), ("a.b", False), ("é", False)],
)
def test_metric_tags_are_labels_behind_an_underscore(key: str, accepted: bool) -> None:
    found = errors(f'{IO}metric_tags {{ key: "{key}" value: "x" }}')
    assert found == ([] if accepted else ["metric-tag-name"])


def test_a_map_may_be_given_as_a_list_also_an_empty_one() -> None:
    assert errors(IO + "parameters [ ]") == []
    assert errors(IO + 'metric_tags [ { key: "a" value: "b" }, { key: "c" } ]') == []


def test_a_warm_up_may_give_a_variable_dimension_nothing() -> None:
    text = IO.replace("dims: [ 1 ]", "dims: [ -1 ]", 1) + (
        'model_warmup { batch_size: 1 inputs { key: "X" value '
        "{ data_type: TYPE_FP32 dims: [ DIM ] zero_data: true } } }"
    )
    assert errors(text.replace("DIM", "0")) == []
    assert errors(text.replace("DIM", "-2")) == ["warm-up-input"]


@pytest.mark.parametrize(
    ("dims", "accepted"),
    [("1024", True), ("1125899906842624", False), ("2305843009213693952", False),
     ("4611686018427387904", True)],
    ids=["small", "a million times too much", "runs over to a negative size", "runs over to none"],
)  # fmt: skip
def test_an_initial_state_is_counted_in_64_bits(dims: str, accepted: bool) -> None:
    text = IO + (
        'sequence_batching { state { input_name: "S" output_name: "T" data_type: TYPE_FP32 '
        "dims: [ DIM ] initial_state "
        '{ name: "i" data_type: TYPE_FP32 dims: [ DIM ] zero_data: true } } }'
    ).replace("DIM", dims)
    assert errors(text) == ([] if accepted else ["initial-state-memory"])


@pytest.mark.parametrize(
    ("name", "accepted"),
    [("model.py", True), ("other.py", True), ("sub/model.py", True), ("../1/model.py", True),
     ("my-model.py", True), ("./model.py", False), ("my.model.py", False), ("model.txt", False),
     ("model", False), (".", False)],
)  # fmt: skip
def test_a_python_file_is_imported_by_its_name(name: str, accepted: bool) -> None:
    found = errors(f'{IO}default_model_filename: "{name}"')
    assert found == ([] if accepted else ["python-file-name"])


def test_an_ensemble_has_no_backend_whatever_the_caller_says() -> None:
    text = f"{ENSEMBLE}ensemble_scheduling {{ {STEP.format('X', 'Y')} }}"
    known = {item.rule for item in lint_text(text + 'default_model_filename: "a;b"',
                                             backend="python")}  # fmt: skip
    assert not known & {"name-in-shell", "python-file-name"}


@pytest.mark.parametrize(("version", "accepted"), [(-1, True), (1, True), (0, False), (-2, False)])
def test_a_step_names_a_version_that_can_be(version: int, accepted: bool) -> None:
    step = STEP.format("X", "Y").replace("-1", str(version))
    found = errors(f"{ENSEMBLE}ensemble_scheduling {{ {step} }}")
    assert found == ([] if accepted else ["ensemble-step-version"])


def test_a_step_without_a_version_asks_for_version_0() -> None:
    step = STEP.format("X", "Y").replace("model_version: -1", "")
    assert errors(f"{ENSEMBLE}ensemble_scheduling {{ {step} }}") == ["ensemble-step-version"]


def test_a_model_in_a_folder_whose_name_a_shell_takes_apart_is_an_error() -> None:
    found = {item.rule for item in lint_text(IO, folder="my model")}
    assert "name-in-shell" in found
    assert "name-in-shell" not in {item.rule for item in lint_text(IO, folder="my_model")}


@pytest.mark.parametrize("most", [0, 1])
def test_a_delay_is_waited_only_where_a_batch_can_grow(most: int) -> None:
    """Nothing waits without a batch, nor where one request is a preferred batch."""
    alone = of_class(answers={"arrivals": "one_caller"}, demand={"deadline_ms": 1})
    delay = "max_queue_delay_microseconds: 200000"
    waits = f"max_batch_size: 4 dynamic_batching {{ {delay} }}"
    rules = {"class-lone-caller", "class-deadline", "delay-long"}
    assert rules <= {item.rule for item in lint_text(waits, **alone)}
    for text in (
        f"max_batch_size: {most} dynamic_batching {{ {delay} }}",
        f"max_batch_size: 4 dynamic_batching {{ {delay} preferred_batch_size: [ 1, 4 ] }}",
    ):
        assert not rules & {item.rule for item in lint_text(text, **alone)}


@pytest.mark.parametrize(
    ("levels", "met"),
    [("", False), ("priority_levels: 1 default_priority_level: 1", True)],
)
def test_a_policy_by_level_counts_only_where_there_are_levels(levels: str, met: bool) -> None:
    """Core, PriorityQueue: without levels there is one queue, under the default policy."""
    text = (
        f"max_batch_size: 4 dynamic_batching {{ {levels} priority_queue_policy {{ key: 1 value {{ "
        "default_timeout_microseconds: 9 timeout_action: DELAY } } }"
    )
    found = {item.rule for item in lint_text(text, release=Release.of("24.02"))}
    assert ({"timeouts-late", "delay-for-ever"} <= found) is met
    assert ("priority-policy-unused" in found) is not met


def test_a_default_policy_that_every_level_replaces_is_met_by_no_request() -> None:
    text = (
        "max_batch_size: 4 dynamic_batching { priority_levels: LEVELS default_priority_level: 1 "
        "default_queue_policy { default_timeout_microseconds: 9 timeout_action: DELAY } "
        "priority_queue_policy { key: 1 value { max_queue_size: 9 } } }"
    )
    for levels, met in (("1", False), ("2", True)):
        found = {item.rule for item in lint_text(text.replace("LEVELS", levels))}
        assert ("delay-for-ever" in found) is met


def effect(text: str, rule: str, **known: object) -> str:
    (found,) = [item for item in lint_text(text, **known) if item.rule == rule]  # type: ignore[arg-type]
    return found.effect


def test_a_batch_of_few_candidates_waits_only_if_no_preferred_size_can_form() -> None:
    oldest = (
        "max_batch_size: 8 sequence_batching { oldest { max_candidate_sequences: 4 "
        "preferred_batch_size: [ SIZES ] max_queue_delay_microseconds: 9000 } }"
    )
    assert "waits the whole" in effect(oldest.replace("SIZES", "6, 8"), "candidates-few")
    assert "waits the whole" not in effect(oldest.replace("SIZES", "2, 8"), "candidates-few")


def test_what_a_queue_without_a_free_instance_does_is_told_by_release() -> None:
    text = "max_batch_size: 4 dynamic_batching { default_queue_policy { max_queue_size: 9 } }"
    said = {
        release: effect(text, "prefetch-off", release=Release.of(release))
        for release in ("23.09", "23.12", "24.03")
    }
    assert "500 ms" not in said["23.09"]
    assert "waited 500 ms" in said["23.12"]
    assert "timeout" not in said["23.12"]
    assert "timeout is looked at about every 500 ms" in said["24.03"]


def test_a_request_of_another_shape_waits_under_direct_and_ends_the_batch_elsewhere() -> None:
    text = (
        'max_batch_size: 4 input { name: "X" data_type: TYPE_FP32 dims: -1 } '
        "sequence_batching { STRATEGY { } }"
    )
    direct = effect(text.replace("STRATEGY", "direct"), "variable-shape")
    assert "padded" in direct
    assert "100 %" not in direct
    oldest = effect(text.replace("STRATEGY", "oldest"), "variable-shape")
    assert "ends the batch" in oldest
    assert "100 %" in oldest


def test_states_that_share_a_buffer_are_not_swapped() -> None:
    pair = (
        'state {{ input_name: "{0}" output_name: "{1}" data_type: TYPE_FP32 dims: 1 {2} '
        'initial_state {{ name: "i" data_type: TYPE_FP32 dims: 1 zero_data: true }} }}'
    )
    shared = "use_same_buffer_for_input_output: true"
    # a shared buffer is not handed over; it keeps its place among the names all the same
    for first, second, swapped in (
        ("", "", True),
        (shared, shared, False),
        (shared, "", True),
        ("", shared, True),
    ):
        states = pair.format("a", "y", first) + pair.format("b", "x", second)
        text = f'backend: "onnxruntime" max_batch_size: 4 sequence_batching {{ {states} }}'
        assert ("state-order" in {item.rule for item in lint_text(text)}) is swapped


def test_the_models_folder_has_no_sign_in_the_path_of_a_batching_library() -> None:
    """24.10: 'Batching library path not found: $$TRITON_MODEL_DIRECTORY/x.so'."""
    text = 'parameters { key: "KEY" value { string_value: "$$TRITON_MODEL_DIRECTORY/x.so" } }'
    library = lint_text(text.replace("KEY", "TRITON_BATCH_STRATEGY_PATH"))
    assert "batching-library-path" in {item.rule for item in library}
    environment = lint_text(text.replace("KEY", "EXECUTION_ENV_PATH"))
    assert "batching-library-path" not in {item.rule for item in environment}


@pytest.mark.parametrize(
    ("path", "elsewhere"),
    [
        ("/models/m/x.so", False),
        ("/models/m/../x.so", True),
        ("/etc/x.so", True),
        ("../../x.so", True),
        # counts from the server's own folder, whatever it looks like
        ("m/x.so", True),
    ],
)
def test_a_batching_library_lies_in_the_models_folder(path: str, elsewhere: bool) -> None:
    text = f'parameters {{ key: "TRITON_BATCH_STRATEGY_PATH" value {{ string_value: "{path}" }} }}'
    for named in ({"folder": "m"}, {}):
        found = lint_text(text if named else f'name: "m" {text}', **named)  # type: ignore[arg-type]
        assert ("batching-library-elsewhere" in {item.rule for item in found}) is elsewhere


@pytest.mark.parametrize("file", ["1/model.py", "1/model.onnx", "1/model.savedmodel/"])
def test_a_backend_may_be_guessed_by_a_file(file: str) -> None:
    files = {"config.pbtxt": 9, "1/": 0, file: 9}
    assert "backend-none" not in {item.rule for item in lint_text('name: "a"', files=files)}


def test_state_is_newer_than_the_oldest_release_known_here() -> None:
    text = "sequence_batching { state { } }"
    early = lint_text(text, release=Release.of("21.10"))
    assert "field-newer" in {item.rule for item in early}
    assert "field-newer" not in {r.rule for r in lint_text(text, release=Release.of("21.11"))}


def test_a_control_of_a_type_that_is_none_is_held_against_a_class_too() -> None:
    text = (
        'max_batch_size: 4 sequence_batching { control_input { name: "ID" control { '
        "kind: CONTROL_SEQUENCE_CORRID data_type: 99 } } }"
    )
    for ids in ("string", "uint64"):
        known = of_class(
            answers={"relation": "parts_of_a_session", "correlation_id": {"type": ids}}
        )
        found = lint_text(text, **known)
        assert [item.message for item in found if item.rule == "control-id-type"]
        assert any("99" in item.message for item in found)
