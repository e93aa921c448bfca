"""Executions by batch size: one scale for all candidates."""

from backend.analysis.batch_sizes import batch_shares
from backend.charts.batches import executions_by_batch_size, executions_by_batch_size_sentence
from tests.analysis.requests_rows import ONE
from tests.analysis.test_batch_sizes import finding
from tests.charts.specs import assert_reads_in_both_themes, axis_titles, encodings, rows

SHARES = batch_shares([finding("no-batching", {1: 10}), finding("dynamic", {1: 6, 4: 2})], cell=ONE)


def test_panels_share_both_scales_and_name_their_units():
    spec = executions_by_batch_size(SHARES).to_dict()
    (x,), (y,) = encodings(spec["spec"], "x"), encodings(spec["spec"], "y")
    assert x["scale"]["domain"] == [1, 2, 3, 4]
    assert y["scale"]["domain"] == [0, 1]
    assert axis_titles(spec, "x") == {"requests in the batch"}
    assert axis_titles(spec, "y") == {"share of executions"}


def test_panels_are_named_with_their_mean_in_the_usual_order():
    spec = executions_by_batch_size(SHARES).to_dict()
    assert spec["facet"]["column"]["sort"] == [
        "dynamic|1.75 per execution",
        "no-batching|1 per execution",
    ]


def test_values_are_shares_of_executions():
    spec = executions_by_batch_size(SHARES).to_dict()
    found = {(r["candidate"], r["batch_size"]): (r["share"], r["text"]) for r in rows(spec)}
    assert found["dynamic", 4] == (0.25, "25.0% of executions")


def test_the_chart_reads_in_both_themes_and_keeps_to_its_width():
    spec = executions_by_batch_size(SHARES, width=700).to_dict()
    assert_reads_in_both_themes(spec)
    assert 500 < 2 * spec["spec"]["width"] < 700


def test_large_batches_do_not_crowd_the_axis():
    shares = batch_shares([finding("dynamic", {1: 5, 64: 5})], cell=ONE)
    spec = executions_by_batch_size(shares, width=300).to_dict()
    (x,) = encodings(spec["spec"], "x")
    assert len(x["axis"]["values"]) <= 16
    assert x["axis"]["values"][0] == 1


def test_sentence_and_empty():
    assert executions_by_batch_size_sentence(SHARES) == (
        "Requests per execution: dynamic 1.75, at most 4; no-batching 1, at most 1."
    )
    assert executions_by_batch_size(SHARES.iloc[:0]) is None
    assert executions_by_batch_size_sentence(SHARES.iloc[:0]) == "Batch sizes are not known."
