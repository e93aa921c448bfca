"""Every rule of the advice (M01 to M08, M13): it holds somewhere and not elsewhere, and says why.

Most are held against ``scenarios.yaml``, which was written before them; the few that no scenario
needs have their cases here.
"""

from __future__ import annotations

import itertools

import pytest

from backend.advice.advise import advise
from backend.advice.cell_rules import CELL_RULES, EVERY, Aspect, here_of
from backend.advice.id_rules import ID_QUESTIONS, ID_RULES
from backend.advice.risk_rules import RISK_RULES
from backend.advice.rule import Rule
from backend.advice.rules import (
    ASSOCIATION_RULES,
    BASELINE_RULES,
    SHAPE_RULE,
    STANDS_ALONE,
    STRATEGY_RULES,
)
from backend.advice.session_risk_rules import LIFE_RULES, LOAD_RULES
from backend.advice.watch_rules import WATCH_RULES
from backend.workload.questions import QUESTIONS
from tests.advice.test_scenarios import DATA, SCENARIOS, advice, changed, class_of, rules_of

RULES: tuple[Rule, ...] = (
    *ASSOCIATION_RULES,
    STANDS_ALONE,
    *BASELINE_RULES,
    *STRATEGY_RULES,
    SHAPE_RULE,
    *RISK_RULES,
    *LIFE_RULES,
    *LOAD_RULES,
    *ID_RULES,
)
CALLS = {
    "relation": "parts_of_a_session",
    "order": "yes",
    "state_kind": "recurrent_hidden_state",
    "state_place": "correlation_id",
    "start_marked": "yes",
    "end_marked": "yes",
}

# rule: (answers, the model's places, changed answers of the near miss, its model's places)
OWN_CASES = {
    "kept-but-carried": (CALLS | {"state_place": "request"}, None, {"state_place": "slot"}, None),
    "implicit-but-keyed": (
        CALLS | {"state_kind": "implicit_state"},
        None,
        {"state_place": "slot"},
        None,
    ),
    "implicit-state-kept-by-id": (
        CALLS | {"state_kind": "implicit_state", "backend": "python"},
        None,
        {"state_place": "slot"},
        None,
    ),
    "places-differ": (CALLS, ("slot",), {}, ("correlation_id",)),
    "carried-place-open": (
        CALLS | {"state_kind": "carried_in_request", "state_place": "unknown"},
        None,
        {"state_place": "request"},
        None,
    ),
}


@pytest.fixture(scope="module")
def held() -> list[set[str]]:
    """The rules that hold in every scenario and every twin."""
    return [
        rules_of(advice(item, workload))
        for item in SCENARIOS.values()
        for workload in (
            item["workload"],
            changed(item["workload"], item["twin"]["change"]),
        )
    ]


def test_every_rule_that_was_expected_exists() -> None:
    ids = [rule.id for rule in (*RULES, *WATCH_RULES)]
    assert len(ids) == len(set(ids))
    assert set(DATA["rule_ids"]) <= set(ids)


@pytest.mark.parametrize("rule", [rule.id for rule in RULES if rule.id not in OWN_CASES])
def test_a_rule_holds_in_some_scenarios_and_not_in_others(rule: str, held) -> None:
    assert any(rule in found for found in held)
    assert any(rule not in found for found in held)


@pytest.mark.parametrize("rule", OWN_CASES)
def test_a_rule_holds_and_not_in_its_near_miss(rule: str, advised) -> None:
    given, places, change, other_places = OWN_CASES[rule]
    assert rule in rules_of(advised(places, **given))
    assert rule not in rules_of(advised(other_places, **(given | change)))


def test_every_rule_says_why_and_where_that_is_written() -> None:
    """M08."""
    for rule in RULES:
        for words in (rule.says, rule.why):
            assert words.endswith("."), rule.id
        assert rule.source, rule.id
        assert rule.since, rule.id
    for watch in WATCH_RULES:
        assert watch.says.endswith("."), watch.id
        assert watch.why.endswith("."), watch.id
        assert watch.source, watch.id


def test_conditions_name_answers_that_exist() -> None:
    options = {item.id: {option.value for option in item.options} for item in QUESTIONS}
    for rule in (*RULES, *WATCH_RULES, *CELL_RULES):
        for condition in rule.when:
            if condition.fact in options:
                assert set(condition.values) <= options[condition.fact], condition


def test_m02_no_rule_that_decides_looks_at_a_shape() -> None:
    deciding = (*ASSOCIATION_RULES, STANDS_ALONE, *BASELINE_RULES, *STRATEGY_RULES)
    assert all(condition.fact != "shapes" for rule in deciding for condition in rule.when)


def test_questions_raised_of_the_id_exist() -> None:
    assert {name for rule in ID_RULES for name in rule.raises} <= set(ID_QUESTIONS)


def test_every_cell_of_the_table_can_be_filled_in() -> None:
    aspects: tuple[Aspect, ...] = (
        "relation", "order_and_instance", "batching_aim", "waits_for", "risk", "preferred",
    )  # fmt: skip
    for aspect, candidate in itertools.product(aspects, EVERY):
        here, because = here_of(aspect, candidate, {})
        assert here
        assert because


def test_release_25_01_can_hand_text_ids_to_a_model() -> None:
    scenario = next(
        item
        for item in SCENARIOS.values()
        if "text-control-before-25-01" in item["expect"]["rules"]
    )
    found = advise(class_of(scenario["id"], scenario["workload"]), release=(25, 1))
    assert "text-control-before-25-01" not in {item.rule for item in found.risks}


def test_m04_the_table_says_of_no_candidate_what_its_fit_denies() -> None:
    """The row on preference and the verdict on a candidate come from two tables, and agree."""
    agree = {"meets": "right", "breaks": "wrong", "open": "unsure"}
    for item in SCENARIOS.values():
        for workload in (item["workload"], changed(item["workload"], item["twin"]["change"])):
            found = advice(item, workload)
            (row,) = [row for row in found.decision_table if row.id == "preferred"]
            here = {cell.candidate: cell.here for cell in row.cells}
            assert found.fits["dynamic"] == agree[here["dynamic"]], item["id"]
            assert (found.fits["sequence-oldest"] == "wrong") == (
                here["sequence-oldest"] == "breaks"
            )
            assert found.fits[found.proposed] == "right"
            assert found.compare[0] == found.proposed


@pytest.mark.parametrize(
    ("kind", "place"),
    [("recurrent_hidden_state", "request"), ("carried_in_request", "slot")],
)
def test_m04_only_state_that_travels_whole_is_said_to_bring_all_it_needs(
    kind: str, place: str
) -> None:
    """Answers that contradict each other on it are named as such, in every row."""
    workload = {
        "answers": {
            "relation": "parts_of_a_session",
            "order_matters": "yes",
            "state_kind": kind,
            "state_place": place,
        }
    }
    found = advise(class_of("disputed", workload))
    said = [
        cell.reason
        for row in found.decision_table
        for cell in row.cells
        if cell.candidate == "dynamic"
    ]
    assert not any("measuring" in reason or "bring all" in reason for reason in said)
    assert found.fits["dynamic"] == "unsure"
    assert not found.reevaluate_dynamic
