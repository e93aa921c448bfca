"""Recommendations (M01 to M04, M08): what is proposed, what caused it, what would change it."""

from __future__ import annotations

import itertools

import pytest

from backend.workload.questions import question

ALONE = {
    "relation": "independent",
    "order": "no",
    "state_kind": "none",
    "state_place": "none",
    "batch_mates": "no",
}
CALLS = {
    "relation": "parts_of_a_session",
    "order": "yes",
    "state_kind": "recurrent_hidden_state",
    "state_place": "correlation_id",
    "start_marked": "yes",
    "end_marked": "yes",
    "id_type": "uint64",
    "id_unique": "yes",
    "id_reused": "no",
}


def test_requests_that_stand_alone_get_the_dynamic_batcher(advised) -> None:
    """M01."""
    found = advised((), **ALONE)
    assert (found.batcher, found.proposed, found.certainty) == ("dynamic", "dynamic", "stated")
    assert found.compare == ("dynamic", "no-batching")
    assert [(a.question, a.answer) for a in found.reasons[0].answers] == [
        ("relation", "independent"),
        ("order", "no"),
        ("state_kind", "none"),
        ("state_place", "none"),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"relation": "parts_of_a_session"},
        {"order": "yes"},
        {"state_kind": "session_object"},
        {"start_marked": "yes"},
        {"end_marked": "yes"},
    ],
)
def test_any_one_tie_between_requests_needs_the_sequence_batcher(change, advised) -> None:
    """M01: order, state, or meaning carried by marks."""
    assert advised((), **(ALONE | change)).batcher == "sequence"


def test_every_combination_with_an_unknown_is_treated_as_stateful(advised) -> None:
    """M03: dynamic only if all three are known to be harmless."""
    for relation, order, kind in itertools.product(
        ("independent", "unknown"), ("no", "unknown"), ("none", "unknown")
    ):
        found = advised(None, relation=relation, order=order, state_kind=kind, state_place="none")
        harmless = "unknown" not in (relation, order, kind)
        assert (found.batcher == "dynamic") is harmless, (relation, order, kind)
        if not harmless:
            assert found.certainty == "careful"


def test_contradictory_answers_are_treated_as_stateful_and_named(advised) -> None:
    """M03."""
    found = advised(None, **(ALONE | {"state_place": "slot"}))
    assert found.batcher == "sequence"
    assert found.certainty == "careful"
    assert {item.id for item in found.contradictions} == {
        "independent-but-placed",
        "place-without-state",
    }
    reason = next(item for item in found.reasons if item.rule == "place-without-state")
    assert {answer.question for answer in reason.answers} == {"state_kind", "state_place"}


def test_state_by_position_gets_direct_and_oldest_is_called_wrong(advised) -> None:
    found = advised(("slot",), **(CALLS | {"state_place": "slot"}))
    assert found.proposed == "sequence-direct"
    assert found.fits == {
        "sequence-direct": "right",
        "sequence-oldest": "wrong",
        "dynamic": "wrong",
        "no-batching": "baseline",
    }
    wrong = [r for r in found.risks if r.candidate == "sequence-oldest"]
    assert "another session's state" in wrong[0].sentence


def test_state_by_correlation_id_gets_oldest_and_direct_is_right_too(advised) -> None:
    found = advised(("correlation_id",), **CALLS)
    assert found.proposed == "sequence-oldest"
    assert found.compare == ("sequence-oldest", "sequence-direct", "dynamic", "no-batching")
    assert (found.fits["sequence-direct"], found.fits["sequence-oldest"]) == ("right", "right")
    assert found.certainty == "stated"


def test_an_unknown_place_gets_direct_because_it_is_right_for_both(advised) -> None:
    found = advised(None, **(CALLS | {"state_place": "unknown"}))
    assert found.proposed == "sequence-direct"
    assert found.fits["sequence-oldest"] == "unsure"
    assert found.certainty == "careful"
    reason = next(item for item in found.reasons if item.rule == "unknown-place-takes-direct")
    assert "by position under direct only" in reason.why


def test_an_unknown_place_is_taken_from_the_model_where_it_declares_one(advised) -> None:
    found = advised(("correlation_id",), **(CALLS | {"state_place": "unknown"}))
    assert found.proposed == "sequence-oldest"
    reason = next(item for item in found.reasons if item.rule == "id-state-suits-oldest")
    shown = [(a.question, a.answer) for a in reason.answers]
    assert shown[:2] == [("state_place", "unknown"), ("model", "correlation_id")]


def test_the_models_parameter_says_where_it_keeps_its_state(advised) -> None:
    places = ("correlation_id", "slot")
    unknown = CALLS | {"state_place": "unknown"}
    by_default = advised(places, **unknown)
    by_choice = advised(places, parameters={"state_place": "slot"}, **unknown)
    assert (by_default.proposed, by_choice.proposed) == ("sequence-oldest", "sequence-direct")


def test_where_answer_and_model_disagree_direct_is_right_for_both(advised) -> None:
    for said, declared in (("correlation_id", "slot"), ("slot", "correlation_id")):
        found = advised((declared,), **(CALLS | {"state_place": said}))
        assert found.proposed == "sequence-direct", (said, declared)
        assert found.certainty == "careful"
        assert "places-differ" in {item.rule for item in found.reasons}


