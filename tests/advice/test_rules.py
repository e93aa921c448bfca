"""Every rule of the advice (M01 to M04, M08), each with a near miss in which it must not hold."""

from __future__ import annotations

import pytest

from backend.advice.risk_rules import RISK_RULES
from backend.advice.rules import ASSOCIATION_RULES, STANDS_ALONE, STRATEGY_RULES
from backend.workload.questions import QUESTIONS

ALONE = {"relation": "independent", "order": "no", "state_kind": "none"}
CALLS = {
    "relation": "parts_of_a_session",
    "order": "yes",
    "state_kind": "recurrent_hidden_state",
    "state_place": "correlation_id",
    "start_marked": "yes",
    "end_marked": "yes",
    "id_type": "uint64",
    "id_assigned_by": "gateway",
    "id_unique": "yes",
    "id_reused": "no",
}

# rule: (answers, the model's places, changed answers of the near miss, its model's places)
REASONS = {
    "parts-of-a-session": (CALLS, None, {"relation": "unknown"}, None),
    "order-matters": (ALONE | {"order": "yes"}, None, ALONE, None),
    "state-is-kept": (
        ALONE | {"state_kind": "cache_across_fragments"},
        None,
        {"state_kind": "none"},
        None,
    ),
    "start-is-marked": (ALONE | {"start_marked": "yes"}, None, {"start_marked": "no"}, None),
    "end-is-marked": (ALONE | {"end_marked": "yes"}, None, {"end_marked": "unknown"}, None),
    "model-declares-state": (ALONE, ("correlation_id",), {}, ()),
    "state-travels": (
        ALONE | {"state_kind": "carried_in_request"},
        None,
        {"state_kind": "none"},
        None,
    ),
    "state-comes-with-request": (
        {"state_kind": "carried_in_request", "state_place": "request"},
        None,
        {"state_place": "unknown"},
        None,
    ),
    "relation-unknown": (ALONE | {"relation": "unknown"}, None, {"relation": "independent"}, None),
    "order-unknown": (ALONE | {"order": "unknown"}, None, {"order": "no"}, None),
    "state-unknown": (ALONE | {"state_kind": "unknown"}, None, {"state_kind": "none"}, None),
    "contradiction": (ALONE | {"state_place": "slot"}, None, {"state_place": "none"}, None),
    "stands-alone": (ALONE, None, {"order": "unknown"}, None),
    "place-slot": (CALLS | {"state_place": "slot"}, None, {"state_place": "unknown"}, None),
    "places-differ": (CALLS, ("slot",), {}, ("correlation_id",)),
    "state-by-triton": (
        CALLS | {"state_kind": "implicit_state", "state_place": "unknown"},
        None,
        {"state_kind": "session_object"},
        None,
    ),
    "place-correlation-id": (CALLS, None, {"state_place": "slot"}, None),
    "place-request": (
        CALLS | {"state_kind": "carried_in_request", "state_place": "request"},
        None,
        {"state_place": "unknown"},
        None,
    ),
    "travels-whole": (
        CALLS | {"state_kind": "carried_in_request", "state_place": "unknown"},
        None,
        {"state_kind": "unknown"},
        None,
    ),
    "place-unknown": (CALLS | {"state_place": "unknown"}, None, {}, ("correlation_id",)),
}

