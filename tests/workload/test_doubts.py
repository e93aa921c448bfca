"""What is possible and dangerous, or does not add up in numbers (M03, M05, M06)."""

from __future__ import annotations

from typing import Any

import pytest

from backend.workload.doubts import doubts, slots_held_by_lost_ends
from backend.workload.questions import QUESTIONS
from backend.workload.state_machine import machine
from backend.workload.study import Workload

CALLS: dict[str, Any] = {"relation": "parts_of_a_session", "order_matters": "yes"}


def workload(
    answers: dict[str, Any], demand: dict[str, Any] | None = None, **traffic: Any
) -> Workload:
    return Workload.model_validate(
        {"answers": CALLS | answers, "demand": demand or {}, "traffic": traffic}
    )


# rule: (what raises it, the near miss)
CASES = {
    "ends-lost-slots-few": (
        workload({"lifecycle": {"end_marked": "no"}}, {"live_sessions": 4}),
        workload({"lifecycle": {"end_marked": "yes"}}, {"live_sessions": 4}),
    ),
    "ends-lost-at-times": (
        workload({"lifecycle": {"end_marked": "sometimes"}}),
        workload({"lifecycle": {"end_marked": "sometimes"}}, {"live_sessions": 4}),
    ),
    "id-cut-to-32-bits": (
        workload({"correlation_id": {"control_type": "uint32", "made_as": "hash"}}),
        workload({"correlation_id": {"control_type": "uint32", "made_as": "counter"}}),
    ),
    "text-control-python": (
        workload({"correlation_id": {"control_type": "string"}, "serving": {"backend": "python"}}),
        workload(
            {"correlation_id": {"control_type": "string"}, "serving": {"backend": "tensorrt"}}
        ),
    ),
    "id-may-be-empty": (
        workload({"correlation_id": {"may_be_empty": "yes"}}),
        workload({"correlation_id": {"may_be_empty": "no"}}),
    ),
    "clients-count-from-one": (
        workload({"correlation_id": {"made_as": "counter", "assigned_by": "client"}}),
        workload({"correlation_id": {"made_as": "counter", "assigned_by": "gateway"}}),
    ),
    "order-under-way": (
        workload({"lifecycle": {"waits_for_reply": "no"}}),
        workload({"lifecycle": {"waits_for_reply": "yes"}}),
    ),
    "belongs-by-something-else": (
        workload({"lifecycle": {"belongs_by": "connection"}}),
        workload({"lifecycle": {"belongs_by": "correlation_id"}}),
    ),
    "batch-mates-matter": (
        workload({"batch_mates_matter": "yes"}),
        workload({"batch_mates_matter": "no"}),
    ),
    "carried-by-custom-backend": (
        workload({"state_kind": "implicit_state", "serving": {"backend": "custom"}}),
        workload({"state_kind": "implicit_state", "serving": {"backend": "onnxruntime"}}),
    ),
    "one-caller-many-sessions": (
        workload({"arrivals": "one_caller"}, {"live_sessions": 2}),
        workload({"arrivals": "one_caller"}, {"live_sessions": 1}),
    ),
    "deadline-below-execution": (
        workload({}, {"deadline_ms": 20, "execution_ms": 20}),
        workload({}, {"deadline_ms": 21, "execution_ms": 20}),
    ),
    "cancels-without-a-path": (
        workload({"lifecycle": {"ends_on": ("end_mark", "error")}}, {"cancel_share": 0.1}),
        workload({"lifecycle": {"ends_on": ("end_mark", "cancel")}}, {"cancel_share": 0.1}),
    ),
    "late-without-deadline": (
        workload({}, {"when_late": "refuse"}),
        workload({}, {"when_late": "refuse", "deadline_ms": 50}),
    ),
}


@pytest.mark.parametrize("rule", CASES)
def test_a_doubt_is_raised_and_its_near_miss_is_not(rule: str) -> None:
    raised, near_miss = CASES[rule]
    found = {item.id: item for item in doubts(raised)}
    assert rule in found
    assert found[rule].sentence.endswith(".")
    assert set(found[rule].questions) <= {item.id for item in QUESTIONS}
    assert rule not in {item.id for item in doubts(near_miss)}


@pytest.mark.parametrize("rule", CASES)
def test_a_doubt_is_numbered_on_the_drawing(rule: str) -> None:
    raised, _ = CASES[rule]
    sentence = next(item.sentence for item in doubts(raised) if item.id == rule)
    drawn = machine(raised.answers, raised)
    (problem,) = [item for item in drawn.problems if item.sentence == sentence]
    assert problem.number in drawn.numbers_at(problem.at, problem.trigger)


def test_nothing_said_raises_nothing() -> None:
    assert doubts(Workload()) == ()


def test_slots_of_lost_ends_are_counted_from_rate_length_and_pause() -> None:
    # 50 requests/s in sessions of 10 are 5 sessions/s; each holds its slot for 8 s: 40 slots
    mixes = {"calls": ({"group": "calls", "share": 1, "steps": (5, 15)},)}
    found = workload(
        {"lifecycle": {"end_marked": "no"}},
        {"rate_per_s": 50, "live_sessions": 100},
        mixes=mixes,
        longest_gap_ms=8000,
    )
    assert slots_held_by_lost_ends(found) == 40
    (doubt,) = [item for item in doubts(found) if item.id == "ends-lost-slots-few"]
    assert "with an idle limit of 8 s, 40 ended sessions" in doubt.sentence
    assert "140 slots are needed, not 100" in doubt.sentence
