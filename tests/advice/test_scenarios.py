"""Expected advice for workloads of real services, written before the rules (M01 to M08, M13, M14).

``scenarios.yaml`` names for each the right choice, the rules that must hold and that must not,
cells of the decision table, the open questions on the correlation ID, what would change the choice,
what to watch, and a twin in which one changed answer flips the choice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from backend.advice.advise import advise
from backend.advice.recommendation import Recommendation
from backend.advice.splits import splits
from backend.workload.declared_model import DeclaredModel, DeclaredTensor
from backend.workload.study import ModelChoice, TrafficClass, Workload

FILE = Path(__file__).with_name("scenarios.yaml")
DATA = YAML(typ="safe", pure=True).load(FILE.read_text(encoding="utf-8"))
SCENARIOS = {item["id"]: item for item in DATA["scenarios"]}


def frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    return value


def changed(workload: Any, change: dict[str, Any]) -> Any:
    ((path, value),) = change.items()
    *above, last = path.split(".")
    result = dict(workload)
    here = result
    for name in above:
        here[name] = dict(here.get(name, {}))
        here = here[name]
    here[last] = value
    return result


def class_of(name: str, workload: Any, declared: str = "unknown") -> TrafficClass:
    tensor = (DeclaredTensor(name="X", data_type="FP32", dims=(1,)),)
    model = DeclaredModel.model_validate(
        {"max_batch_size": 8, "inputs": tensor, "outputs": tensor, "keeps_state": declared}
    )
    return TrafficClass(
        name=name.replace("-", "_"),
        workload=Workload.model_validate(frozen(workload)),
        model=ModelChoice(declared=model),
    )


def advice(scenario: Any, workload: Any) -> Recommendation:
    year, month = scenario["release"].split(".")
    return advise(
        class_of(scenario["id"], workload, scenario.get("declared_stateful", "unknown")),
        release=(int(year), int(month)),
        classes=1 + len(scenario.get("other_classes", ())),
    )


def rules_of(found: Recommendation) -> set[str]:
    return {
        *(item.rule for item in found.reasons),
        *(item.rule for item in found.risks),
        *(item.rule for item in found.watch),
    }


def problems(found: Recommendation, expect: Any) -> list[str]:
    """Everything in which the advice is not what was expected."""
    wrong = []
    for field, value in (
        ("choice", found.proposed),
        ("certainty", found.certainty),
        ("reevaluate_dynamic", found.reevaluate_dynamic),
    ):
        if expect[field] != value:
            wrong.append(f"{field}: expected {expect[field]}, got {value}")
    held = rules_of(found)
    wrong += [f"rule {name} should hold" for name in expect.get("rules", ()) if name not in held]
    wrong += [f"rule {name} should not" for name in expect.get("not_rules", ()) if name in held]
    here = {
        (row.id, cell.candidate): cell.here for row in found.decision_table for cell in row.cells
    }
    for cell in expect.get("cells", ()):
        got = here[cell["aspect"], cell["candidate"]]
        if got != cell["here"]:
            wrong.append(
                f"cell {cell['aspect']} of {cell['candidate']}: expected {cell['here']}, got {got}"
            )
    if "id_questions" in expect:
        asked = {item.question for item in found.id_points}
        if asked != set(expect["id_questions"]):
            wrong.append(f"id questions: expected {sorted(expect['id_questions'])}, got {asked}")
    for change in expect.get("changes", ()):
        named = any(
            item.question == change["question"]
            and item.becomes == change["becomes"]
            and change["answer"] in item.answers
            for item in found.what_would_change
        )
        if not named:
            wrong.append(f"change not named: {dict(change)}")
    watched = {(item.before, item.metric) for item in found.watch}
    for watch in expect.get("watch", ()):
        if (watch["before"], watch["metric"]) not in watched:
            wrong.append(f"not watched: {dict(watch)}")
    return wrong


def test_there_are_enough_scenarios_and_each_rule_of_theirs_is_used() -> None:
    assert len(SCENARIOS) >= 60
    named = {
        name
        for item in SCENARIOS.values()
        for expect in (item["expect"], item["twin"]["expect"])
        for name in expect["rules"]
    }
    assert named <= set(DATA["rule_ids"])


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_advice_is_what_was_expected(name: str) -> None:
    scenario = SCENARIOS[name]
    assert problems(advice(scenario, scenario["workload"]), scenario["expect"]) == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_one_changed_answer_flips_the_choice(name: str) -> None:
    scenario = SCENARIOS[name]
    twin = scenario["twin"]
    assert len(twin["change"]) == 1
    assert twin["expect"]["choice"] != scenario["expect"]["choice"]
    workload = changed(scenario["workload"], twin["change"])
    assert problems(advice(scenario, workload), twin["expect"]) == []


@pytest.mark.parametrize(
    "name", [name for name, item in SCENARIOS.items() if "other_classes" in item]
)
def test_m14_each_class_gets_a_model_of_its_own(name: str) -> None:
    scenario = SCENARIOS[name]
    others = scenario["other_classes"]
    count = 1 + len(others)
    found = [(name, advice(scenario, scenario["workload"]))]
    for other in others:
        proposal = advise(class_of(other["id"], other["workload"]), classes=count)
        assert proposal.proposed == other["choice"], other["id"]
        found.append((other["id"], proposal))
    expected = [tuple(item["models"]) for item in scenario["expect"]["split"]]
    split = splits([(label, proposal.proposed) for label, proposal in found])
    assert [item.classes for item in split] == expected
    assert all(item.why for item in split)
