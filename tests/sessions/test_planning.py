"""Plans from a seed (M20): what is sent, counted and compared without any server."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from backend.contracts.errors import InputError
from backend.sessions.lengths import apportion
from backend.sessions.plan import Plan
from backend.sessions.planning import make_plan, make_reference_plan
from backend.sessions.tensors import NUMPY_TYPES
from backend.templates.samples import Sample
from backend.templates.template import Samples, Tensor
from backend.workload.answers import Answers, CorrelationId
from backend.workload.study import Cell
from backend.workload.traffic import Gaps

INDEPENDENT = Answers(relation="independent", order_matters="no", state_kind="none")
MIXED = {"mixed": [("short", 0.75, (2, 4)), ("long", 0.25, (20, 30))]}


def plan_of(study, template, cell, samples=()) -> Plan:
    return make_plan(study, study.classes[0], template, samples, cell)


def rows(plan: Plan) -> list[dict]:
    return plan.table.to_pylist()


@pytest.mark.parametrize(
    ("total", "shares", "expected"),
    [
        # quotas 6.5, 1.95, 1.55: whole parts 6, 1, 1; two left, to .95 and .55
        (10, (0.65, 0.195, 0.155), (6, 2, 2)),
        # quotas 3.33 each: one left, the earliest of three equal remainders
        (10, (1 / 3, 1 / 3, 1 / 3), (4, 3, 3)),
        # 100 x 0.29 is 28.999... in binary, and 29 as written
        (100, (0.29, 0.71), (29, 71)),
        # quotas 3.5 and 3.5
        (7, (0.5, 0.5), (4, 3)),
        (8, (0.75, 0.25), (6, 2)),
        (1, (0.4, 0.6), (0, 1)),
    ],
)
def test_shares_are_apportioned_by_largest_remainder(total, shares, expected) -> None:
    assert apportion(total, shares) == expected


@pytest.mark.parametrize("seed", range(12))
def test_apportioned_counts_add_up_and_stay_within_one_of_their_quota(seed) -> None:
    draws = np.random.default_rng(seed)
    shares = draws.dirichlet(np.ones(int(draws.integers(1, 6))))
    total = int(draws.integers(1, 500))
    counts = apportion(total, [float(share) for share in shares])
    assert sum(counts) == total
    assert all(abs(n - total * s) < 1 for n, s in zip(counts, shares, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_m20_each_session_starts_once_and_ends_once(seed, study_of, probe, cell_of) -> None:
    study = study_of(seed=seed, sessions=24, mixes=MIXED)
    plan = plan_of(study, probe, cell_of(mix="mixed", concurrency=8))
    by_session: dict[int, list[dict]] = {}
    for row in rows(plan):
        by_session.setdefault(row["session"], []).append(row)
    assert sorted(by_session) == list(range(24))
    assert list(by_session) == sorted(by_session)
    for steps in by_session.values():
        assert [row["step"] for row in steps] == list(range(len(steps)))
        assert [row["is_start"] for row in steps] == [True] + [False] * (len(steps) - 1)
        assert [row["is_end"] for row in steps] == [False] * (len(steps) - 1) + [True]
        assert {row["session_length"] for row in steps} == {len(steps)}
        assert len({row["correlation_id"] for row in steps}) == 1
        low, high = {"short": (2, 4), "long": (20, 30)}[steps[0]["length_group"]]
        assert low <= len(steps) <= high
    groups = Counter(steps[0]["length_group"] for steps in by_session.values())
    assert groups == {"short": 18, "long": 6}
    ids = [row["request_id"] for row in rows(plan)]
    assert len(set(ids)) == len(ids)
    assert len({steps[0]["correlation_id"] for steps in by_session.values()}) == 24


def test_a_session_of_one_request_starts_and_ends_in_it(study_of, probe, cell_of) -> None:
    study = study_of(sessions=3, mixes={"short": [("one", 1.0, (1, 1))]})
    for row in rows(plan_of(study, probe, cell_of())):
        assert (row["is_start"], row["is_end"], row["session_length"]) == (True, True, 1)


@pytest.mark.parametrize("seed", range(4))
def test_m20_one_seed_gives_one_plan_and_another_seed_another(
    seed, study_of, probe, cell_of
) -> None:
    gaps = Gaps(kind="exponential", mean_ms=5)
    first = plan_of(study_of(seed=seed, gaps=gaps), probe, cell_of())
    again = plan_of(study_of(seed=seed, gaps=gaps), probe, cell_of())
    other = plan_of(study_of(seed=seed + 1, gaps=gaps), probe, cell_of())
    assert first.digest() == again.digest()
    assert first.digest() != other.digest()


def test_cells_that_differ_in_instances_send_the_same_requests(study_of, probe, cell_of) -> None:
    study = study_of(gaps=Gaps(kind="exponential", mean_ms=5))
    one = plan_of(study, probe, cell_of(instances=1))
    two = plan_of(study, probe, cell_of(instances=2))
    same = [name for name in one.table.column_names if name != "correlation_id"]
    assert one.table.select(same).equals(two.table.select(same))
    assert not set(one.table["correlation_id"].to_pylist()) & set(
        two.table["correlation_id"].to_pylist()
    )


@pytest.mark.parametrize("kind", ["uint64", "string", "unknown"])
def test_correlation_ids_are_of_the_asked_type(kind, study_of, probe, cell_of) -> None:
    answers = Answers(relation="unknown", correlation_id=CorrelationId(type=kind))
    plan = plan_of(study_of(answers=answers), probe, cell_of())
    wanted = "string" if kind == "string" else "uint64"
    assert set(plan.table["correlation_id_type"].to_pylist()) == {wanted}
    for text in plan.table["correlation_id"].to_pylist():
        if wanted == "uint64":
            assert 0 < int(text) < 2**63
        else:
            assert text.startswith("captions-")
            assert len(text) <= 128


def test_independent_requests_carry_no_id_and_no_flags(study_of, probe, cell_of) -> None:
    study = study_of(answers=INDEPENDENT, mixes={}, sessions=5)
    table = rows(plan_of(study, probe, cell_of(mix="single")))
    assert len(table) == 5
    for row in table:
        assert row["correlation_id"] is None
        assert row["correlation_id_type"] is None
        assert not row["is_start"]
        assert not row["is_end"]
        assert row["length_group"] == "single"


def test_m03_contradictory_answers_are_sent_as_sessions(study_of, probe, cell_of) -> None:
    answers = Answers(relation="independent", state_kind="recurrent_hidden_state")
    plan = plan_of(study_of(answers=answers), probe, cell_of())
    assert plan.table["correlation_id"].null_count == 0


def test_generated_inputs_have_the_size_that_the_parameter_says(study_of, probe, cell_of) -> None:
    plan = plan_of(study_of(parameters={"input_bytes": 24}), probe, cell_of())
    inputs = plan.table["input"].to_pylist()
    assert {len(raw) for raw in inputs} == {24}
    assert len(set(inputs)) == len(inputs)


def test_gaps_are_scaled_and_cut_at_ten_means(study_of, probe, cell_of) -> None:
    mixes = {"short": [("short", 1.0, (500, 500))]}
    gaps = Gaps(kind="exponential", mean_ms=200)
    study = study_of(sessions=100, mixes=mixes, gaps=gaps, time_scale=0.05)
    drawn = plan_of(study, probe, cell_of()).table["gap_ns"].to_numpy()
    mean_ns = 200 * 0.05 * 1e6
    # 50,000 draws: the mean's standard error is 0.45 %
    assert drawn.mean() == pytest.approx(mean_ns, rel=0.03)
    # of 50,000 draws about two lie beyond ten means; none comes out longer
    assert drawn.max() <= 10 * mean_ns
    assert drawn.min() >= 0


def test_fixed_gaps_are_equal_but_sessions_begin_out_of_step(study_of, probe, cell_of) -> None:
    study = study_of(gaps=Gaps(kind="fixed", mean_ms=40), time_scale=0.5)
    table = rows(plan_of(study, probe, cell_of()))
    assert {row["gap_ns"] for row in table if row["step"]} == {20_000_000}
    begins = [row["gap_ns"] for row in table if not row["step"]]
    assert len(set(begins)) == len(begins)
    assert all(0 <= gap < 20_000_000 for gap in begins)


def test_without_gaps_everything_goes_at_once(study_of, probe, cell_of) -> None:
    plan = plan_of(study_of(), probe, cell_of())
    assert set(plan.table["gap_ns"].to_pylist()) == {0}


def test_clips_are_taken_in_turn_and_run_on_from_their_end(study_of, detector_of, cell_of) -> None:
    clips = [
        Sample(name="a", array=np.zeros((7, 4), np.float32)),
        Sample(name="b", array=np.zeros((5, 4), np.float32)),
    ]
    study = study_of(sessions=6, mixes={"short": [("short", 1.0, (12, 12))]})
    table = rows(plan_of(study, detector_of(), cell_of(), clips))
    for session in range(6):
        steps = [row for row in table if row["session"] == session]
        size = 7 if session % 2 == 0 else 5
        first = steps[0]["sample_row"]
        assert {row["sample"] for row in steps} == {"a" if session % 2 == 0 else "b"}
        assert [row["sample_row"] for row in steps] == [(first + k) % size for k in range(12)]
        assert all(row["input"] is None for row in steps)


def test_items_are_each_used_equally_often(study_of, detector_of, cell_of) -> None:
    template = detector_of(samples=Samples(kind="items", input="FRAME", folder="samples"))
    items = [Sample(name=name, array=np.zeros(4, np.float32)) for name in "abc"]
    study = study_of(answers=INDEPENDENT, mixes={}, sessions=12)
    table = rows(plan_of(study, template, cell_of(mix="single"), items))
    assert Counter(row["sample"] for row in table) == {"a": 4, "b": 4, "c": 4}
    assert {row["sample_row"] for row in table} == {None}


def test_the_reference_plan_is_the_same_sessions_one_after_another(
    study_of, probe, cell_of
) -> None:
    plan = plan_of(study_of(gaps=Gaps(kind="fixed", mean_ms=10)), probe, cell_of(concurrency=4))
    reference = make_reference_plan(plan)
    assert reference.concurrency == 1
    assert set(reference.table["gap_ns"].to_pylist()) == {0}
    kept = [n for n in plan.table.column_names if n not in ("gap_ns", "scheduled_ns", "after")]
    assert reference.table.select(kept).equals(plan.table.select(kept))
    assert plan.concurrency == 4


def test_the_reference_plan_forgets_a_forced_order(study_of, probe, cell_of) -> None:
    plan = plan_of(study_of(), probe, cell_of())
    index = plan.table.schema.get_field_index("after")
    forced = plan.table.set_column(
        index, plan.table.schema.field("after"), pa.array(["7.0"] * len(plan.table))
    )
    locked = Plan(plan.request_type, plan.cell, plan.concurrency, plan.seed, forced)
    assert make_reference_plan(locked).table["after"].null_count == len(forced)


def test_a_plan_survives_its_file(tmp_path: Path, study_of, probe, cell_of) -> None:
    plan = plan_of(study_of(gaps=Gaps(kind="exponential", mean_ms=3)), probe, cell_of())
    again = Plan.read(plan.write(tmp_path))
    assert again.digest() == plan.digest()
    assert (again.request_type, again.cell, again.concurrency, again.seed) == (
        "captions",
        "instances=1,concurrency=2,mix=short",
        2,
        7,
    )


def test_an_unknown_mix_is_refused(study_of, probe) -> None:
    with pytest.raises(InputError, match="no length mix 'odd'"):
        plan_of(study_of(), probe, Cell(instances=1, concurrency=2, mix="odd"))


def test_more_sessions_at_once_than_there_are_is_refused(study_of, probe, cell_of) -> None:
    with pytest.raises(InputError, match="16 sessions at once"):
        plan_of(study_of(sessions=8), probe, cell_of(concurrency=16))


def test_a_length_group_without_a_session_is_refused(study_of, probe, cell_of) -> None:
    mixes = {"short": [("short", 0.95, (1, 2)), ("long", 0.05, (9, 9))]}
    with pytest.raises(InputError, match="'long'") as caught:
        plan_of(study_of(sessions=8, mixes=mixes), probe, cell_of())
    assert "at least 20" in caught.value.next_step


def test_a_stateful_class_without_an_id_is_refused(study_of, probe, cell_of) -> None:
    answers = Answers(relation="parts_of_a_session", correlation_id=CorrelationId(type="none"))
    with pytest.raises(InputError, match="no correlation ID"):
        plan_of(study_of(answers=answers), probe, cell_of())


def test_clips_of_another_shape_are_refused(study_of, detector_of, cell_of) -> None:
    clips = [Sample(name="thin", array=np.zeros((9, 3), np.float32))]
    with pytest.raises(InputError, match="'thin'"):
        plan_of(study_of(), detector_of(), cell_of(), clips)


def test_missing_samples_are_refused(study_of, detector_of, cell_of) -> None:
    with pytest.raises(InputError, match="no samples"):
        plan_of(study_of(), detector_of(), cell_of(), ())


@pytest.mark.parametrize(
    ("data_type", "fits"),
    [
        ("FP32", lambda values: np.isfinite(values).all() and 0.8 < values.std() < 1.2),
        ("FP16", lambda values: np.isfinite(values).all() and 0.8 < values.std() < 1.2),
        ("BOOL", lambda values: set(values.tolist()) == {True, False}),
        ("INT16", lambda values: len(set(values.tolist())) > 50),
    ],
)
def test_inputs_are_generated_by_shape_and_type(
    data_type, fits, study_of, detector_of, cell_of
) -> None:
    """M27: numbers that are ordinary for the type, the same for the same seed."""
    template = detector_of(
        inputs=(Tensor(name="FRAME", data_type=data_type, dims=(4, 2)),),
        samples=Samples(kind="generated", input="FRAME"),
    )
    raws = [row["input"] for row in rows(plan_of(study_of(), template, cell_of()))]
    kind = NUMPY_TYPES[data_type]
    assert {len(raw) for raw in raws} == {8 * kind.itemsize}
    assert fits(np.frombuffer(b"".join(raws), kind))
    assert raws == [row["input"] for row in rows(plan_of(study_of(), template, cell_of()))]


@pytest.mark.parametrize(("data_type", "dims"), [("UINT8", (-1,)), ("BYTES", (1,))])
def test_inputs_that_cannot_be_generated_are_refused(
    data_type, dims, study_of, detector_of, cell_of
) -> None:
    template = detector_of(
        inputs=(Tensor(name="FRAME", data_type=data_type, dims=dims),),
        samples=Samples(kind="generated", input="FRAME"),
    )
    with pytest.raises(InputError, match="generated inputs"):
        plan_of(study_of(), template, cell_of())


def test_a_size_parameter_that_is_no_number_is_refused(study_of, probe, cell_of) -> None:
    with pytest.raises(InputError, match="input_bytes"):
        plan_of(study_of(parameters={"input_bytes": "many"}), probe, cell_of())
