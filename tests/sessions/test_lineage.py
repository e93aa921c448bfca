"""Whose context a wrong reply used (M21, M28): traces whose answers were worked out by hand."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pandas as pd
import pytest

from backend.contracts.findings import ContextOf
from backend.sessions.hash_chain import context_lanes, judge_hash_chain
from backend.sessions.lineage import FRESH_STATE, Step, explain, next_state, states_left_by


def judged(trace, probe, candidate, cell, **more):
    return judge_hash_chain(
        trace.requests,
        trace.reply_table,
        trace.plan,
        template=probe,
        candidate=candidate,
        cell=cell,
        **more,
    )


def contexts(trace, **more) -> dict[str, tuple]:
    """Per answered request: verdict, relation, context (session, step)."""
    frame = context_lanes(trace.requests, trace.reply_table, trace.plan, **more)
    found = {}
    for row in frame.to_dict("records"):
        context = None
        if not pd.isna(row["context_session"]):
            context = (int(row["context_session"]), int(row["context_step"]))
        found[f"{row['session']}.{row['step']}"] = (row["verdict"], row["relation"], context)
    return found


def finding(judgement, row: str):
    return next(item for item in judgement.properties if item.row == row)


EQUAL = ("equal", None, None)


def test_m28_two_instances_split_a_session_into_stale_halves(
    trace_of, probe, candidate_of, cell_of
) -> None:
    trace = trace_of([6, 1])
    trace.serve(1, 0)
    for step, instance in enumerate(("i0", "i1", "i0", "i1", "i1", "i0")):
        trace.serve(0, step, instance=instance)
    assert contexts(trace) == {
        "1.0": EQUAL,
        "0.0": EQUAL,
        "0.1": ("differs", "reset", None),  # i1 has not seen the session
        "0.2": ("differs", "own_stale", (0, 0)),  # i0 stands where step 0 left it
        "0.3": ("differs", "own_stale", (0, 1)),
        "0.4": ("differs", "own_stale", (0, 1)),  # follows step 3 and inherits its fault
        "0.5": ("differs", "own_stale", (0, 2)),
    }
    judgement = judged(trace, probe, candidate_of("dynamic"), cell_of(instances=2))
    own = finding(judgement, "M21")
    assert own.verdict == "violated"
    assert (own.checked_count, own.violation_count) == (7, 5)
    assert own.relations == {"own_stale": 4, "reset": 1}
    assert "whichever of the 2 instances is free" in own.note
    third = own.violations[1]
    assert (third.session, third.step, third.relation) == (0, 2, "own_stale")
    assert third.context_of == ContextOf(session=0, step=0)
    assert third.expected == trace.state((0, 0), (0, 1), (0, 2)).hex()
    assert third.observed == trace.state((0, 0), (0, 2)).hex()
    assert judgement.table["instance"].to_pylist()[:3] == ["i0", "i0", "i1"]


def test_m28_swapped_slots_give_each_the_others_state(
    trace_of, slot_probe, candidate_of, cell_of
) -> None:
    trace = trace_of([4, 2], state_place="slot")
    trace.serve(0, 0, position=0).serve(1, 0, position=1)
    trace.serve(0, 1, position=1).serve(1, 1, position=0)
    trace.serve(0, 2, position=1).serve(0, 3, position=0)
    assert contexts(trace) == {
        "0.0": EQUAL,
        "1.0": EQUAL,
        "0.1": ("differs", "other_session", (1, 0)),
        "1.1": ("differs", "other_session", (0, 0)),
        "0.2": ("differs", "other_session", (1, 0)),  # its own previous reply was already wrong
        "0.3": ("differs", "other_session", (1, 1)),
    }
    oldest = judged(trace, slot_probe, candidate_of("sequence-oldest"), cell_of())
    assert "Under the oldest strategy that position is arbitrary" in finding(oldest, "M21").note
    dynamic = judged(trace, slot_probe, candidate_of("dynamic"), cell_of())
    assert "any position in the batch" in finding(dynamic, "M21").note


def test_a_foreign_state_further_back_is_still_the_other_sessions(trace_of) -> None:
    trace = trace_of([4, 1], state_place="slot")
    trace.serve(0, 0, position=0).serve(1, 0, position=1)
    trace.serve(0, 1, position=1).serve(0, 2, position=2).serve(0, 3, position=1)
    found = contexts(trace)
    assert found["0.2"] == ("differs", "reset", None)
    # an own, earlier state, but one that holds session 1's first request
    assert found["0.3"] == ("differs", "other_session", (1, 0))


def test_a_start_wipes_a_slot_that_another_session_left(trace_of) -> None:
    trace = trace_of([2, 2], state_place="slot")
    trace.serve(0, 0).serve(0, 1).serve(1, 0).serve(1, 1)
    assert set(contexts(trace).values()) == {EQUAL}


def test_a_start_that_was_not_seen_uses_the_slots_last_owner(trace_of) -> None:
    trace = trace_of([1, 1], state_place="slot")
    left = trace.state((0, 0))
    trace.serve(0, 0)
    trace.answer(1, 0, left, trace.state((0, 0), (1, 0)))
    assert contexts(trace)["1.0"] == ("differs", "other_session", (0, 0))


def test_followers_of_a_reset_inherit_it(trace_of) -> None:
    trace = trace_of([4])
    trace.serve(0, 0).serve(0, 1, instance="i1").serve(0, 2, instance="i1")
    found = contexts(trace)
    assert found["0.1"] == found["0.2"] == ("differs", "reset", None)


def test_a_state_that_nobody_left_is_unknown(trace_of) -> None:
    trace = trace_of([2])
    strange = bytes(range(16))
    trace.serve(0, 0).answer(0, 1, strange, trace.next(strange, 0, 1))
    assert contexts(trace)["0.1"] == ("differs", "unknown", None)


def test_a_state_left_by_warm_up_is_another_sessions_without_a_name(trace_of) -> None:
    trace = trace_of([3])
    warm = bytes(range(16))
    trace.serve(0, 0).answer(0, 1, warm, trace.next(warm, 0, 1))
    follows = trace.next(warm, 0, 1)
    trace.answer(0, 2, follows, trace.next(follows, 0, 2))
    found = contexts(trace, warmup_states={warm})
    assert found["0.1"] == found["0.2"] == ("differs", "other_session", None)


def test_m28_swapped_replies_are_the_other_sessions_answers(
    trace_of, probe, candidate_of, cell_of
) -> None:
    """The states are right; each session gets the other's answer."""
    trace = trace_of([3, 3])
    trace.serve(0, 0).serve(1, 0)
    zero, one = trace.state((0, 0)), trace.state((1, 0))
    trace.answer(0, 1, one, trace.next(one, 1, 1)).answer(1, 1, zero, trace.next(zero, 0, 1))
    found = contexts(trace)
    assert found["0.1"] == ("differs", "other_session", (1, 1))
    assert found["1.1"] == ("differs", "other_session", (0, 1))


