"""M33: the load generator's own lag and cost are measured, and spoil the verdict if material."""

from __future__ import annotations

import time

import numpy as np
import pytest

from backend.load.closed_loop import send
from backend.load.generator_cost import GeneratorCost, generator_cost, missed_ticks
from backend.load.interface import ModelInterface
from tests.load.fake_triton import Deed, FakeTriton, planned

MS = 1_000_000


def cost(
    *,
    lag_ms: list[float] | None = None,
    response_ms: float = 10.0,
    late_ms: list[float] | None = None,
    loop_share: float = 0.3,
) -> GeneratorCost:
    lag = [0.1] * 1000 if lag_ms is None else lag_ms
    late = [0.1] * 1000 if late_ms is None else late_ms
    return generator_cost(
        lag_ns=(np.array(lag) * MS).astype(np.int64),
        response_ns=np.full(len(lag), int(response_ms * MS), dtype=np.int64),
        late_s=[each / 1e3 for each in late],
        wall_s=5.0,
        cpu_s=2.0,
        loop_cpu_s=5.0 * loop_share,
    )


def test_figures_are_what_was_measured() -> None:
    value = cost(lag_ms=[1.0] * 99 + [3.0])
    assert value.requests == 100
    assert (value.lag_p50_ms, value.lag_max_ms) == (1.0, 3.0)
    assert value.cpu_share == pytest.approx(0.4)
    assert value.loop_share == pytest.approx(0.3)
    assert value.cpu_us_per_request == pytest.approx(20_000)
    assert value.stalls == 0
    assert value.unfit is None


@pytest.mark.parametrize(
    ("lag_ms", "response_ms", "verdict"),
    [
        ([0.1] * 980 + [4.9] * 20, 1.0, "fit"),  # 5 ms never count, however short the responses
        ([0.1] * 980 + [5.2] * 20, 1.0, "unfit"),
        ([0.1] * 980 + [5.2] * 20, 20.0, "caution"),  # above a fifth of 20 ms, below half
        ([0.1] * 980 + [9.8] * 20, 20.0, "caution"),
        ([0.1] * 980 + [10.2] * 20, 20.0, "unfit"),
        ([0.1] * 980 + [5.8] * 20, 30.0, "fit"),
        ([0.1] * 995 + [900.0] * 5, 1.0, "fit"),  # half a per cent is beyond the 99th
        ([5.8] * 1000, 30.0, "fit"),
        ([6.2] * 1000, 30.0, "unfit"),  # a fifth of every response
    ],
)
def test_lag_is_judged_against_the_response_time(
    lag_ms: list[float], response_ms: float, verdict: str
) -> None:
    value = cost(lag_ms=lag_ms, response_ms=response_ms)
    assert (value.unfit is not None) is (verdict == "unfit")
    assert (value.caution is not None) is (verdict == "caution")
    assert "later than planned" in (value.unfit or value.caution or "later than planned")


def test_a_busy_thread_is_a_bottleneck() -> None:
    assert cost(loop_share=0.89).unfit is None
    assert "busy for 95 %" in (cost(loop_share=0.95).unfit or "").replace("95%", "95 %")
    # a blink is too short to judge a thread by
    assert cost(loop_share=0.95, late_ms=[0.1] * 5).unfit is None


def test_one_stall_counts_for_as_long_as_it_lasted() -> None:
    # a tick every 5 ms: one that fires 22 ms late stands for those due at 5, 10, 15, 20 ms too
    assert missed_ticks([0.022]) * 1e3 == pytest.approx([22, 17, 12, 7, 2])
    assert missed_ticks([0.0, 0.004]) * 1e3 == pytest.approx([0, 4])
    # 200 ms of a trial of about 5 s are 4 % of its time
    value = cost(late_ms=[0.1] * 960 + [200.0])
    assert value.stalls == 1
    assert value.late_max_ms == pytest.approx(200)
    assert "held up" in (value.unfit or "")
    assert cost(late_ms=[0.1] * 960 + [30.0]).unfit is None


def test_nothing_sent_is_nothing_to_judge() -> None:
    value = cost(lag_ms=[], late_ms=[], loop_share=0.0)
    assert value.lag_p99_ms is None
    assert value.late_max_ms is None
    assert value.cpu_us_per_request is None
    assert value.unfit is None


def test_a_loop_stalled_on_purpose_is_found_unfit(triton: FakeTriton, echo: ModelInterface) -> None:
    work = planned([20] * 4, concurrency=4)
    triton.deed = lambda arrival: Deed(wait_s=0.02)
    sent = send(
        work.plan,
        work.inputs,
        echo,
        triton.endpoint,
        progress=lambda counters: time.sleep(0.15),
        reply_timeout_s=10,
    )
    assert sent.count("ok") == 80
    assert sent.generator.stalls >= 1
    assert (sent.generator.late_max_ms or 0) > 100
    assert sent.generator.unfit is not None
    assert "held up" in sent.generator.unfit
