"""The server's own sums, and whether they tell the same story as the trace."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from backend.contracts.errors import ServerFailed
from backend.contracts.requests_table import COLUMNS, SCHEMA
from backend.telemetry.reconciliation import reconcile
from backend.telemetry.statistics import (
    ModelStatistics,
    delta,
    read_statistics,
    wait_settled,
)
from tests.telemetry.http_fake import serving

PATH = "/v2/models/probe/stats"


def answer(success: int, sizes: dict[int, int] | None = None, queue: int = 500) -> dict[str, Any]:
    """In the form of Triton 24.10."""

    def duration(ns: int) -> dict[str, int]:
        return {"count": success, "ns": ns}

    batches = {1: success} if sizes is None else sizes
    return {
        "model_stats": [
            {
                "name": "probe",
                "version": "1",
                "last_inference": 1,
                "inference_count": success,
                "execution_count": sum(batches.values()),
                "inference_stats": {
                    "success": duration(9000),
                    "fail": {"count": 2, "ns": 100},
                    "queue": duration(queue),
                    "compute_input": duration(10),
                    "compute_infer": duration(80),
                    "compute_output": duration(10),
                    "cache_hit": duration(0),
                    "cache_miss": duration(0),
                },
                "response_stats": {},
                "batch_stats": [
                    {
                        "batch_size": size,
                        "compute_input": {"count": count, "ns": 1},
                        "compute_infer": {"count": count, "ns": 1},
                        "compute_output": {"count": count, "ns": 1},
                    }
                    for size, count in batches.items()
                ],
                "memory_usage": [],
            }
        ]
    }


def read(value: dict[str, Any]) -> ModelStatistics:
    with serving({PATH: lambda body: (200, value)}) as endpoint:
        return read_statistics(endpoint, "probe")


def test_a_reading_and_the_difference_of_two() -> None:
    before, after = read(answer(3, {1: 3})), read(answer(13, {1: 3, 4: 3}, queue=1700))
    assert (before.success_count, before.fail_count, before.queue_ns) == (3, 2, 500)
    change = delta(before, after)
    assert (change.success_count, change.fail_count, change.queue_ns) == (10, 0, 1200)
    assert change.batch_sizes == {4: 3}
    # direct: three executions of four rows for ten requests
    assert change.padding_rows == 2


def test_statistics_that_went_back_mean_another_load() -> None:
    with pytest.raises(ServerFailed, match="went back"):
        delta(read(answer(13)), read(answer(3)))


@pytest.mark.parametrize(
    ("status", "content", "message"),
    [
        (400, '{"error":"unknown model"}', "unknown model"),
        (200, "{", "not JSON"),
        (200, [], "no JSON object"),
        (200, {"model_stats": []}, "no statistics of model 'probe'"),
        (200, {"model_stats": [{"name": "probe"}]}, "not in the form"),
    ],
)
def test_bad_answers_are_server_failures(status: int, content: Any, message: str) -> None:
    with (
        serving({PATH: lambda body: (status, content)}) as endpoint,
        pytest.raises(ServerFailed) as error,
    ):
        read_statistics(endpoint, "probe")
    assert message in str(error.value)


def test_waiting_until_all_successes_are_counted() -> None:
    readings = iter([answer(3), answer(5), answer(8), answer(9)])
    before = read(answer(3))
    with serving({PATH: lambda body: (200, next(readings))}) as endpoint:
        settled = wait_settled(endpoint, "probe", before, 5)
    assert settled.settled
    assert settled.statistics.success_count == 8

    with serving({PATH: lambda body: (200, answer(4))}) as endpoint:
        short = wait_settled(endpoint, "probe", before, 5, wait_s=0.1)
    assert not short.settled
    assert short.statistics.success_count == 4


def joined(*changes: dict[str, Any]) -> pa.Table:
    """Requests that queued 100 ns, with 10 + 80 + 10 ns of compute, as a trace would have them."""
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {
        "trial": 0, "request_type": "talk", "candidate": "dynamic", "cell": "c", "repeat": 0,
        "request_id": "r", "transport": "grpc_stream", "session": 0, "step": 0,
        "session_length": 1, "length_group": "all", "is_start": True, "is_end": True,
        "outcome": "ok", "verdict": "unjudged", "queue_start_ns": 1000, "compute_start_ns": 1100,
        "compute_input_end_ns": 1110, "compute_output_start_ns": 1190, "compute_end_ns": 1200,
    }  # fmt: skip
    return pa.Table.from_pylist([row | change for change in changes], schema=SCHEMA)


def summed(success: int, *, queue: int | None = None, **more: Any) -> ModelStatistics:
    values: dict[str, Any] = {
        "model": "probe", "inference_count": success, "execution_count": success,
        "success_count": success, "fail_count": 0, "success_ns": 250 * success,
        "queue_ns": 100 * success if queue is None else queue, "compute_input_ns": 10 * success,
        "compute_infer_ns": 80 * success, "compute_output_ns": 10 * success,
        "batch_sizes": {1: success},
    }  # fmt: skip
    return ModelStatistics(**(values | more))


def test_equal_sums_agree_and_only_answered_requests_count() -> None:
    failed = {"outcome": "error", "compute_end_ns": 9000}
    result = reconcile(joined({}, {}, failed), summed(2, fail_count=1))
    assert result.agrees
    assert result.sentences == ()
    assert [(item.figure, item.trace_ns, item.server_ns) for item in result.figures] == [
        ("queue", 200, 200),
        ("compute_input", 20, 20),
        ("compute_infer", 160, 160),
        ("compute_output", 20, 20),
    ]
    assert (result.ok_requests, result.traced_requests, result.server_fail_count) == (2, 2, 1)


def test_padding_is_no_disagreement() -> None:
    result = reconcile(joined({}, {}), summed(2, batch_sizes={4: 1}))
    assert result.agrees
    assert result.padding_rows == 2


@pytest.mark.parametrize(("queue", "agrees"), [(10_100, True), (9_900, False), (10_102, False)])
def test_sums_agree_within_one_per_cent(queue: int, agrees: bool) -> None:
    result = reconcile(joined(*[{}] * 100), summed(100, queue=queue))
    assert result.tolerance == 0.01
    assert result.agrees is agrees
    if not agrees:
        assert "The queue times of the trace add up to 0.010 ms" in result.sentences[0]


def test_missing_requests_are_counted_on_both_sides() -> None:
    untraced = {"queue_start_ns": None, "compute_start_ns": None}
    result = reconcile(joined({}, untraced), summed(3))
    assert not result.agrees
    assert result.traced_requests == 1
    assert "1 of 2 answered requests are not in the trace" in result.sentences[0]
    assert "counts 3 successful requests, the client 2 answers" in result.sentences[1]


def test_no_trace_at_all_and_no_time_at_all() -> None:
    nothing = dict.fromkeys(
        ("queue_start_ns", "compute_start_ns", "compute_input_end_ns",
         "compute_output_start_ns", "compute_end_ns")
    )  # fmt: skip
    result = reconcile(joined(nothing, nothing), summed(2))
    assert result.traced_requests == 0
    assert not result.agrees
    # a sum of zero on both sides is agreement; on one side there is no ratio
    zero = summed(1, queue=0)
    at_once = reconcile(joined({"queue_start_ns": 1100}), zero)
    assert at_once.agrees
    late = reconcile(joined({}), zero)
    assert late.figures[0].relative_difference is None
    assert not late.agrees
