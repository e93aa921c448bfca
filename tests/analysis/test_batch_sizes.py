"""Executions by batch size as shares."""

import pytest

from backend.analysis.batch_sizes import batch_shares, mean_batch_size
from backend.contracts.findings import CandidateFinding, GroupFinding, Quantiles
from tests.analysis.requests_rows import ONE, TWO

NONE = Quantiles(p50=None, p90=None, p99=None, p999=None)


def finding(name, sizes, cell=ONE):
    group = GroupFinding(
        cell=cell, length_group="all", n=1, rounds=1, outcomes={}, queue_ms=NONE,
        response_ms=NONE, compute_ms=NONE, start_wait_ms=NONE, batch_sizes=sizes,
    )  # fmt: skip
    return CandidateFinding(name=name, proposed=False, verdict="pass", reasons=(), groups=(group,))


def test_shares_of_executions_and_of_requests():
    found = batch_shares([finding("dynamic", {1: 6, 4: 2})], cell=ONE).to_dict("records")
    assert [(r["batch_size"], r["executions"], r["share"]) for r in found] == [
        (1, 6, 0.75),
        (4, 2, 0.25),
    ]
    # 6 requests alone, 8 in batches of 4
    assert [r["request_share"] for r in found] == [pytest.approx(6 / 14), pytest.approx(8 / 14)]


def test_mean_batch_size_is_requests_per_execution():
    shares = batch_shares([finding("dynamic", {1: 6, 4: 2})], cell=ONE)
    assert mean_batch_size(shares, "dynamic") == 14 / 8
    assert mean_batch_size(shares, "no-batching") is None


def test_other_cells_and_unknown_sizes_are_left_out():
    assert batch_shares([finding("dynamic", {1: 6}, TWO)], cell=ONE).empty
    assert batch_shares([finding("dynamic", {})], cell=ONE).empty


def test_batch_sizes_survive_the_file():
    one = finding("dynamic", {1: 6, 4: 2})
    assert CandidateFinding.model_validate_json(one.model_dump_json()) == one
