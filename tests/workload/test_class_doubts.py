"""What does not fit together in a whole class (M03, M05, M06): each with a near miss."""

from __future__ import annotations

from typing import Any

import pytest

from backend.workload.class_doubts import class_doubts
from backend.workload.doubts import doubts
from backend.workload.questions import QUESTIONS
from backend.workload.state_machine import machine_of
from backend.workload.study import TrafficClass

TENSORS = {
    "max_batch_size": 4,
    "inputs": ({"name": "X", "data_type": "FP32", "dims": (8,)},),
    "outputs": ({"name": "Y", "data_type": "FP32", "dims": (2,)},),
}
STATES = ({"input_name": "H", "output_name": "H2", "data_type": "FP32", "dims": (8,)},)


def made(
    answers: dict[str, Any] | None = None,
    declared: dict[str, Any] | None = None,
    candidate: dict[str, Any] | None = None,
    demand: dict[str, Any] | None = None,
    **traffic: Any,
) -> TrafficClass:
    model = {"template": "session_probe"} if declared is None else {"declared": TENSORS | declared}
    return TrafficClass.model_validate(
        {
            "name": "calls",
            "workload": {
                "answers": {"relation": "parts_of_a_session"} | (answers or {}),
                "demand": demand or {},
                "traffic": traffic,
            },
            "model": model,
            "candidates": (candidate,) if candidate else (),
        }
    )


OLDEST = {"name": "sequence-oldest"}
DIRECT = {"name": "sequence-direct"}

# rule: (what raises it, the near miss)
CASES = {
    # 2 s of silence and 0.1 s of execution are within 2.1 s, and not within a moment more
    "idle-limit-below-pause": (
        made(
            candidate=OLDEST | {"max_sequence_idle_microseconds": 2_100_000},
            demand={"execution_ms": 100},
            longest_gap_ms=2000,
        ),
        made(
            candidate=OLDEST | {"max_sequence_idle_microseconds": 2_100_001},
            demand={"execution_ms": 100},
            longest_gap_ms=2000,
        ),
    ),
    "slots-below-sessions": (
        made(candidate=OLDEST | {"max_candidate_sequences": 9}, demand={"live_sessions": 10}),
        made(candidate=OLDEST | {"max_candidate_sequences": 10}, demand={"live_sessions": 10}),
    ),
    "model-keeps-state": (
        made({"state_kind": "none"}, {"keeps_state": "yes"}),
        made({"state_kind": "none"}, {"keeps_state": "unknown"}),
    ),
    "model-keeps-no-state": (
        made({"state_kind": "session_object"}, {"keeps_state": "no"}),
        made({"state_kind": "carried_in_request"}, {"keeps_state": "no"}),
    ),
    "state-tensors-of-another-kind": (
        made({"state_kind": "session_object"}, {"states": STATES}),
        made({"state_kind": "implicit_state"}, {"states": STATES}),
    ),
    "no-state-tensors": (
        made({"state_kind": "implicit_state"}, {}),
        made({"state_kind": "implicit_state"}, {"states": STATES}),
    ),
    "template-is-python": (
        made({"serving": {"backend": "onnxruntime"}}),
        made({"serving": {"backend": "onnxruntime"}}, {}),
    ),
    "template-writes-no-state": (
        made({"state_kind": "implicit_state"}),
        made({"state_kind": "implicit_state"}, {"states": STATES}),
    ),
    "text-control-of-a-template": (
        made({"correlation_id": {"type": "string", "control_type": "string"}}),
        made({"correlation_id": {"type": "string", "control_type": "none"}}),
    ),
}


@pytest.mark.parametrize("rule", CASES)
def test_it_is_raised_numbered_on_the_drawing_and_its_near_miss_is_not(rule: str) -> None:
    raised, near_miss = CASES[rule]
    found = {item.id: item for item in class_doubts(raised)}
    assert rule in found
    assert found[rule].sentence.endswith(".")
    assert set(found[rule].questions) <= {item.id for item in QUESTIONS}
    drawn = machine_of(raised)
    (problem,) = [item for item in drawn.problems if item.sentence == found[rule].sentence]
    assert problem.kind == found[rule].kind
    assert problem.number in drawn.numbers_at(problem.at, problem.trigger)
    assert rule not in {item.id for item in class_doubts(near_miss)}


def test_slots_of_direct_are_the_batch() -> None:
    item = made(candidate=DIRECT | {"max_batch_size": 4}, demand={"live_sessions": 9})
    (found,) = class_doubts(item)
    assert "max_batch_size 4" in found.sentence
    assert "fewer than 3 instances" in found.sentence


def test_values_of_a_candidate_that_has_no_sessions_are_left_alone() -> None:
    item = made(
        {"relation": "independent"},
        candidate=OLDEST | {"max_candidate_sequences": 2},
        demand={"live_sessions": 10},
    )
    assert class_doubts(item) == doubts(item.workload)
