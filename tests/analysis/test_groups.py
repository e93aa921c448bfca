"""Figures per cell and length group (M29, M32), on tables written by hand."""

import numpy as np
import pytest

from backend.analysis.groups import group_findings
from backend.contracts.errors import InputError
from tests.analysis.requests_rows import MS, ONE, TWO, request, table, timed


def group(found, cell, length_group):
    return next(g for g in found if (g.cell, g.length_group) == (cell, length_group))


def test_m29_times_are_taken_from_their_columns():
    rows = [request(step=step, is_start=step == 0) for step in range(40)]
    found = group(group_findings(table(rows)), ONE, "all")
    assert found.queue_ms.p50 == 2
    assert found.compute_ms.p50 == 5
    assert found.response_ms.p50 == 9
    assert found.start_wait_ms.p50 is None  # one start alone
    assert (found.n, found.rounds, found.outcomes) == (40, 1, {"ok": 40})


def test_response_counts_from_sending_in_a_closed_loop_and_from_the_schedule_in_an_open_one():
    rows = [request(step=step, scheduled_ns=0, sent_ns=4 * MS) for step in range(20)]
    closed = group(group_findings(table(rows)), ONE, "all")
    opened = group(group_findings(table(rows), arrivals="open_loop"), ONE, "all")
    assert (closed.response_ms.p50, opened.response_ms.p50) == (5, 9)


def test_m32_short_sessions_stand_apart_and_come_first():
    rows = timed([50.0] * 30, length_group="long", session_length=80, session=1)
    rows += timed([5.0] * 30, length_group="short", session_length=6, session=2)
    found = group_findings(table(rows))
    assert [g.length_group for g in found] == ["all", "short", "long"]
    assert group(found, ONE, "short").response_ms.p50 == 5
    assert group(found, ONE, "long").response_ms.p50 == 50
    assert group(found, ONE, "all").n == 60


def test_start_wait_is_the_queue_time_of_starts_alone():
    rows = timed([9.0] * 40, queue_ms=[1.0] * 40, session=1)
    for number in range(25):
        rows += timed([90.0], queue_ms=[80.0], is_start=True, session=number + 2)
    found = group(group_findings(table(rows)), ONE, "all")
    assert found.start_wait_ms.p50 == 80
    assert found.queue_ms.p50 == 1


def test_only_answered_requests_have_times_and_all_have_outcomes():
    rows = timed([10.0] * 20)
    rows += [request(outcome="error", received_ns=900 * MS, error="no") for _ in range(5)]
    rows += [
        request(outcome="unanswered", received_ns=None, compute_start_ns=None) for _ in range(2)
    ]
    found = group(group_findings(table(rows)), ONE, "all")
    assert found.n == 20
    assert found.response_ms.p50 == 10
    assert found.outcomes == {"ok": 20, "error": 5, "unanswered": 2}


def test_executions_count_once_each_however_many_requests_they_hold():
    rows = [request(step=i, execution=0, batch_size=3) for i in range(3)]
    rows += [request(step=3, execution=1, batch_size=1)]
    # another trial counts its executions from 0 again
    rows += [request(trial=1, repeat=1, step=i, execution=0, batch_size=3) for i in range(3)]
    # a target that does not tell
    rows += [request(step=9, execution=None, batch_size=None)]
    found = group(group_findings(table(rows)), ONE, "all")
    assert found.batch_sizes == {1: 1, 3: 2}


def test_throughput_is_the_median_of_the_rounds():
    rows = []
    for round_number, seconds in enumerate((1, 2, 4)):
        rows += [
            request(
                trial=round_number,
                repeat=round_number,
                sent_ns=0,
                received_ns=seconds * 1000 * MS if step == 99 else 1 * MS,
            )
            for step in range(100)
        ]
    found = group(group_findings(table(rows)), ONE, "all")
    assert found.throughput_per_s == 50
    assert found.intervals["throughput_per_s"] is not None
    assert found.rounds == 3


def test_throughput_counts_answers_over_the_window_of_all_requests():
    rows = [request(sent_ns=0, received_ns=500 * MS) for _ in range(10)]
    rows += [request(outcome="error", sent_ns=0, received_ns=2000 * MS)]
    assert group(group_findings(table(rows)), ONE, "all").throughput_per_s == 5


def test_m35_two_rounds_give_no_intervals_and_three_do():
    rows = [row for r in range(2) for row in timed([10.0 + r] * 30, trial=r, repeat=r)]
    two = group(group_findings(table(rows)), ONE, "all")
    assert set(two.intervals.values()) == {None}
    rows += timed([13.0] * 30, trial=2, repeat=2)
    three = group(group_findings(table(rows)), ONE, "all")
    interval = three.intervals["response_p50_ms"]
    assert interval is not None
    assert interval.low < three.response_ms.p50 < interval.high
    assert three.intervals["response_p99_ms"] is None  # 90 answers: no p99


def test_cells_do_not_mix():
    rows = timed([10.0] * 20, cell=ONE) + timed([30.0] * 20, cell=TWO, trial=1)
    found = group_findings(table(rows))
    assert group(found, ONE, "all").response_ms.p50 == 10
    assert group(found, TWO, "all").response_ms.p50 == 30


def test_columns_that_the_target_cannot_give_give_no_figures():
    rows = [request(queue_start_ns=None, compute_start_ns=None, compute_end_ns=None)] * 30
    found = group(group_findings(table(rows)), ONE, "all")
    assert found.queue_ms.p50 is None
    assert found.compute_ms.p50 is None
    assert found.response_ms.p50 == 9


def test_no_requests_give_no_groups():
    assert group_findings(table([])) == ()


def test_a_length_group_cannot_be_called_all():
    rows = timed([1.0], length_group="all") + timed([1.0], length_group="short")
    with pytest.raises(InputError, match="called 'all'"):
        group_findings(table(rows))


def test_a_cell_that_is_none_is_refused():
    from backend.analysis.cells import cell_words

    with pytest.raises(InputError, match="not the name of a cell"):
        cell_words("all of them")


def test_group_figures_equal_numpys_on_a_random_table():
    rng = np.random.default_rng(5)
    times = rng.lognormal(2, 0.7, 3000)
    rows = [
        row
        for r in range(3)
        for row in timed(times[r * 1000 : (r + 1) * 1000].tolist(), trial=r, repeat=r)
    ]
    found = group(group_findings(table(rows)), ONE, "all")
    measured = np.round(times * MS) / MS
    for name, q in (("p50", 50), ("p90", 90), ("p99", 99)):
        expected = np.percentile(measured, q, method="inverted_cdf")
        assert getattr(found.response_ms, name) == pytest.approx(expected, rel=1e-9)
    assert found.response_ms.p999 is None
