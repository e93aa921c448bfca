"""Intervals over rounds (M34, M35): worked out by hand, and their coverage."""

import math
from itertools import product

import numpy as np
import pytest

from backend.analysis.sample import Sample
from backend.analysis.uncertainty import (
    draws,
    median_interval,
    median_ratio,
    quantile_interval,
    quantile_ratio,
    student_t,
)


def sample(values_by_round):
    values = np.concatenate([np.asarray(v, dtype=float) for v in values_by_round])
    rounds = np.repeat(np.arange(len(values_by_round)), [len(v) for v in values_by_round])
    return Sample.of(values, rounds)


def test_all_draws_of_three_rounds_with_their_probabilities():
    found = draws(3, seed=0)
    assert found.picks.shape == (10, 3)
    by_pick = dict(zip(map(tuple, found.picks.tolist()), found.weights.tolist(), strict=True))
    # of the 27 ordered draws, one is 0,0,0, three are 0,0,1 in some order, six are 0,1,2
    assert by_pick[0, 0, 0] == pytest.approx(1 / 27)
    assert by_pick[0, 0, 1] == pytest.approx(3 / 27)
    assert by_pick[0, 1, 2] == pytest.approx(6 / 27)
    assert sum(by_pick.values()) == pytest.approx(1)


def test_many_rounds_are_drawn_from_the_seed():
    assert np.array_equal(draws(12, seed=4).picks, draws(12, seed=4).picks)
    assert not np.array_equal(draws(12, seed=4).picks, draws(12, seed=5).picks)


def test_drawn_quantile_equals_the_quantile_of_the_rounds_put_together():
    rng = np.random.default_rng(1)
    parts = [rng.normal(size=n) for n in (40, 77, 203)]
    given = draws(3, seed=0)
    found = sample(parts).drawn_quantile(900, given.counts)
    for picks, value in zip(given.picks, found, strict=True):
        pooled = np.concatenate([parts[i] for i in picks])
        assert value == np.percentile(pooled, 90, method="inverted_cdf")


def test_interval_of_a_median_worked_out_over_all_27_draws():
    values = {0: 90.0, 1: 100.0, 2: 121.0}
    logs = [math.log(sorted(values[i] for i in picks)[1]) for picks in product(range(3), repeat=3)]
    mean = sum(logs) / 27
    error = math.sqrt(sum((x - mean) ** 2 for x in logs) / 27 * 3 / 2)
    found = median_interval(values, seed=0)
    assert found is not None
    assert found.low == pytest.approx(100 * math.exp(-4.3027 * error))
    assert found.high == pytest.approx(100 * math.exp(4.3027 * error))
    assert found.level == 0.95


def test_m35_fewer_than_three_rounds_give_no_interval():
    two = sample([np.arange(50.0), np.arange(50.0)])
    assert quantile_interval(two, 500, seed=0) is None
    assert median_interval({0: 1.0, 1: 2.0}, seed=0) is None
    ratio = quantile_ratio(two, two, 500, seed=0)
    assert ratio is not None
    assert ratio.interval is None
    assert ratio.ratio == 1


def test_sample_rule_holds_for_intervals_and_ratios():
    few = sample([np.arange(1.0, 31.0)] * 3)  # 90 values: p90 needs 100
    assert quantile_interval(few, 900, seed=0) is None
    assert quantile_ratio(few, few, 900, seed=0) is None


def test_ratio_is_paired_by_round():
    """Rounds differ five-fold, the ratio in each is 1.1: unpaired, nothing could be told."""
    base = np.linspace(1, 2, 200)
    levels = (10.0, 30.0, 50.0)
    other = sample([base * level for level in levels])
    one = sample([base * level * 1.1 for level in levels])
    ratio = quantile_ratio(one, other, 500, seed=0)
    assert ratio is not None
    assert ratio.interval is not None
    assert ratio.ratio == pytest.approx(1.1)
    assert ratio.interval.low == pytest.approx(1.1)
    assert ratio.interval.high == pytest.approx(1.1)


def test_ratio_uses_only_rounds_that_both_have():
    one = {0: 10.0, 1: 10.0, 2: 10.0, 3: 1000.0}
    other = {0: 5.0, 1: 5.0, 2: 5.0}
    ratio = median_ratio(one, other, seed=0)
    assert ratio is not None
    assert (ratio.ratio, ratio.rounds) == (2.0, 3)


def test_a_time_of_zero_is_taken_as_the_clocks_nanosecond():
    zero = sample([np.zeros(100)] * 3)
    found = quantile_interval(zero, 500, seed=0)
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(1e-6), pytest.approx(1e-6))


@pytest.mark.parametrize(("freedom", "value"), [(2, 4.3027), (9, 2.2622), (30, 2.0423)])
def test_student_t_as_tables_print_it(freedom, value):
    assert student_t(freedom) == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize(("freedom", "value"), [(31, 2.0395), (60, 2.0003), (120, 1.9799)])
def test_student_t_beyond_the_table(freedom, value):
    assert student_t(freedom) == pytest.approx(value, abs=2e-4)


@pytest.mark.parametrize("rounds", [3, 5, 10])
@pytest.mark.parametrize("between", [0.0, 0.1])
def test_m34_interval_covers_the_truth_about_as_often_as_it_says(rounds, between):
    """The median of exp(normal) around 1; rounds are shifted by ``between`` on the log scale."""
    rng = np.random.default_rng(20)
    trials = 300
    covered = 0
    for _ in range(trials):
        shifts = rng.normal(0, between, rounds)
        found = quantile_interval(
            sample([np.exp(shift + rng.normal(0, 0.5, 200)) for shift in shifts]), 500, seed=0
        )
        assert found is not None
        covered += found.low <= 1 <= found.high
    # 300 trials at 95 %: standard error 1.3 %
    assert 0.90 <= covered / trials <= 0.99


def test_m34_no_difference_is_seldom_called_one():
    rng = np.random.default_rng(21)
    trials = 300
    claimed = 0
    for _ in range(trials):
        shifts = rng.normal(0, 0.2, 3)
        one, other = (
            sample([np.exp(shift + rng.normal(0, 0.4, 100)) for shift in shifts]) for _ in range(2)
        )
        ratio = quantile_ratio(one, other, 500, seed=0)
        assert ratio is not None
        assert ratio.interval is not None
        claimed += not ratio.interval.low <= 1 <= ratio.interval.high
    assert claimed / trials <= 0.09