def test_what_the_model_declares_outweighs_the_answers(advised) -> None:
    found = advised(("correlation_id",), **ALONE)
    assert found.batcher == "sequence"
    assert found.fits["dynamic"] == "wrong"
    # near miss: a model without state
    assert advised((), **ALONE).batcher == "dynamic"


def test_state_that_travels_is_never_called_safe_only_worth_measuring(advised) -> None:
    """M04."""
    given = {"relation": "independent", "order": "no", "state_kind": "carried_in_request"}
    found = advised(None, **given, state_place="request")
    assert found.proposed == "sequence-oldest"
    assert found.certainty == "careful"
    assert found.fits["dynamic"] == "unsure"
    assert "dynamic" in found.compare
    change = next(item for item in found.what_would_change if item.becomes == "dynamic")
    assert change.question == "test"
    assert "no answer alone" in change.sentence


@pytest.mark.parametrize(
    "kind",
    [
        "recurrent_hidden_state",
        "streaming_decoder_context",
        "cache_across_fragments",
        "session_object",
        "implicit_state",
    ],
)
def test_no_other_kind_of_state_leads_to_dynamic_by_any_single_answer(kind, advised) -> None:
    """M04: only state that travels whole may be reconsidered, and only by measuring."""
    found = advised(None, **(CALLS | {"state_kind": kind, "state_place": "slot"}))
    assert found.fits["dynamic"] == "wrong"
    for change in found.what_would_change:
        assert change.becomes != "dynamic" or len(change.answers) > 1


def test_what_would_change_is_true(advised) -> None:
    """M08: each announced change is taken at its word."""
    for given in (CALLS, ALONE, {}, CALLS | {"state_place": "slot"}):
        found = advised(None, **given)
        assert found.what_would_change
        for change in found.what_would_change:
            if len(change.answers) == 1 or change.question != "relation":
                for answer in change.answers:
                    again = advised(None, **(given | {change.question: answer}))
                    assert again.proposed == change.becomes, change
        # and no single answer was left out
        announced = {(c.question, a) for c in found.what_would_change for a in c.answers}
        for asked in ("relation", "order", "state_kind", "state_place"):
            for option in question(asked).options:
                again = advised(None, **(given | {asked: option.value}))
                if again.proposed != found.proposed:
                    assert (asked, option.value) in announced, (given, asked, option.value)


def test_only_another_model_changes_what_a_stateful_model_needs(advised) -> None:
    found = advised(("correlation_id",), **CALLS)
    (change,) = [item for item in found.what_would_change if item.becomes == "dynamic"]
    assert change.question == "model"


def test_unknowns_are_listed_with_what_follows_from_them(advised) -> None:
    found = advised(None)
    assert [item.question for item in found.unknowns][:4] == [
        "relation",
        "order",
        "state_kind",
        "state_place",
    ]
    assert "costs time" in found.unknowns[0].consequence
    # of requests that stand alone only what concerns every request stays open
    open_points = {item.question for item in advised((), **ALONE).unknowns}
    assert open_points == {"replies", "shapes", "arrivals", "backend", "hardware"}


def test_every_reason_names_answers_rule_and_source(advised) -> None:
    """M08."""
    for given, places in ((CALLS, ("correlation_id",)), (ALONE, ()), ({}, None)):
        for reason in advised(places, **given).reasons:
            assert reason.answers, reason.rule
            assert all(answer.text for answer in reason.answers)
            assert reason.source
            assert reason.why


def test_a_recommendation_can_be_written_and_read_back(advised) -> None:
    found = advised(("correlation_id",), **CALLS)
    assert type(found).model_validate_json(found.model_dump_json()) == found


def test_replies_that_depend_on_the_batch_get_no_batching(advised) -> None:
    """M26."""
    found = advised((), **(ALONE | {"batch_mates": "yes"}))
    assert (found.batcher, found.proposed) == ("none", "no-batching")
    assert found.compare == ("no-batching", "dynamic")
    assert found.fits["dynamic"] == "wrong"
    open_still = advised((), **(ALONE | {"batch_mates": "unknown"}))
    assert (open_still.proposed, open_still.certainty) == ("dynamic", "careful")


def test_m13_what_to_watch_before_raising_is_named_with_its_reason(advised) -> None:
    found = advised(("slot",), **(CALLS | {"state_place": "slot"}))
    watched = {(item.before, item.metric) for item in found.watch}
    assert {("instances", "isolation"), ("max_batch_size", "padding_rows")} <= watched
    assert all(item.sentence and item.why and item.source for item in found.watch)


def test_m06_open_questions_of_the_id_are_named(advised) -> None:
    found = advised(("slot",), **(CALLS | {"id_reused": "yes"}))
    points = {item.question: item for item in found.id_points}
    assert points["id_reused"].rules == ("id-reused",)
    assert "id_made_as" in points
    assert "id_unique" not in points
    assert advised((), **ALONE).id_points == ()
