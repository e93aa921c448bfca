"""The decision table (M07): filled in for this workload, each cell with its reason."""

from __future__ import annotations

from backend.advice.decision_table import AIM, ORDER, PREFERRED, RELATION, RISK, WAIT
from backend.workload.study import CANDIDATE_NAMES
from backend.workload.traffic import Gaps, LengthGroup, Traffic


def cells(recommendation, aspect: str) -> dict[str, tuple[str, str]]:
    (row,) = [row for row in recommendation.decision_table if row.aspect == aspect]
    return {cell.candidate: (cell.text, cell.reason) for cell in row.cells}


def test_six_aspects_each_with_a_reasoned_cell_for_every_candidate(advised) -> None:
    found = advised(None)
    assert [row.aspect for row in found.decision_table] == [
        RELATION,
        ORDER,
        AIM,
        WAIT,
        RISK,
        PREFERRED,
    ]
    for row in found.decision_table:
        assert tuple(cell.candidate for cell in row.cells) == CANDIDATE_NAMES
        assert all(cell.text and cell.reason.startswith("Here: ") for cell in row.cells)


def test_the_reasons_are_this_workloads(advised) -> None:
    traffic = Traffic(
        mixes={
            "m": (
                LengthGroup(group="short", share=0.5, steps=(5, 9)),
                LengthGroup(group="long", share=0.5, steps=(100, 200)),
            )
        },
        gaps=Gaps(kind="exponential", mean_ms=400),
    )
    found = advised(
        None, traffic=traffic, relation="parts_of_a_session", order="yes", state_place="slot"
    )
    wait = cells(found, WAIT)
    assert "up to 200 requests holds its slot" in wait["sequence-direct"][1]
    assert "one of 5 that finds no slot" in wait["sequence-oldest"][1]
    assert "no request waits for another" in wait["dynamic"][1]
    assert "pauses 400 ms on average" in cells(found, AIM)["dynamic"][1]
    assert "another session's state" in cells(found, RISK)["sequence-oldest"][1]
    assert "finds its state by position" in cells(found, ORDER)["sequence-oldest"][1]
    assert "does not keep the answers right" in cells(found, PREFERRED)["sequence-oldest"][1]
    assert "proposed" in cells(found, PREFERRED)["sequence-direct"][1]


def test_sessions_of_like_length_are_not_called_short_beside_long(advised) -> None:
    traffic = Traffic(mixes={"m": (LengthGroup(group="even", share=1.0, steps=(20, 60)),)})
    wait = cells(advised(None, traffic=traffic), WAIT)
    assert "a newcomer that finds none" in wait["sequence-direct"][1]
    single = cells(advised(None), WAIT)
    assert "A session is one request" in single["sequence-direct"][1]


def test_a_contradiction_and_a_models_own_state_show_in_the_table(advised) -> None:
    given = {"relation": "independent", "order": "yes"}
    text = cells(advised(("slot",), **given), RELATION)["dynamic"][1]
    assert "contradict" in text


def test_independent_requests_pay_for_order_that_nobody_needs(advised) -> None:
    found = advised((), relation="independent", order="no", state_kind="none", state_place="none")
    assert "nobody needs" in cells(found, PREFERRED)["sequence-oldest"][1]