def test_an_answer_that_comes_one_request_late_is_the_sessions_own_old_one(trace_of) -> None:
    trace = trace_of([3])
    trace.serve(0, 0)
    fresh = bytes(16)
    trace.answer(0, 1, fresh, trace.state((0, 0)))
    assert contexts(trace)["0.1"] == ("differs", "own_stale", (0, 0))


def test_a_model_that_errs_is_unknown_although_its_context_was_right(trace_of) -> None:
    trace = trace_of([2])
    trace.serve(0, 0).answer(0, 1, trace.state((0, 0)), bytes(range(16)))
    assert contexts(trace)["0.1"] == ("differs", "unknown", None)


def test_states_of_lost_replies_are_found_among_the_expected_ones(trace_of) -> None:
    trace = trace_of([3, 1], state_place="slot")
    trace.serve(0, 0)
    trace.failed(1, 0, "timeout")
    foreign = trace.state((1, 0))
    trace.answer(0, 1, foreign, trace.next(foreign, 0, 1))
    assert contexts(trace)["0.1"] == ("differs", "other_session", (1, 0))


@pytest.mark.parametrize("executed", [True, False])
def test_a_lost_reply_may_or_may_not_have_been_executed(executed, trace_of) -> None:
    trace = trace_of([4])
    trace.serve(0, 0).failed(0, 1, "timeout")
    before = trace.state((0, 0), (0, 1)) if executed else trace.state((0, 0))
    trace.states["i0", 0] = before
    trace.serve(0, 2).serve(0, 3)
    found = contexts(trace)
    assert found["0.1"] == ("unjudged", None, None)
    assert found["0.2"] == found["0.3"] == EQUAL


