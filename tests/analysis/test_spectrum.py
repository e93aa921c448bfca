"""The percentile spectrum and its limit."""

import numpy as np
import pytest

from backend.analysis.spectrum import spectra, spectrum
from tests.analysis.requests_rows import ONE, table, timed


def test_spectrum_of_1_to_1000():
    found = spectrum(np.arange(1.0, 1001.0)).set_index("beyond")
    # 1 / (1 - p) = 10 is p90, 100 is p99, 1000 the largest value
    assert found.at[10.0, "value_ms"] == 900
    assert found.at[100.0, "value_ms"] == 990
    assert found.at[1000.0, "value_ms"] == 1000
    assert found.at[10.0, "percentile"] == pytest.approx(90)


def test_points_with_fewer_than_ten_samples_beyond_are_past_the_limit():
    found = spectrum(np.arange(1.0, 1001.0))
    assert found.loc[found["beyond"] <= 100, "past_limit"].eq(False).all()
    assert found.loc[found["beyond"] > 100, "past_limit"].all()


def test_spectrum_never_falls_and_stays_small():
    values = np.sort(np.random.default_rng(0).lognormal(size=200_000))
    found = spectrum(values)
    assert found["value_ms"].is_monotonic_increasing
    assert found["beyond"].is_monotonic_increasing
    assert len(found) < 150


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_values(n):
    found = spectrum(np.arange(1.0, n + 1))
    assert found["value_ms"].iloc[-1] == n
    assert found["past_limit"].all()


def test_candidates_side_by_side_with_their_counts():
    tables = {
        "dynamic": table(timed([10.0] * 50, candidate="dynamic")),
        "no-batching": table([]),
    }
    found = spectra(tables, cell=ONE)
    assert found.counts == {"dynamic": 50}
    assert found.limits == {"dynamic": 5}
    assert set(found.frame["candidate"]) == {"dynamic"}
    assert spectra({"no-batching": table([])}, cell=ONE).frame.empty
