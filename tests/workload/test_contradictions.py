"""Answers that exclude each other (M03): each rule with a near miss that is no contradiction."""

from __future__ import annotations

import pytest

from backend.workload.answers import Answers
from backend.workload.contradictions import contradictions
from backend.workload.questions import QUESTIONS, with_answer

# rule: (answers that contradict, the one answer changed that makes them agree)
CASES = {
    "independent-but-ordered": (
        {"relation": "independent", "order": "yes"},
        {"order": "no"},
    ),
    "independent-but-state": (
        {"relation": "independent", "state_kind": "session_object"},
        {"state_kind": "none"},
    ),
    "independent-but-placed": (
        {"relation": "independent", "state_place": "slot"},
        {"state_place": "none"},
    ),
    "independent-but-marked": (
        {"relation": "independent", "start_marked": "yes"},
        {"start_marked": "no"},
    ),
    "session-without-state": (
        {
            "relation": "parts_of_a_session",
            "order": "no",
            "state_kind": "none",
            "state_place": "none",
        },
        {"order": "unknown"},
    ),
    "unordered-but-recurrent": (
        {"order": "no", "state_kind": "recurrent_hidden_state"},
        {"state_kind": "cache_across_fragments"},
    ),
    "state-without-place": (
        {"state_kind": "session_object", "state_place": "none"},
        {"state_place": "unknown"},
    ),
    "place-without-state": (
        {"state_kind": "none", "state_place": "correlation_id"},
        {"state_kind": "unknown"},
    ),
    "carried-but-kept-by-server": (
        {"state_kind": "carried_in_request", "state_place": "slot"},
        {"state_place": "request"},
    ),
    "kept-but-carried": (
        {"state_kind": "recurrent_hidden_state", "state_place": "request"},
        {"state_kind": "carried_in_request"},
    ),
    "implicit-but-keyed": (
        {"state_kind": "implicit_state", "state_place": "correlation_id"},
        {"state_place": "slot"},
    ),
    "session-without-start": (
        {"relation": "parts_of_a_session", "start_marked": "no"},
        {"start_marked": "unknown"},
    ),
    "session-without-id": (
        {"relation": "parts_of_a_session", "id_type": "none"},
        {"id_type": "string"},
    ),
    "keyed-without-id": (
        {"state_place": "correlation_id", "id_type": "none"},
        {"id_type": "unknown"},
    ),
    "shared-id": (
        {"relation": "parts_of_a_session", "id_unique": "no"},
        {"id_unique": "yes"},
    ),
    "reused-but-never-ended": (
        {"id_reused": "yes", "end_marked": "no"},
        {"end_marked": "yes"},
    ),
    "independent-but-belonging": (
        {"relation": "independent", "belongs_by": "connection"},
        {"belongs_by": "unknown"},
    ),
    "text-id-numeric-control": (
        {"id_type": "string", "id_control": "uint64"},
        {"id_control": "none"},
    ),
    "numeric-id-text-control": (
        {"id_type": "uint64", "id_control": "string"},
        {"id_control": "int64"},
    ),
    "uuid-but-number": (
        {"id_type": "uint64", "id_made_as": "uuid_text"},
        {"id_type": "string"},
    ),
    "unique-but-per-client": (
        {"id_unique": "yes", "id_scope": "client", "id_made_as": "counter"},
        {"id_made_as": "random"},
    ),
    "names-but-never-reused": (
        {"id_made_as": "name", "id_reused": "no"},
        {"id_reused": "yes"},
    ),
    "belongs-by-id-but-none": (
        {"belongs_by": "correlation_id", "id_type": "none"},
        {"belongs_by": "payload"},
    ),
    "counted-by-clients-for-all": (
        {"id_made_as": "counter", "id_assigned_by": "client", "id_scope": "service"},
        {"id_assigned_by": "gateway"},
    ),
    "implicit-never-written": (
        {"state_kind": "implicit_state", "backend": "python"},
        {"backend": "onnxruntime"},
    ),
}


def build(given: dict[str, str]) -> Answers:
    answers = Answers()
    for asked, value in given.items():
        answers = with_answer(answers, asked, value)
    return answers


@pytest.mark.parametrize("rule", CASES)
def test_a_contradiction_is_found_and_its_near_miss_is_not(rule: str) -> None:
    given, repair = CASES[rule]
    found = {item.id: item for item in contradictions(build(given))}
    assert rule in found
    # it names the questions whose answers exclude each other, and at least the two that were given
    assert set(found[rule].questions) >= set(given)
    assert found[rule].sentence.endswith(".")
    assert rule not in {item.id for item in contradictions(build(given | repair))}


def test_an_end_mark_that_ends_nothing_is_a_contradiction() -> None:
    answers = with_answer(Answers(), "end_marked", "yes")
    life = answers.lifecycle.model_copy(update={"ends_on": ("cancel",)})
    broken = answers.model_copy(update={"lifecycle": life})
    assert [item.id for item in contradictions(broken)] == ["end-mark-does-not-end"]
    assert contradictions(answers) == ()


def test_nothing_answered_contradicts_nothing() -> None:
    assert contradictions(Answers()) == ()


def test_every_contradiction_names_questions_that_exist() -> None:
    known = {item.id for item in QUESTIONS}
    for given, _ in CASES.values():
        for item in contradictions(build(given)):
            assert set(item.questions) <= known


def test_lost_ends_need_the_idle_limit() -> None:
    answers = with_answer(Answers(), "end_marked", "sometimes")
    broken = with_answer(answers, "ends_on", ("error", "cancel"))
    assert "lost-ends-without-timeout" in {item.id for item in contradictions(broken)}
    assert contradictions(answers) == ()