RISKS = {
    "oldest-moves-slots": (
        CALLS | {"state_place": "slot"},
        None,
        {"state_place": "correlation_id"},
        None,
    ),
    "oldest-may-move-slots": (CALLS | {"state_place": "unknown"}, None, {}, ("correlation_id",)),
    "direct-pads": (
        CALLS,
        None,
        ALONE | dict.fromkeys(("start_marked", "end_marked"), "no") | {"state_place": "none"},
        None,
    ),
    "direct-ties-slots-to-batch": (
        CALLS,
        None,
        ALONE | dict.fromkeys(("start_marked", "end_marked"), "no") | {"state_place": "none"},
        None,
    ),
    "dynamic-mixes-sessions": (
        CALLS,
        None,
        ALONE | dict.fromkeys(("start_marked", "end_marked"), "no") | {"state_place": "none"},
        None,
    ),
    "dynamic-slot-lottery": (
        CALLS | {"state_place": "slot"},
        None,
        {"state_place": "correlation_id"},
        None,
    ),
    "baseline-without-affinity": (
        CALLS,
        None,
        ALONE | dict.fromkeys(("start_marked", "end_marked"), "no") | {"state_place": "none"},
        None,
    ),
    "baseline-one-slot": (CALLS | {"state_place": "slot"}, None, {"state_place": "unknown"}, None),
    "batch-members-may-matter": (ALONE, None, {"order": "yes"}, None),
    "shape-is-no-evidence": (ALONE, None, {"order": "yes"}, None),
    "no-end-mark": (CALLS | {"end_marked": "no"}, None, {"end_marked": "yes"}, None),
    "id-shared": (CALLS | {"id_unique": "unknown"}, None, {"id_unique": "yes"}, None),
    "id-chosen-by-clients": (
        CALLS | {"id_unique": "unknown", "id_assigned_by": "client"},
        None,
        {"id_assigned_by": "gateway"},
        None,
    ),
    "id-reused": (CALLS | {"id_reused": "yes"}, None, {"id_reused": "no"}, None),
    "id-is-text": (CALLS | {"id_type": "string"}, None, {"id_type": "uint64"}, None),
    "id-unknown": (CALLS | {"id_type": "unknown"}, None, {"id_type": "uint64"}, None),
    "model-not-told": (CALLS, None, {"state_place": "slot"}, None),
    "model-declares-none": (CALLS, (), {}, None),
    "implicit-in-python": (
        CALLS | {"state_kind": "implicit_state", "state_place": "slot"},
        ("slot",),
        {"state_kind": "recurrent_hidden_state"},
        ("slot",),
    ),
}


def reasons(recommendation) -> set[str]:
    return {item.rule for item in recommendation.reasons}


def risks(recommendation) -> set[str]:
    return {item.rule for item in recommendation.risks}


@pytest.mark.parametrize("rule", REASONS)
def test_a_reason_holds_and_its_near_miss_does_not(rule: str, advised) -> None:
    given, places, change, other_places = REASONS[rule]
    assert rule in reasons(advised(places, **given))
    assert rule not in reasons(advised(other_places, **(given | change)))


@pytest.mark.parametrize("rule", RISKS)
def test_a_risk_holds_and_its_near_miss_does_not(rule: str, advised) -> None:
    given, places, change, other_places = RISKS[rule]
    assert rule in risks(advised(places, **given))
    assert rule not in risks(advised(other_places, **(given | change)))


def test_every_rule_is_tested() -> None:
    assert {rule.id for rule in (*ASSOCIATION_RULES, STANDS_ALONE, *STRATEGY_RULES)} == set(REASONS)
    assert {rule.id for rule in RISK_RULES} == set(RISKS)


def test_every_rule_says_why_and_where_that_is_written() -> None:
    """M08."""
    for rule in (*ASSOCIATION_RULES, STANDS_ALONE, *STRATEGY_RULES, *RISK_RULES):
        assert rule.says.endswith("."), rule.id
        assert rule.why.endswith("."), rule.id
        assert rule.source, rule.id
        assert rule.since, rule.id


def test_conditions_name_answers_that_exist() -> None:
    options = {item.id: {option.value for option in item.options} for item in QUESTIONS}
    for rule in (*ASSOCIATION_RULES, STANDS_ALONE, *STRATEGY_RULES, *RISK_RULES):
        for condition in rule.when:
            if condition.fact in options:
                assert set(condition.values) <= options[condition.fact], rule.id


def test_no_rule_ever_looks_at_a_shape() -> None:
    """M02: nothing that the rules see comes from a tensor."""
    facts = {
        condition.fact
        for rule in (*ASSOCIATION_RULES, STANDS_ALONE, *STRATEGY_RULES, *RISK_RULES)
        for condition in rule.when
    }
    known = {item.id for item in QUESTIONS} | {
        "contradictory",
        "model_stateful",
        "model_backend",
        "place",
        "places_agree",
        "batcher",
    }
    assert facts <= known
