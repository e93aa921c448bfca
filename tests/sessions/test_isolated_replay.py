"""Opaque models against their isolated replay (M27 in its first form, M21) and M26."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from backend.contracts.errors import InputError
from backend.contracts.replies_table import replies_schema
from backend.sessions.isolated_replay import judge_isolated_replay, repeatability
from backend.sessions.judging import judge_trial, needs_reference
from backend.sessions.stateless import judge_stateless
from backend.templates.template import OutputRule, Tensor
from backend.workload.answers import Answers

INDEPENDENT = Answers(relation="independent", state_kind="none")
STATEFUL = Answers(relation="parts_of_a_session", state_kind="recurrent_hidden_state")


def rows(count: int, **more) -> list[dict]:
    return [{"session": at % 2, "step": at // 2, **more} for at in range(count)]


def finding(judgement, row: str):
    return next(item for item in judgement.properties if item.row == row)


def ids(count: int) -> list[str]:
    return [f"{at % 2}.{at // 2}" for at in range(count)]


@pytest.fixture
def judge(requests_of, fp32, detector_of, candidate_of, cell_of):
    """Judge replies given as numbers against a reference given as numbers."""

    def run(
        reference, replies, *, template=None, repeated=None, candidate="dynamic", requests=None
    ):
        names = ids(len(reference))
        template = template or detector_of()
        return judge_isolated_replay(
            requests_of(requests or rows(len(names))),
            fp32(dict(zip(names, replies, strict=True))),
            fp32(dict(zip(names, reference, strict=True))),
            template=template,
            candidate=candidate_of(candidate),
            cell=cell_of(instances=2),
            repeated=repeated,
        )

    return run


def test_m27_the_tolerance_decides(judge) -> None:
    # 0.001 is allowed: 0.0009 apart is equal, 0.0011 apart is not
    judgement = judge([[0.5], [0.5], [0.5]], [[0.5], [0.5009], [0.5011]])
    assert judgement.table["verdict"].to_pylist() == ["equal", "equal", "differs"]
    own = finding(judgement, "M21")
    assert (own.verdict, own.checked_count, own.violation_count) == ("violated", 3, 1)


def test_whose_context_an_opaque_model_used_is_never_guessed(judge) -> None:
    # the wrong reply equals the other session's reply to the bit, and still nothing is claimed
    judgement = judge([[0.1], [0.9]], [[0.1], [0.1]])
    own = finding(judgement, "M21")
    assert own.relations == {"unknown": 1}
    assert own.violations[0].context_of is None
    assert own.violations[0].observed != own.violations[0].expected


def test_digests_tell_replies_apart_to_the_bit(judge) -> None:
    table = judge([[0.5], [0.5]], [[0.5], [0.5001]]).table
    assert table["expected"][0] == table["observed"][0]
    assert table["expected"][1] != table["observed"][1]
    assert table["verdict"][1].as_py() == "equal"
    assert len(table["expected"][0].as_py()) == 16


@pytest.mark.parametrize(
    ("reference", "reply", "verdict"),
    [
        (math.nan, math.nan, "equal"),
        (math.nan, 0.5, "differs"),
        (0.5, math.nan, "differs"),
        (math.inf, math.inf, "equal"),
        (math.inf, -math.inf, "differs"),
        (math.inf, 1.0, "differs"),
    ],
)
def test_values_that_are_no_numbers_are_equal_only_to_themselves(
    reference, reply, verdict, judge
) -> None:
    assert judge([[reference]], [[reply]]).table["verdict"].to_pylist() == [verdict]


def test_another_shape_differs(judge) -> None:
    assert judge([[0.5]], [[0.5, 0.5]]).table["verdict"].to_pylist() == ["differs"]


def test_what_has_no_reply_or_no_reference_is_not_judged(judge) -> None:
    judgement = judge([[0.5], None, [0.5]], [None, [0.5], [0.5]])
    assert judgement.table["verdict"].to_pylist() == ["unjudged", "unjudged", "equal"]
    failed = rows(2)
    failed[0] |= {"outcome": "timeout", "error": "deadline"}
    judgement = judge([[0.5], [0.5]], [[0.5], [0.5]], requests=failed)
    assert judgement.table["verdict"].to_pylist() == ["unjudged", "equal"]
    assert judgement.table["observed"][0].as_py() is None


def test_a_label_is_compared_although_the_numbers_are_close(judge, detector_of) -> None:
    template = detector_of(
        outputs=(Tensor(name="SPEECH", data_type="FP32", dims=(3,)),),
        rules=(OutputRule(output="SPEECH", absolute=0.1, label=True, why="the decision"),),
    )
    judgement = judge(
        [[0.30, 0.35, 0.35], [0.1, 0.5, 0.4]],
        [[0.36, 0.34, 0.30], [0.1, 0.45, 0.44]],
        template=template,
    )
    assert judgement.table["verdict"].to_pylist() == ["differs", "equal"]


def test_large_whole_numbers_are_compared_exactly(
    requests_of, detector_of, candidate_of, cell_of
) -> None:
    template = detector_of(outputs=(Tensor(name="COUNT", data_type="INT64", dims=(1,)),), rules=())

    def table(value: int) -> pa.Table:
        raw = np.array([value], "<i8").tobytes()
        return pa.Table.from_pylist(
            [{"request_id": "0.0", "COUNT": raw}], schema=replies_schema(["COUNT"])
        )

    def verdict(value: int) -> str:
        judgement = judge_isolated_replay(
            requests_of(rows(1)),
            table(value),
            table(2**53),
            template=template,
            candidate=candidate_of(),
            cell=cell_of(),
        )
        return judgement.table["verdict"][0].as_py()

    # 2^53 and 2^53 + 1 are one number to a double
    assert (verdict(2**53), verdict(2**53 + 1)) == ("equal", "differs")


def test_texts_are_compared_to_the_byte(requests_of, detector_of, candidate_of, cell_of) -> None:
    template = detector_of(outputs=(Tensor(name="T", data_type="BYTES", dims=(1,)),), rules=())

    def table(texts) -> pa.Table:
        return pa.Table.from_pylist(
            [{"request_id": name, "T": raw} for name, raw in zip(ids(2), texts, strict=True)],
            schema=replies_schema(["T"]),
        )

    judgement = judge_isolated_replay(
        requests_of(rows(2)),
        table([b"\x01\0\0\0a", b"\x01\0\0\0c"]),
        table([b"\x01\0\0\0a", b"\x01\0\0\0b"]),
        template=template,
        candidate=candidate_of(),
        cell=cell_of(),
    )
    assert judgement.table["verdict"].to_pylist() == ["equal", "differs"]


def test_repeatability_reports_the_tolerance_needed(fp32, detector_of) -> None:
    first = fp32({"0.0": [0.25], "0.1": [0.5], "0.2": None})
    second = fp32({"0.0": [0.25], "0.1": [0.50048828125], "0.2": [0.1]})
    result = repeatability(first, second, detector_of())
    assert result.largest == {"SPEECH": 0.00048828125}
    assert (result.compared, result.beyond, result.sufficient) == (2, 0, True)
    assert "0.000488281" in result.sentence


def test_no_verdict_where_the_replays_themselves_differ(judge, fp32, detector_of) -> None:
    result = repeatability(fp32({"0.0": [0.2]}), fp32({"0.0": [0.3]}), detector_of())
    assert not result.sufficient
    judgement = judge([[0.5], [0.5]], [[0.5], [0.9]], repeated=result)
    assert judgement.table["verdict"].to_pylist() == ["unjudged", "unjudged"]
    own = finding(judgement, "M21")
    assert own.verdict == "not_shown"
    assert "differ by more than the tolerance in 1 of 1 replies" in own.note
    assert "SPEECH 0.1" in own.note


def test_a_rule_for_an_output_that_is_not_there_is_refused(judge, detector_of) -> None:
    template = detector_of(rules=(OutputRule(output="VOICE", why="a slip"),))
    with pytest.raises(InputError, match="'VOICE'"):
        judge([[0.5]], [[0.5]], template=template)


def stateless(replies, requests_of, fp32, detector_of, candidate_of, cell_of, *, name, sizes):
    names = ids(len(replies))
    requests = [
        {**row, "batch_size": size, "correlation_id": None, "correlation_id_type": None}
        for row, size in zip(rows(len(replies)), sizes, strict=True)
    ]
    return judge_stateless(
        requests_of(requests),
        fp32(dict(zip(names, replies, strict=True))),
        fp32({name: [0.5] for name in names}),
        template=detector_of(stateful=False),
        candidate=candidate_of(name),
        cell=cell_of(),
    )


@pytest.mark.parametrize(
    ("name", "sizes", "values", "verdict", "words"),
    [
        ("dynamic", (2, 2), ([0.5], [0.5]), "holds", ""),
        ("dynamic", (1, 1), ([0.5], [0.5]), "not_shown", "No two requests were ever executed"),
        ("dynamic", (None, None), ([0.5], [0.5]), "not_shown", "The server's trace is missing"),
        ("no-batching", (1, 1), ([0.5], [0.5]), "holds", ""),
        ("dynamic", (1, 1), ([0.5], [0.7]), "violated", "Replies vary with order"),
    ],
)
def test_m26_equivalence_under_other_batches(
    name, sizes, values, verdict, words, requests_of, fp32, detector_of, candidate_of, cell_of
) -> None:
    judgement = stateless(
        values, requests_of, fp32, detector_of, candidate_of, cell_of, name=name, sizes=sizes
    )
    (result,) = judgement.properties
    assert (result.row, result.verdict) == ("M26", verdict)
    assert result.note.startswith(words)
    assert bool(result.note) == bool(words)


def test_the_answers_and_the_model_choose_the_oracle(
    probe, detector_of, requests_of, fp32, trace_of, candidate_of, cell_of
) -> None:
    assert not needs_reference(probe, STATEFUL)
    assert needs_reference(probe, INDEPENDENT)
    assert needs_reference(detector_of(), STATEFUL)

    def rows_found(template, answers, requests, replies, plan, reference=None) -> set[str]:
        judgement = judge_trial(
            requests,
            replies,
            plan,
            template=template,
            answers=answers,
            candidate=candidate_of(),
            cell=cell_of(),
            reference=reference,
        )
        return {item.row for item in judgement.properties}

    trace = trace_of([1, 1]).serve(0, 0).serve(1, 0)
    sessions = {"M21", "M22", "M23", "M24"}
    assert rows_found(probe, STATEFUL, trace.requests, trace.reply_table, trace.plan) == sessions
    replies = fp32({"0.0": [0.5], "1.0": [0.5]})
    requests = requests_of([{"session": 0, "step": 0}, {"session": 1, "step": 0}])
    detector = detector_of()
    assert rows_found(detector, STATEFUL, requests, replies, trace.plan, replies) == sessions
    alone = {"correlation_id": None, "correlation_id_type": None, "is_start": False}
    requests = requests_of([{"session": at, "step": 0, **alone} for at in range(2)])
    assert rows_found(detector, INDEPENDENT, requests, replies, trace.plan, replies) == {"M26"}
    with pytest.raises(InputError, match="no isolated replay"):
        rows_found(detector, STATEFUL, requests, replies, trace.plan)


def test_m26_the_probe_as_independent_requests_is_judged_by_its_states(
    probe, trace_of, candidate_of, cell_of
) -> None:
    alone = {"correlation_id": None, "correlation_id_type": None}
    isolated = trace_of([1, 1], state_place="slot").serve(0, 0, **alone).serve(1, 0, **alone)
    mixed = trace_of([1, 1], state_place="slot").serve(0, 0, batch_size=2, **alone)
    left = mixed.state((0, 0))
    mixed.answer(1, 0, left, mixed.state((0, 0), (1, 0)), batch_size=2, instance="i1", **alone)
    judgement = judge_trial(
        mixed.requests,
        mixed.reply_table,
        mixed.plan,
        template=probe,
        answers=INDEPENDENT,
        candidate=candidate_of("dynamic"),
        cell=cell_of(),
        reference=isolated.reply_table,
    )
    assert judgement.table["verdict"].to_pylist() == ["equal", "differs"]
    assert judgement.table["instance"].to_pylist() == ["i0", "i1"]


def test_a_replies_table_refuses_an_output_called_like_its_key() -> None:
    with pytest.raises(InputError, match="request_id"):
        replies_schema(["A", "request_id"])
    assert replies_schema(["A"]).names == ["request_id", "A"]
