"""Candidates on one figure (M34, M35): what is claimed, and in which words."""

import numpy as np
import pytest

from backend.analysis.compare import comparisons
from tests.analysis.requests_rows import MS, ONE, TWO, request, table, timed


def rounds_of(times, candidate, *, rounds=3, count=100, cell=ONE, **given):
    """Requests whose response time is ``times[round]``, a little spread, in each round."""
    rows = []
    for r in range(rounds):
        spread = np.linspace(0.9, 1.1, count) * times[r]
        rows += timed(
            spread.tolist(),
            queue_ms=(spread / 2).tolist(),
            candidate=candidate,
            cell=cell,
            trial=r,
            repeat=r,
            **given,
        )
    return rows


def throughput_of(seconds, candidate, count=20):
    """``count`` answers per round within the given seconds."""
    return table(
        [
            request(
                candidate=candidate,
                trial=r,
                repeat=r,
                step=step,
                sent_ns=0,
                received_ns=round(window * 1000 * MS),
            )
            for r, window in enumerate(seconds)
            for step in range(count)
        ]
    )


def find(found, figure, against="dynamic", length_group="all", cell=ONE):
    (one,) = [
        c
        for c in found
        if (c.figure, c.against, c.length_group, c.cell) == (figure, against, length_group, cell)
    ]
    return one


def test_m34_a_difference_beyond_the_interval_is_claimed_with_values_and_units():
    tables = {
        "sequence-oldest": table(rounds_of([10, 11, 12], "sequence-oldest")),
        "dynamic": table(rounds_of([20, 22, 24.2], "dynamic")),
    }
    one = find(comparisons(tables, proposed="sequence-oldest", stateful=True), "response_p50_ms")
    assert one.outcome == "better"
    assert one.ratio == pytest.approx(0.5, abs=0.01)
    assert one.interval is not None
    assert one.interval.high < 1
    assert one.unit == "ms"
    assert one.sentence.startswith(
        "1 instance, 8 sessions at once, mix talk: response time p50 of sequence-oldest is "
        "shorter than that of dynamic: 0.50 × ("
    )
    assert "ms, 3 rounds." in one.sentence


def test_m34_a_difference_inside_the_interval_is_called_so():
    tables = {
        "sequence-oldest": table(rounds_of([10, 14, 9], "sequence-oldest")),
        "dynamic": table(rounds_of([11, 9, 12], "dynamic")),
    }
    one = find(comparisons(tables, proposed="sequence-oldest", stateful=True), "response_p50_ms")
    assert one.outcome == "not_distinguishable"
    assert "are not distinguishable on response time p50 after 3 rounds" in one.sentence


def test_slower_is_worse():
    tables = {
        "sequence-oldest": table(rounds_of([20, 22, 24.2], "sequence-oldest")),
        "dynamic": table(rounds_of([10, 11, 12], "dynamic")),
    }
    one = find(comparisons(tables, proposed="sequence-oldest", stateful=True), "queue_p90_ms")
    assert one.outcome == "worse"
    assert "queue time p90 of sequence-oldest is longer" in one.sentence


def test_m35_one_run_shows_no_gain_however_large():
    tables = {
        "sequence-oldest": table(rounds_of([1], "sequence-oldest", rounds=1)),
        "dynamic": table(rounds_of([50], "dynamic", rounds=1)),
    }
    found = comparisons(tables, proposed="sequence-oldest", stateful=True)
    assert {one.outcome for one in found} == {"not_shown"}
    assert {one.interval for one in found} == {None}
    one = find(found, "response_p50_ms")
    assert one.ratio == pytest.approx(0.02, abs=0.001)
    assert one.sentence.endswith(
        "cannot be compared on response time p50: 1 round measured, 3 needed."
    )


def test_a_quantile_without_enough_samples_is_not_compared():
    tables = {
        "sequence-oldest": table(rounds_of([10, 11, 12], "sequence-oldest")),
        "dynamic": table(rounds_of([20, 22, 24], "dynamic")),
    }
    one = find(comparisons(tables, proposed="sequence-oldest", stateful=True), "response_p99_ms")
    assert (one.outcome, one.ratio) == ("not_shown", None)
    assert "needs 1,000 answered requests, and there were 300" in one.sentence


