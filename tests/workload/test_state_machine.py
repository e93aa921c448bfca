"""The request state machine (M05): drawn before anything is configured, its gaps pointed at."""

from __future__ import annotations

from backend.workload.answers import Answers, CorrelationId, Lifecycle
from backend.workload.demand import Demand
from backend.workload.state_chart import describe, to_dot, to_mermaid
from backend.workload.state_machine import machine
from backend.workload.study import Workload

SOUND = Answers(
    relation="parts_of_a_session",
    order_matters="yes",
    state_kind="session_object",
    state_place="correlation_id",
    lifecycle=Lifecycle(start_marked="yes", end_marked="yes"),
    correlation_id=CorrelationId(
        type="uint64", assigned_by="gateway", unique="yes", reused_after_end="no"
    ),
)


def with_life(**changes: object) -> Answers:
    return SOUND.model_copy(update={"lifecycle": SOUND.lifecycle.model_copy(update=changes)})


def with_id(**changes: object) -> Answers:
    return SOUND.model_copy(
        update={"correlation_id": SOUND.correlation_id.model_copy(update=changes)}
    )


def triggers(answers: Answers) -> dict[str, str]:
    return {step.trigger: step.status for step in machine(answers).transitions}


def test_a_sound_session_has_every_way_in_and_out_and_no_problem() -> None:
    drawn = machine(SOUND)
    assert [state.id for state in drawn.states] == ["absent", "starting", "active", "idle", "ended"]
    assert {(t.source, t.target, t.trigger) for t in drawn.transitions} == {
        ("absent", "starting", "START"),
        ("starting", "active", "slot free"),
        ("active", "idle", "reply"),
        ("idle", "active", "next request"),
        ("active", "ended", "END"),
        ("active", "ended", "error"),
        ("active", "ended", "cancel"),
        ("idle", "ended", "idle limit"),
        # the limit counts from a request's arrival, and what waits for a slot may be refused
        ("active", "ended", "idle limit"),
        ("starting", "ended", "timeout"),
        ("starting", "ended", "cancel"),
    }
    assert drawn.problems == ()
    assert [state.id for state in drawn.states if state.holds_slot] == ["active", "idle"]


def test_independent_requests_have_one_state_and_nothing_stays() -> None:
    drawn = machine(Answers(relation="independent", order_matters="no", state_kind="none"))
    assert [state.id for state in drawn.states] == ["served"]
    assert [(t.source, t.target) for t in drawn.transitions] == [
        ("outside", "served"),
        ("served", "outside"),
    ]
    assert drawn.problems == ()
    assert not drawn.sessions


def test_an_unknown_relation_is_drawn_as_sessions_and_said() -> None:
    drawn = machine(Answers())
    assert drawn.sessions
    assert drawn.problems[0].kind == "unknown"
    assert drawn.problems[0].questions == ("relation",)


def test_a_session_that_falls_silent_needs_a_way_out() -> None:
    drawn = machine(with_life(ends_on=("end_mark", "error", "cancel")))
    assert triggers(with_life(ends_on=("end_mark", "error", "cancel")))["idle limit"] == "missing"
    (problem,) = drawn.problems
    assert (problem.kind, problem.at, problem.trigger) == ("missing", "idle->ended", "idle limit")
    assert "silence" in problem.sentence


def test_a_cancelled_session_needs_a_way_out() -> None:
    (problem,) = machine(with_life(ends_on=("end_mark", "error", "idle_timeout"))).problems
    assert (problem.at, problem.trigger) == ("active->ended", "cancel")
    assert "cancels or disappears" in problem.sentence


def test_a_failed_session_needs_a_way_out() -> None:
    (problem,) = machine(with_life(ends_on=("end_mark", "cancel", "idle_timeout"))).problems
    assert (problem.at, problem.trigger) == ("active->ended", "error")


def test_no_end_mark_is_a_missing_transition_and_an_unknown_one_is_open() -> None:
    assert triggers(with_life(end_marked="no"))["END"] == "missing"
    assert triggers(with_life(end_marked="unknown"))["END"] == "unknown"
    (problem,) = machine(with_life(end_marked="no")).problems
    assert "holds its slot until the idle limit" in problem.sentence


def test_no_way_out_at_all_is_said_of_the_live_session() -> None:
    drawn = machine(with_life(end_marked="no", ends_on=("end_mark",)))
    at_active = [p for p in drawn.problems if p.at == "active"]
    assert len(at_active) == 1
    assert "Nothing" in at_active[0].sentence or "nothing" in at_active[0].sentence


def test_without_a_start_mark_no_session_can_begin() -> None:
    drawn = machine(with_life(start_marked="no"))
    assert triggers(with_life(start_marked="no"))["START"] == "contradictory"
    assert any(p.at == "starting" and "No session can begin" in p.sentence for p in drawn.problems)
    assert any(p.kind == "contradictory" and p.at == "absent->starting" for p in drawn.problems)


def test_a_shared_id_draws_the_other_session_that_takes_the_slot() -> None:
    assert triggers(with_id(unique="no"))["START by another"] == "contradictory"
    assert "START by another" not in triggers(SOUND)


