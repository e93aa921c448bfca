"""The percentile spectrum: axis, counts, limit."""

import pytest

from backend.analysis.spectrum import spectra
from backend.charts.spectrum import percentile_spectrum, percentile_spectrum_sentence
from tests.analysis.requests_rows import ONE, table, timed
from tests.charts.specs import assert_reads_in_both_themes, axis_titles, encodings, rows

TIMES = [float(value) for value in range(1, 201)]


@pytest.fixture
def data():
    tables = {
        "no-batching": table(timed(TIMES[:100], candidate="no-batching")),
        "dynamic": table(timed(TIMES, candidate="dynamic")),
    }
    return spectra(tables, cell=ONE)


def test_axes_name_percentile_and_unit(data):
    spec = percentile_spectrum(data).to_dict()
    assert axis_titles(spec, "x") == {"percentile p, drawn at 1 / (1 − p)"}
    assert axis_titles(spec, "y") == {"response time (ms, log scale)"}
    assert encodings(spec, "x")[0]["scale"]["type"] == "log"


def test_legend_gives_the_sample_counts(data):
    spec = percentile_spectrum(data).to_dict()
    assert encodings(spec, "color")[0]["scale"]["domain"] == [
        "dynamic (n = 200)",
        "no-batching (n = 100)",
    ]


def test_the_limit_is_marked_once_per_candidate_where_ten_samples_lie_beyond(data):
    spec = percentile_spectrum(data).to_dict()
    at = {row["candidate"]: row["value_ms"] for row in rows(spec) if row["at_limit"]}
    # of 200 values, ten lie beyond 190; of 100, ten lie beyond 90
    assert at == {"dynamic": 190, "no-batching": 90}
    past = {row["value_ms"] for row in rows(spec) if row["past_limit"]}
    assert max(past) == 200


def test_the_chart_reads_in_both_themes_and_fills_its_container(data):
    spec = percentile_spectrum(data).to_dict()
    assert_reads_in_both_themes(spec)
    assert spec["width"] == "container"


def test_sentence(data):
    assert percentile_spectrum_sentence(data) == (
        "1 instance, 8 sessions at once, mix talk, all sessions: response time at the last "
        "percentile with ten answers beyond: dynamic 190 ms at p95 of 200 answers and "
        "no-batching 90 ms at p90 of 100 answers."
    )


def test_a_candidate_with_few_answers_has_no_limit():
    data = spectra({"dynamic": table(timed([1.0, 2.0, 3.0]))}, cell=ONE)
    spec = percentile_spectrum(data).to_dict()
    assert not any(row["at_limit"] for row in rows(spec))
    assert "dynamic has only 3 answers" in percentile_spectrum_sentence(data)


def test_nothing_measured_gives_no_chart():
    data = spectra({"dynamic": table([])}, cell=ONE)
    assert percentile_spectrum(data) is None
    assert "no spectrum" in percentile_spectrum_sentence(data)