@pytest.mark.parametrize(
    ("dynamic", "outcome", "words"),
    [
        (
            (2.00, 2.02, 1.99),
            "not_distinguishable",
            "Batching bought nothing measurable on this machine: throughput",
        ),
        ((1.0, 1.01, 0.99), "better", "Batching raised throughput on this machine: throughput 2"),
        ((4.0, 4.1, 3.9), "worse", "Batching bought nothing on this machine, it cost throughput"),
        ((2.0, 2.15, 1.95), "not_distinguishable", "cannot rule out a gain of up to 22 %."),
        (
            (1.2, 3.0, 1.9),
            "not_distinguishable",
            "Whether batching pays stays open on this machine: throughput",
        ),
    ],
)
def test_what_batching_bought_is_said_as_the_interval_says_it(dynamic, outcome, words):
    tables = {
        "dynamic": throughput_of(dynamic, "dynamic"),
        "no-batching": throughput_of((2.0, 2.0, 2.0), "no-batching"),
    }
    found = comparisons(tables, proposed="dynamic", stateful=False)
    one = find(found, "throughput_per_s", against="no-batching")
    assert one.outcome == outcome
    assert words in one.sentence
    assert "requests/s, 3 rounds" in one.sentence


def test_narrow_interval_around_one_leaves_no_gain_to_hope_for():
    tables = {
        "dynamic": throughput_of((2.00, 2.02, 1.99), "dynamic"),
        "no-batching": throughput_of((2.0, 2.0, 2.0), "no-batching"),
    }
    found = comparisons(tables, proposed="dynamic", stateful=False)
    one = find(found, "throughput_per_s", against="no-batching")
    assert one.interval is not None
    assert one.interval.high < 1.1
    assert "rule out" not in one.sentence


def test_batching_is_compared_for_a_stateless_class_whatever_is_proposed():
    tables = {
        name: throughput_of((2.0, 2.0, 2.0), name)
        for name in ("sequence-oldest", "dynamic", "no-batching")
    }
    pairs = {
        (c.candidate, c.against)
        for c in comparisons(tables, proposed="sequence-oldest", stateful=False)
    }
    assert pairs == {
        ("sequence-oldest", "dynamic"),
        ("sequence-oldest", "no-batching"),
        ("dynamic", "no-batching"),
    }
    stateful = comparisons(tables, proposed="sequence-oldest", stateful=True)
    assert ("dynamic", "no-batching") not in {(c.candidate, c.against) for c in stateful}


def test_no_pair_is_compared_twice():
    tables = {name: throughput_of((2.0, 2.0, 2.0), name) for name in ("dynamic", "no-batching")}
    found = comparisons(tables, proposed="dynamic", stateful=False)
    assert len([c for c in found if c.figure == "throughput_per_s"]) == 1


def test_m32_short_sessions_are_compared_apart():
    def mixed(short, long, candidate):
        rows = rounds_of(short, candidate, length_group="short", session_length=5, session=1)
        rows += rounds_of(long, candidate, length_group="long", session_length=90, session=2)
        return table(rows)

    tables = {
        "sequence-oldest": mixed([50, 51, 52], [10, 10.1, 10.2], "sequence-oldest"),
        "dynamic": mixed([10, 10.1, 10.2], [10, 10.1, 10.2], "dynamic"),
    }
    found = comparisons(tables, proposed="sequence-oldest", stateful=True)
    assert find(found, "response_p50_ms", length_group="short").outcome == "worse"
    assert find(found, "response_p50_ms", length_group="long").outcome == "not_distinguishable"
    assert "short sessions" in find(found, "response_p50_ms", length_group="short").sentence


def test_the_speed_of_wrong_replies_is_no_argument():
    tables = {
        "sequence-oldest": table(rounds_of([20, 22, 24], "sequence-oldest")),
        "dynamic": table(rounds_of([10, 11, 12], "dynamic")),
    }
    found = comparisons(tables, proposed="sequence-oldest", stateful=True, wrong={("dynamic", ONE)})
    assert find(found, "response_p50_ms").sentence.endswith(
        "dynamic gave wrong replies here: its speed is no argument."
    )


def test_a_cell_that_only_one_candidate_has_is_left_out():
    tables = {
        "sequence-oldest": table(
            rounds_of([10, 11, 12], "sequence-oldest")
            + rounds_of([10, 11, 12], "sequence-oldest", cell=TWO)
        ),
        "dynamic": table(rounds_of([10, 11, 12], "dynamic")),
    }
    found = comparisons(tables, proposed="sequence-oldest", stateful=True)
    assert {c.cell for c in found} == {ONE}


def test_nothing_is_compared_without_a_proposal():
    tables = {"dynamic": table(rounds_of([10, 11, 12], "dynamic"))}
    assert comparisons(tables, proposed=None, stateful=True) == ()
