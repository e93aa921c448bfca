"""The questions that decide (M01 to M04, M06): complete, answerable, never about shapes."""

from __future__ import annotations

import pytest

from backend.contracts.errors import InputError
from backend.workload.answers import Answers, CorrelationId, Lifecycle, Serving
from backend.workload.questions import (
    QUESTIONS,
    Answered,
    answer_text,
    answer_to,
    answered,
    question,
    relevant_questions,
    with_answer,
)

SINGLE = [item for item in QUESTIONS if not item.multiple]


def leaves(prefix: tuple[str, ...], kind: type) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for name, info in kind.model_fields.items():
        inner = info.annotation
        if inner in (Lifecycle, CorrelationId, Serving):
            found |= leaves((*prefix, name), inner)
        else:
            found.add((*prefix, name))
    return found


def test_every_answer_has_exactly_one_question() -> None:
    fields = [item.field for item in QUESTIONS]
    assert set(fields) == leaves((), Answers)
    assert len(fields) == len(set(fields))


@pytest.mark.parametrize("item", QUESTIONS, ids=lambda item: item.id)
def test_every_question_says_why_and_allows_not_knowing_with_its_consequence(item) -> None:
    unknown = item.option("unknown")
    assert item.why
    assert unknown.label == "I don't know"
    assert unknown.help
    assert all(option.label and option.help for option in item.options)


@pytest.mark.parametrize("item", SINGLE, ids=lambda item: item.id)
def test_every_option_can_be_set_and_read_back(item) -> None:
    for option in item.options:
        answers = with_answer(Answers(), item.id, option.value)
        assert answer_to(answers, item.id) == option.value
        assert answer_text(answers, item.id) == option.label
        assert answered(answers, item.id) is (option.value != "unknown")
        # one answer moves and no other
        others = [q.id for q in QUESTIONS if q.id != item.id]
        assert [answer_to(answers, o) for o in others] == [answer_to(Answers(), o) for o in others]


def test_equal_shapes_are_called_no_evidence_where_one_would_assume_it() -> None:
    """M02."""
    for asked in ("relation", "order", "shapes"):
        assert "shape is no evidence" in question(asked).note
    assert not any("shape" in option.value for item in QUESTIONS for option in item.options)


def test_several_ways_to_end_can_be_chosen_and_the_end_mark_is_not_touched() -> None:
    answers = with_answer(Answers(), "ends_on", ("cancel",))
    assert answers.lifecycle.ends_on == ("end_mark", "cancel")
    assert answer_to(answers, "ends_on") == ("cancel",)
    assert answer_text(answers, "ends_on") == "The client cancels"
    nothing = with_answer(answers, "ends_on", ())
    assert nothing.lifecycle.ends_on == ("end_mark",)
    assert answer_text(nothing, "ends_on") == "Nothing"
    unknown = with_answer(nothing, "ends_on", "unknown")
    assert set(unknown.lifecycle.ends_on) == {"end_mark", "error", "cancel", "idle_timeout"}


def test_answers_that_do_not_exist_are_refused_with_the_possible_ones() -> None:
    with pytest.raises(InputError, match="no answer to the question 'relation'") as caught:
        with_answer(Answers(), "relation", "maybe")
    assert "parts_of_a_session" in caught.value.next_step
    with pytest.raises(InputError, match="There is no question 'shape'"):
        with_answer(Answers(), "shape", "same")
    with pytest.raises(InputError, match="takes one answer, not 2"):
        with_answer(Answers(), "relation", ("independent", "unknown"))


def test_sessions_are_not_asked_about_once_requests_are_known_to_stand_alone() -> None:
    alone = Answers(relation="independent", order_matters="no", state_kind="none")
    asked = {item.id for item in relevant_questions(alone)}
    assert {"relation", "order", "state_kind", "shapes", "batch_mates", "backend"} <= asked
    of_sessions = {
        item.id for item in QUESTIONS if item.field[0] in ("lifecycle", "correlation_id")
    }
    assert of_sessions
    assert not asked & of_sessions
    # near miss: one of the three is open
    for field in ("relation", "order_matters", "state_kind"):
        doubtful = alone.model_copy(update={field: "unknown"})
        assert relevant_questions(doubtful) == QUESTIONS


def test_an_answer_can_be_quoted() -> None:
    answers = with_answer(Answers(), "state_place", "slot")
    assert Answered.of(answers, "state_place") == Answered(
        question="state_place", answer="slot", text="By position in the batch"
    )


def test_the_questions_have_the_ids_that_rules_name() -> None:
    assert [item.id for item in QUESTIONS] == [
        "relation", "order", "state_kind", "state_place", "batch_mates", "replies", "shapes",
        "start_marked", "belongs_by", "waits_for_reply", "end_marked", "ends_on",
        "id_type", "id_assigned_by", "id_made_as", "id_control", "id_unique", "id_scope",
        "id_reused", "id_empty", "arrivals", "backend", "hardware",
    ]  # fmt: skip
