"""Triton's own reason for a refused model, also where its answer gives none (M18).

The texts are those of release 24.10.
"""

from __future__ import annotations

import json

from backend.runtime.load_failure import reason_from_answer, reason_from_log

PROTOBUF = (
    "[libprotobuf ERROR /tmp/tritonbuild/google/protobuf/text_format.cc:337] Error parsing "
    "text-format inference.ModelConfig: "
)
POLL = 'E1201 03:49:39.021457 5554 model_repository_manager.cc:1460] "Poll failed for model '


def answer(text: str) -> str:
    return json.dumps({"error": text})


def test_the_reason_in_the_answer_without_the_stage_around_it() -> None:
    text = answer(
        "load failed for model 'm': version 1 is at UNAVAILABLE state: Internal: ValueError: "
        "weights file missing\n\nAt:\n  /r/m/1/model.py(2): initialize\n;\n"
    )
    assert reason_from_answer("m", text) == (
        "Internal: ValueError: weights file missing\n\nAt:\n  /r/m/1/model.py(2): initialize"
    )


def test_an_answer_that_says_nothing_gives_no_reason() -> None:
    said = answer("failed to load 'm', failed to poll from model repository")
    assert reason_from_answer("m", said) is None
    assert reason_from_answer("m", "") is None
    assert reason_from_answer("m", "not json") == "not json"


def test_a_missing_backend_says_what_the_embedded_server_has() -> None:
    text = answer(
        "load failed for model 'm': version 1 is at UNAVAILABLE state: Invalid argument: unable to "
        "find backend library for backend 'onnxruntime', try specifying runtime on the model "
        "configuration.;\n"
    )
    reason = reason_from_answer("m", text)
    assert reason is not None
    assert reason.startswith("Invalid argument: unable to find backend library")
    assert "has the Python backend only" in reason


def test_a_parse_error_names_line_and_column() -> None:
    log = (
        f'{PROTOBUF}8:13: Message type "inference.ModelConfig" has no field named "dynamic_bat".\n'
        f"{POLL}directory 'm': failed to read text proto from /r/m/config.pbtxt\"\n"
    )
    assert reason_from_log("m", log) == (
        'config.pbtxt line 8, column 13: Message type "inference.ModelConfig" has no field named '
        '"dynamic_bat".\nfailed to read text proto from /r/m/config.pbtxt'
    )


def test_a_validation_error_is_the_line_of_that_model() -> None:
    log = (
        f"{PROTOBUF}1:1: something of another model.\n"
        f"{POLL}directory 'other': failed to read text proto from /r/other/config.pbtxt\"\n"
        f"{POLL}directory 'm': sequence batching must specify something\"\n"
    )
    assert reason_from_log("m", log) == "sequence batching must specify something"
    assert reason_from_log("absent", log) is None


def test_a_model_that_is_not_in_the_repository() -> None:
    log = (
        "E1201 03:49:39.186115 5554 model_repository_manager.cc:1415] \"failed to poll model 'm': "
        'model not found in any model repository."\n'
    )
    assert reason_from_log("m", log) == "model not found in any model repository."
