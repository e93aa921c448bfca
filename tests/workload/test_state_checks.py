"""What any state machine lacks as a graph (M05), on machines made by hand."""

from __future__ import annotations

from backend.workload.session_states import State, Transition
from backend.workload.state_checks import lacks

OFF = State(id="off", label="off", about="")
ON = State(id="on", label="on", about="", holds_slot=True)
DONE = State(id="done", label="done", about="")


def step(source: str, target: str, trigger: str, status: str = "stated") -> Transition:
    return Transition.model_validate(
        {"source": source, "target": target, "trigger": trigger, "about": "", "status": status}
    )


SOUND = (
    step("off", "on", "START"),
    step("on", "done", "END"),
    step("on", "done", "error"),
    step("on", "done", "cancel"),
    step("on", "done", "idle limit"),
)


def found(*steps: Transition, states: tuple[State, ...] = (OFF, ON, DONE)) -> set[tuple[str, str]]:
    return {(item.kind, item.state) for item in lacks(states, steps, "off")}


def test_a_sound_machine_lacks_nothing() -> None:
    assert found(*SOUND) == set()


def test_a_state_that_nothing_leads_to_is_unreachable() -> None:
    lost = State(id="lost", label="lost", about="")
    assert found(*SOUND, states=(OFF, ON, DONE, lost)) == {("unreachable", "lost")}


def test_no_session_can_begin_without_a_way_in() -> None:
    assert ("unreachable", "on") in found(*SOUND[1:])


def test_a_live_session_needs_a_way_out() -> None:
    assert found(SOUND[0]) >= {("no way out", "on")}


def test_each_way_to_end_is_missed_by_its_own_name() -> None:
    for index, kind in ((2, "no error"), (3, "no cancel"), (4, "no timeout")):
        rest = SOUND[:index] + SOUND[index + 1 :]
        assert found(*rest) == {(kind, "on")}


def test_a_missing_transition_does_not_count_and_an_unknown_one_does() -> None:
    missing = (*SOUND[:4], step("on", "done", "idle limit", "missing"))
    unknown = (*SOUND[:4], step("on", "done", "idle limit", "unknown"))
    assert found(*missing) == {("no timeout", "on")}
    assert found(*unknown) == set()


def test_what_can_never_be_taken_does_not_count() -> None:
    never = SOUND[0].model_copy(update={"possible": False})
    assert ("unreachable", "on") in found(never, *SOUND[1:])
    doubtful = SOUND[0].model_copy(update={"status": "contradictory"})
    assert found(doubtful, *SOUND[1:]) == set()


def test_a_state_on_the_way_that_is_cut_off_is_named_itself() -> None:
    late = State(id="late", label="late", about="", holds_slot=True)
    lost = found(*SOUND, step("late", "done", "END"), states=(OFF, ON, late, DONE))
    assert lost == {("unreachable", "late")}
    (lack,) = lacks((OFF, ON, late, DONE), (*SOUND, step("late", "done", "END")), "off")
    assert "late" in lack.sentence


def test_a_way_back_to_itself_is_no_way_out() -> None:
    busy = State(id="busy", label="busy", about="", holds_slot=True)
    circle = (step("off", "on", "START"), step("on", "busy", "go"), step("busy", "on", "come"))
    kinds = {kind for kind, _ in found(*circle, states=(OFF, ON, busy, DONE))}
    assert "no way out" in kinds


def test_a_machine_without_slots_needs_no_end() -> None:
    alone = (State(id="off", label="served", about=""),)
    assert lacks(alone, (step("outside", "off", "request"),), "off") == ()