def test_a_long_run_of_inherited_faults_is_followed_to_its_root(trace_of) -> None:
    trace = trace_of([6000])
    trace.serve(0, 0)
    for step in range(1, 6000):
        trace.serve(0, step, instance="i1")
    # replies arrive in any order; the last row first asks for the longest way back
    assert set(contexts(trace).values()) == {EQUAL, ("differs", "reset", None)}


def test_two_possible_owners_of_one_state_are_not_chosen_between() -> None:
    def step(session: int, number: int, before: bytes, after: bytes, equal: bool) -> Step:
        return Step(session, number, before, after, after, b"own" if equal else b"x", equal)

    fresh = bytes(16)
    steps = [
        step(0, 0, fresh, b"A", True),
        step(1, 0, fresh, b"A", True),  # the same short input, hence the same state
        step(2, 0, fresh, b"C", True),
        step(2, 1, b"A", b"D", False),
    ]
    found = explain(steps)[3]
    assert found is not None
    assert (found.relation, found.context_of) == ("other_session", None)


@pytest.mark.parametrize("seed", range(6))
def test_every_wrong_reply_of_a_random_slot_trace_names_a_true_ancestor(
    seed, trace_of, slot_probe, candidate_of, cell_of
) -> None:
    draws = np.random.default_rng(100 + seed)
    lengths = [int(n) for n in draws.integers(2, 15, size=6)]
    trace = trace_of(lengths, state_place="slot")
    ancestors: dict[tuple[int, int], set[tuple[int, int]]] = {}
    in_slot: dict[tuple[str, int], set[tuple[int, int]]] = {}
    left = {session: 0 for session in range(6)}
    while left:
        session = int(draws.choice(list(left)))
        step, place = left[session], (f"i{draws.integers(2)}", int(draws.integers(3)))
        trace.serve(session, step, instance=place[0], position=place[1])
        before = set() if step == 0 else in_slot.get(place, set())
        ancestors[session, step] = before
        in_slot[place] = before | {(session, step)}
        left[session] += 1
        if left[session] == lengths[session]:
            del left[session]
    for name, (verdict, relation, context) in contexts(trace).items():
        session, step = (int(part) for part in name.split("."))
        # what came before in the state, kept here as a set of requests: nothing else is needed
        before = ancestors[session, step]
        own = {(session, earlier) for earlier in range(step)}
        assert (verdict == "equal") == (before == own)
        if verdict == "differs":
            foreign = {item for item in before if item[0] != session}
            assert (relation == "other_session") == bool(foreign)
            assert relation != "unknown"
            if relation == "other_session":
                assert context in foreign
            if relation == "own_stale":
                assert context in own


def test_warm_up_requests_leave_the_chain_of_their_input() -> None:
    once = next_state(FRESH_STATE, b"warm")
    twice = next_state(once, b"warm")
    assert states_left_by(b"warm", 2) == {once, twice}
    assert states_left_by(b"warm", 0) == frozenset()
    # the published rule: BLAKE2b with 16 bytes of digest over 16 zero bytes and the input
    assert once == blake2b(bytes(16) + b"warm", digest_size=16).digest()
