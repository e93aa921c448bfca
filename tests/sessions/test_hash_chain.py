"""The probe's oracle (M21, M22, M23): verdicts, findings and remarks on traces made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from backend.contracts.errors import InputError
from backend.contracts.findings import ContextOf
from backend.contracts.requests_table import SCHEMA
from backend.sessions.hash_chain import judge_hash_chain
from backend.sessions.promises import unpromised


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


def finding(judgement, row: str):
    return next(item for item in judgement.properties if item.row == row)


def test_m21_interleaved_sessions_that_keep_apart_are_equal(
    trace_of, probe, candidate_of, cell_of
) -> None:
    trace = trace_of([3, 2])
    for session, step in ((0, 0), (1, 0), (0, 1), (1, 1), (0, 2)):
        trace.serve(session, step)
    judgement = judged(trace, probe, candidate_of("sequence-oldest"), cell_of())
    assert judgement.table["verdict"].to_pylist() == ["equal"] * 5
    assert judgement.table["expected"].to_pylist() == judgement.table["observed"].to_pylist()
    assert judgement.table["expected"][2].as_py() == trace.state((0, 0), (0, 1)).hex()
    assert judgement.table["instance"].to_pylist() == ["i0"] * 5
    assert judgement.table.schema.equals(SCHEMA)
    own = finding(judgement, "M21")
    assert (own.verdict, own.checked_count, own.violation_count, own.note) == ("holds", 5, 0, "")


def test_requests_without_a_reply_are_not_judged(trace_of, probe, candidate_of, cell_of) -> None:
    trace = trace_of([3, 1])
    trace.serve(0, 0).serve(1, 0)
    trace.failed(0, 1, "error", "must specify the START flag").failed(0, 2, "not_sent")
    judgement = judged(trace, probe, candidate_of(), cell_of())
    assert judgement.table["verdict"].to_pylist() == ["equal", "equal", "unjudged", "unjudged"]
    assert judgement.table["observed"].to_pylist()[2:] == [None, None]
    assert finding(judgement, "M21").checked_count == 2


@pytest.mark.parametrize(
    ("name", "instances", "words"),
    [
        ("dynamic", 1, "Held only because one instance served everything; the dynamic batcher"),
        ("no-batching", 1, "Held only because one instance served everything; Triton without"),
        ("dynamic", 2, "Not a proof: the dynamic batcher binds no session to one of the 2"),
        ("sequence-oldest", 2, ""),
        ("sequence-direct", 1, ""),
    ],
)
def test_a_wrong_choice_that_survives_is_called_luck(
    name, instances, words, trace_of, probe, candidate_of, cell_of
) -> None:
    trace = trace_of([2, 2]).serve(0, 0).serve(1, 0).serve(0, 1).serve(1, 1)
    own = finding(judged(trace, probe, candidate_of(name), cell_of(instances)), "M21")
    assert own.verdict == "holds"
    assert own.note.startswith(words)
    assert bool(own.note) == bool(words)


def test_a_chosen_state_place_decides_the_remark(trace_of, probe, candidate_of, cell_of) -> None:
    trace = trace_of([2, 2]).serve(0, 0).serve(1, 0).serve(0, 1).serve(1, 1)
    oldest = candidate_of("sequence-oldest", parameters={"state_place": "slot"})
    assert finding(judged(trace, probe, oldest, cell_of()), "M21").note.startswith("Not a proof.")


def test_one_session_at_a_time_shows_nothing(trace_of, probe, candidate_of, cell_of) -> None:
    trace = trace_of([2, 1]).serve(0, 0).serve(0, 1).serve(1, 0)
    own = finding(judged(trace, probe, candidate_of(), cell_of(concurrency=1)), "M21")
    assert own.verdict == "not_shown"
    assert "concurrency of at least 2" in own.note


def test_m22_m23_say_what_is_missing(trace_of, probe, candidate_of, cell_of) -> None:
    trace = trace_of([1, 1]).serve(0, 0).serve(1, 0)
    judgement = judged(trace, probe, candidate_of(), cell_of())
    assert finding(judgement, "M22").verdict == "not_shown"
    assert "no ended ID" in finding(judgement, "M22").note
    assert finding(judgement, "M23").verdict == "not_shown"
    assert "no abnormal end" in finding(judgement, "M23").note


@pytest.mark.parametrize("inherits", [False, True])
def test_m22_a_reused_id_is_looked_at_in_its_later_session(
    inherits, trace_of, probe, candidate_of, cell_of
) -> None:
    trace = trace_of([2, 2])
    same = {"correlation_id": "100"}
    trace.serve(0, 0, **same).serve(0, 1, **same)
    before = trace.state((0, 0), (0, 1)) if inherits else bytes(16)
    after = trace.next(before, 1, 0)
    trace.answer(1, 0, before, after, **same)
    trace.answer(1, 1, after, trace.next(after, 1, 1), **same)
    reuse = finding(judged(trace, probe, candidate_of(), cell_of()), "M22")
    assert (reuse.checked_count, reuse.violation_count) == (2, 2 if inherits else 0)
    assert reuse.verdict == ("violated" if inherits else "holds")
    if inherits:
        assert reuse.violations[0].context_of == ContextOf(session=0, step=1)


@pytest.mark.parametrize("inherits", [False, True])
def test_m23_a_session_after_one_without_end_is_looked_at(
    inherits, trace_of, probe, candidate_of, cell_of
) -> None:
    """The first session is left open; what began before that says nothing about it."""
    trace = trace_of([2, 1, 2])
    trace.serve(1, 0)
    trace.serve(0, 0).serve(0, 1, is_end=False)
    before = trace.state((0, 0), (0, 1)) if inherits else bytes(16)
    after = trace.next(before, 2, 0)
    trace.answer(2, 0, before, after).answer(2, 1, after, trace.next(after, 2, 1))
    ends = finding(judged(trace, probe, candidate_of(), cell_of()), "M23")
    assert (ends.checked_count, ends.violation_count) == (2, 2 if inherits else 0)
    assert ends.verdict == ("violated" if inherits else "holds")
    if inherits:
        assert ends.violations[0].context_of == ContextOf(session=0, step=1)


def test_findings_are_apart_by_length_group(trace_of, probe, candidate_of, cell_of) -> None:
    trace = trace_of([2, 2])
    trace.serve(0, 0).serve(1, 0, length_group="long").serve(0, 1)
    trace.serve(1, 1, instance="i1", length_group="long")
    judgement = judged(trace, probe, candidate_of("dynamic"), cell_of(instances=2))
    own = {item.length_group: item.verdict for item in judgement.properties if item.row == "M21"}
    assert own == {"short": "holds", "long": "violated"}


def test_only_the_first_hundred_violations_in_time_are_kept(
    trace_of, probe, candidate_of, cell_of
) -> None:
    trace = trace_of([151, 1]).serve(0, 0).serve(1, 0)
    for step in range(1, 151):
        trace.serve(0, step, instance="i1")
    own = finding(judged(trace, probe, candidate_of("dynamic"), cell_of(instances=2)), "M21")
    assert own.violation_count == 150
    assert [item.step for item in own.violations] == list(range(1, 101))
    assert own.relations == {"reset": 150}


def test_batch_sizes_of_model_and_trace_are_compared(
    trace_of, probe, candidate_of, cell_of
) -> None:
    trace = trace_of([3, 1])
    trace.serve(0, 0, batch_size=1).serve(0, 1, batch_size=2).serve(0, 2).serve(1, 0, batch_size=1)
    judgement = judged(trace, probe, candidate_of(), cell_of())
    assert (judgement.batch_sizes_compared, judgement.batch_size_disagreements) == (3, 1)


def test_a_table_of_another_plan_is_refused(trace_of, probe, candidate_of, cell_of) -> None:
    trace = trace_of([1]).serve(0, 0)
    trace.rows[0]["request_id"] = "9.9"
    with pytest.raises(InputError, match=r"Request 9\.9 is not in the plan"):
        judged(trace, probe, candidate_of(), cell_of())


def test_replies_of_another_model_are_refused(trace_of, probe, candidate_of, cell_of, fp32) -> None:
    trace = trace_of([1]).serve(0, 0)
    with pytest.raises(InputError, match="STATE_BEFORE"):
        judge_hash_chain(
            trace.requests,
            fp32({"0.0": [1.0]}),
            trace.plan,
            template=probe,
            candidate=candidate_of(),
            cell=cell_of(),
        )


def test_a_table_with_an_id_twice_is_refused(trace_of, probe, candidate_of, cell_of) -> None:
    trace = trace_of([1]).serve(0, 0)
    trace.replies *= 2
    with pytest.raises(InputError, match="twice"):
        judged(trace, probe, candidate_of(), cell_of())


@pytest.mark.parametrize("seed", range(6))
def test_m21_any_interleaving_on_one_instance_by_id_keeps_apart(
    seed, trace_of, probe, candidate_of, cell_of
) -> None:
    draws = np.random.default_rng(seed)
    lengths = [int(n) for n in draws.integers(1, 12, size=7)]
    trace = trace_of(lengths)
    left = {session: 0 for session in range(7)}
    while left:
        session = int(draws.choice(list(left)))
        trace.serve(session, left[session], position=int(draws.integers(4)))
        left[session] += 1
        if left[session] == lengths[session]:
            del left[session]
    judgement = judged(trace, probe, candidate_of(), cell_of())
    assert set(judgement.table["verdict"].to_pylist()) == {"equal"}


def test_many_sessions_split_between_two_instances(trace_of, probe, candidate_of, cell_of) -> None:
    trace = trace_of([100] * 50)
    for step in range(100):
        for session in range(50):
            trace.serve(session, step, instance=f"i{(session + step) % 2}")
    own = finding(judged(trace, probe, candidate_of("dynamic"), cell_of(instances=2)), "M21")
    # step 1 resets, every later one finds what the step before the last left
    assert own.relations == {"own_stale": 50 * 98, "reset": 50}
    assert all(
        item.context_of is None or item.context_of.step == item.step - 2 for item in own.violations
    )


def test_only_oldest_with_state_by_slot_lacks_a_sequence_batchers_promise(
    probe, slot_probe, candidate_of
) -> None:
    assert "arbitrary" in (unpromised(slot_probe, candidate_of("sequence-oldest")) or "")
    assert unpromised(slot_probe, candidate_of("sequence-direct")) is None
    assert unpromised(probe, candidate_of("sequence-oldest")) is None
