"""Quantiles and their sample rule (M29)."""

import numpy as np
import pytest

from backend.analysis.quantiles import quantile, quantiles, samples_needed


def test_quantile_is_the_nearest_rank_as_numpy_computes_it():
    values = np.sort(np.random.default_rng(3).lognormal(size=12_345))
    for name, q in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)):
        expected = np.percentile(values, 100 * q, method="inverted_cdf")
        assert getattr(quantiles(values), name) == expected


def test_quantile_of_1_to_1000_is_a_measured_value():
    found = quantiles(np.arange(1.0, 1001.0))
    assert (found.p50, found.p90, found.p99, found.p999) == (500.0, 900.0, 990.0, None)


@pytest.mark.parametrize(
    ("permille", "needed"), [(500, 20), (900, 100), (990, 1_000), (999, 10_000)]
)
def test_m29_quantile_needs_ten_samples_beyond_it(permille, needed):
    assert samples_needed(permille) == needed
    assert quantile(np.arange(needed - 1.0), permille) is None
    assert quantile(np.arange(float(needed)), permille) is not None


def test_no_samples_give_no_quantile():
    assert quantiles(np.empty(0)).p50 is None
