"""Events in a plan (M20, M22, M23): who loses END, takes whose ID, pauses; from the seed alone."""

from __future__ import annotations

import pytest

from backend.contracts.errors import InputError
from backend.sessions.planning import make_plan
from backend.workload.events import Events
from backend.workload.study import Cell, Study

CELL = Cell(instances=2, concurrency=4, mix="short")


def with_events(study: Study, **events: object) -> Study:
    (item,) = study.classes
    traffic = item.workload.traffic.model_copy(update={"events": Events(**events)})
    workload = item.workload.model_copy(update={"traffic": traffic})
    return study.model_copy(update={"classes": (item.model_copy(update={"workload": workload}),)})


def planned(study: Study, template) -> dict[int, list[dict]]:
    """The rows of each session."""
    plan = make_plan(study, study.classes[0], template, (), CELL)
    found: dict[int, list[dict]] = {}
    for row in plan.table.to_pylist():
        found.setdefault(row["session"], []).append(row)
    return found


def test_without_events_every_session_has_its_own_id_and_its_end(study_of, probe) -> None:
    sessions = planned(study_of(sessions=20), probe)
    assert len({rows[0]["correlation_id"] for rows in sessions.values()}) == 20
    assert all(rows[-1]["is_end"] for rows in sessions.values())
    assert all(row["after"] is None for rows in sessions.values() for row in rows)


def test_lost_ends_are_as_many_as_asked_for(study_of, probe) -> None:
    sessions = planned(with_events(study_of(sessions=20), lost_end=0.25), probe)
    assert sum(not rows[-1]["is_end"] for rows in sessions.values()) == 5


@pytest.mark.parametrize(("event", "ended"), [("restart", False), ("reuse", True)])
def test_a_successor_takes_an_id_when_the_other_sessions_last_reply_has_come(
    event, ended, study_of, probe
) -> None:
    sessions = planned(with_events(study_of(sessions=20), **{event: 0.2}), probe)
    by_last = {rows[-1]["request_id"]: rows for rows in sessions.values()}
    successors = [rows for rows in sessions.values() if rows[0]["after"] is not None]
    assert len(successors) == 4
    for rows in successors:
        other = by_last[rows[0]["after"]]
        assert other[0]["session"] < rows[0]["session"]
        assert rows[0]["is_start"]
        assert {row["correlation_id"] for row in (*rows, *other)} == {rows[0]["correlation_id"]}
        assert other[-1]["is_end"] is ended
        assert all(row["after"] is None for row in rows[1:])
    assert len({rows[0]["after"] for rows in successors}) == 4


def test_a_pause_stands_before_one_later_request(study_of, probe) -> None:
    study = with_events(study_of(sessions=20, time_scale=0.5), pause=0.3, pause_ms=200)
    sessions = planned(study, probe)
    paused = [row for rows in sessions.values() for row in rows if row["gap_ns"]]
    assert len(paused) == 6
    assert len({row["session"] for row in paused}) == 6
    assert {row["gap_ns"] for row in paused} == {100_000_000}
    assert all(row["step"] > 0 for row in paused)


def test_ids_that_look_alike_agree_in_their_low_half_only(study_of, probe) -> None:
    sessions = planned(with_events(study_of(sessions=20), alike_ids=True), probe)
    ids = [int(rows[0]["correlation_id"]) for _, rows in sorted(sessions.items())]
    assert len(set(ids)) == 20
    assert len({number % 2**32 for number in ids}) == 10


def test_events_change_nothing_else_of_a_plan(study_of, probe) -> None:
    plain = planned(study_of(sessions=20), probe)
    eventful = planned(with_events(study_of(sessions=20), lost_end=0.2, reuse=0.2), probe)
    for session, rows in plain.items():
        assert [row["input"] for row in eventful[session]] == [row["input"] for row in rows]


@pytest.mark.parametrize(
    ("events", "says"),
    [
        ({"restart": 0.3, "reuse": 0.3}, "must not exceed 1"),
        ({"pause": 0.5}, "belong together"),
        ({"pause_ms": 5}, "belong together"),
    ],
)
def test_events_that_cannot_be_are_refused(events, says) -> None:
    with pytest.raises(ValueError, match=says):
        Events(**events)


def test_texts_cannot_be_alike_in_bits(study_of, probe) -> None:
    study = with_events(study_of(sessions=20), alike_ids=True)
    (item,) = study.classes
    answers = item.workload.answers
    text = answers.model_copy(
        update={"correlation_id": answers.correlation_id.model_copy(update={"type": "string"})}
    )
    workload = item.workload.model_copy(update={"answers": text})
    study = study.model_copy(update={"classes": (item.model_copy(update={"workload": workload}),)})
    with pytest.raises(InputError, match="low 32 bits"):
        planned(study, probe)