def test_a_reused_id_leads_from_the_end_to_a_new_start() -> None:
    assert triggers(with_id(reused_after_end="yes"))["START, same id"] == "stated"
    assert triggers(with_id(reused_after_end="unknown"))["START, same id"] == "unknown"
    assert "START, same id" not in triggers(SOUND)
    assert machine(with_id(reused_after_end="yes")).problems == ()


def test_problems_are_numbered_alike_in_drawing_and_sentences() -> None:
    answers = with_life(end_marked="no", ends_on=("end_mark", "error", "idle_timeout"))
    drawn = machine(answers)
    assert [p.number for p in drawn.problems] == [1, 2]
    mermaid = to_mermaid(drawn)
    assert "active --> ended : END? (1)" in mermaid
    assert "active --> ended : cancel? (2)" in mermaid
    assert "class active problem" in mermaid
    dot = to_dot(drawn)
    assert 'active -> ended [label="END? (1)\\n[flag is set]", style=dashed' in dot
    told = describe(drawn)
    assert any(line.startswith("Problem 1 (missing): No request carries END") for line in told)
    assert any(line.startswith("Problem 2 (missing): Not said how") for line in told)


def test_the_drawing_of_a_sound_session_marks_nothing() -> None:
    mermaid = to_mermaid(machine(SOUND))
    assert mermaid.startswith("stateDiagram-v2\n")
    assert "problem" not in mermaid
    assert "?" not in mermaid
    assert "    [*] --> absent\n" in mermaid
    assert mermaid.rstrip().endswith("ended --> [*]")
    assert "dashed" not in to_dot(machine(SOUND))


def test_the_drawing_can_run_downwards_and_every_label_is_quoted_for_graphviz() -> None:
    assert "    direction LR\n" in to_mermaid(machine(SOUND))
    assert "    direction TB\n" in to_mermaid(machine(SOUND), "TB")
    # an empty unquoted value is a syntax error that browsers answer with an empty drawing
    assert "label=," not in to_dot(machine(SOUND))


def test_labels_stay_short_enough_not_to_wrap() -> None:
    for answers in (Answers(), SOUND, with_id(unique="no", reused_after_end="yes")):
        for line in to_mermaid(machine(answers)).splitlines():
            if " : " in line:
                assert len(line.split(" : ")[1]) <= 28, line


def test_contradictions_of_independent_requests_are_shown_on_their_one_state() -> None:
    drawn = machine(Answers(relation="independent", order_matters="yes"))
    (problem,) = drawn.problems
    assert (problem.kind, problem.at) == ("contradictory", "served")
    assert "class served problem" in to_mermaid(drawn)


def test_a_contradiction_about_ids_does_not_say_that_no_session_can_begin() -> None:
    drawn = machine(with_id(made_as="uuid_text"))
    assert [(p.kind, p.at) for p in drawn.problems] == [("contradictory", "absent->starting")]


def test_a_state_that_is_never_written_does_not_take_the_reply_away() -> None:
    answers = SOUND.model_copy(
        update={
            "state_kind": "implicit_state",
            "state_place": "slot",
            "serving": SOUND.serving.model_copy(update={"backend": "python"}),
        }
    )
    drawn = machine(answers)
    assert [(p.kind, p.at) for p in drawn.problems] == [("contradictory", "active->idle")]
    assert triggers(answers)["reply"] == "contradictory"


def test_ends_that_get_lost_are_doubtful_and_not_called_unknown() -> None:
    answers = with_life(end_marked="sometimes")
    drawn = machine(answers, Workload(answers=answers))
    assert [(p.kind, p.at, p.trigger) for p in drawn.problems] == [
        ("doubtful", "active->ended", "END")
    ]
    assert "active --> ended : END! (1)" in to_mermaid(drawn)
    assert any("on END [flag is set] (doubtful)" in line for line in describe(drawn))


def test_cancelled_sessions_are_pointed_at_on_the_cancel_path() -> None:
    answers = with_life(ends_on=("end_mark", "error", "idle_timeout"))
    drawn = machine(answers, Workload(answers=answers, demand=Demand(cancel_share=0.1)))
    assert ("active->ended", "cancel") in {(p.at, p.trigger) for p in drawn.problems}
    assert "active --> ended : cancel! (1)" in to_mermaid(drawn)


def test_every_transition_but_the_reply_has_a_guard() -> None:
    drawn = machine(with_id(unique="no", reused_after_end="yes"))
    assert [step.trigger for step in drawn.transitions if not step.guard] == ["reply"]


def test_the_drawing_can_name_the_guards() -> None:
    drawn = machine(SOUND)
    assert "[" not in to_mermaid(drawn).replace("[*]", "")
    with_guards = to_mermaid(drawn, guards=True)
    assert "    idle --> ended : idle limit<br>[nothing arrived]\n" in with_guards
    assert all(f"<br>[{step.guard}]" in with_guards for step in drawn.transitions if step.guard)
