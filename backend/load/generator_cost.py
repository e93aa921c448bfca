"""What the load generator itself cost in a trial, and when that spoils the trial's figures (M33).

The generator can spoil a figure in three ways, each with its own measure:

* It sends later than the plan wants: *schedule lag*, ``sent - scheduled`` of every request.
* It sees a reply later than it arrived: the reply's time is taken when the event loop comes round
  to it. *Loop lateness* samples this delay: a timer that should fire every 5 ms, and how late it
  fired. One long stall makes the timer miss ticks; each missed tick counts with the delay that it
  would have seen (the correction for coordinated omission that HdrHistogram made known), so a
  quantile of lateness is a quantile over time, as a reply arriving at any moment would meet it.
* It cannot go faster: the event loop is one thread, so one core is all it can use.

**Rule.** Delays up to 5 ms never count: an ordinary kernel lets a runnable thread wait so long
when every core is busy, which is the load's doing and strikes the server alike. Above that, a trial
is *unfit*

* if the median of lag or lateness is above 20 % of the median response time: all figures are then
  shifted by more than one run differs from the next;
* if their 99th percentile is above half of the response time's 99th percentile: the tail is then
  more the generator's than the server's;
* if the loop's thread was busy for more than 90 % of the time: in a queue at that use waiting is
  ten times the work (1/(1 - 0.9), random arrivals).

Between 20 % and half of the 99th percentile the trial counts, with a *caution*: other programs on
the machine can do this in a single round, which the spread over rounds then shows.

Timers are not counted unfairly: the loop waits with microseconds (see ``run_precisely``), so a
timer on an idle machine is about 0.1 ms late: the generator's own delay, not a rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.contracts.values import Value

TICK_S: Final = 0.005
"""How often the loop's lateness is sampled."""
STALL_MS: Final = 10.0
"""A tick later than this counts as a stall."""
UNFIT_SHARE: Final = {0.5: 0.2, 0.99: 0.5}
"""By quantile: the share of the response time's that lag or lateness may reach."""
CAUTION_SHARE: Final = 0.2
HARMLESS_MS: Final = 5.0
BUSY_SHARE: Final = 0.9
FEWEST_TICKS: Final = 20
"""Below 0.1 s there are too few ticks to speak of a loop's use or lateness."""


class GeneratorCost(Value):
    """Times in ms unless the name says otherwise; quantiles are null without requests or ticks.

    ``cpu_share`` is the whole process (gRPC's threads included) in cores, ``loop_share`` the event
    loop's thread alone. ``allowed_*`` are the delays above which a trial is unfit. ``unfit`` says
    why the generator spoils the figures, ``caution`` why their tail deserves a second look; both
    null where nothing is to be said.
    """

    requests: int
    wall_s: float
    cpu_s: float
    cpu_share: float
    loop_share: float
    lag_p50_ms: float | None
    lag_p99_ms: float | None
    lag_max_ms: float | None
    late_p50_ms: float | None
    late_p99_ms: float | None
    late_max_ms: float | None
    stalls: int
    allowed_p50_ms: float
    allowed_p99_ms: float
    unfit: str | None
    caution: str | None

    @property
    def cpu_us_per_request(self) -> float | None:
        """CPU time of the process per request sent, in µs."""
        return self.cpu_s / self.requests * 1e6 if self.requests else None


def generator_cost(
    *,
    lag_ns: NDArray[np.int64],
    response_ns: NDArray[np.int64],
    late_s: Sequence[float],
    wall_s: float,
    cpu_s: float,
    loop_cpu_s: float,
) -> GeneratorCost:
    """Judge the generator by what it measured of itself.

    Args:
        lag_ns: ``sent - scheduled`` of each request sent.
        response_ns: ``received - sent`` of each request answered.
        late_s: How late each tick of the loop's timer was.
        wall_s: Length of the measurement.
        cpu_s: CPU time of the process in it.
        loop_cpu_s: CPU time of the event loop's thread in it.
    """
    lag_ms = lag_ns / 1e6
    late_ms = missed_ticks(late_s) * 1e3
    loop_share = loop_cpu_s / wall_s if wall_s > 0 else 0.0
    response_ms = {q: _quantile(response_ns / 1e6, q) or 0.0 for q in UNFIT_SHARE}
    allowed_ms = {q: max(HARMLESS_MS, UNFIT_SHARE[q] * response_ms[q]) for q in UNFIT_SHARE}
    caution_ms = max(HARMLESS_MS, CAUTION_SHARE * response_ms[0.99])

    unfit = None
    for q, allowed in allowed_ms.items():
        unfit = _delayed(lag_ms, late_ms, q, allowed) or unfit
    caution = None if unfit else _delayed(lag_ms, late_ms, 0.99, caution_ms)
    if len(late_s) >= FEWEST_TICKS and loop_share > BUSY_SHARE:
        unfit = (
            f"The load generator's thread was busy for {loop_share:.0%} of the time: "
            "it was the bottleneck, not the server."
        )
        caution = None
    return GeneratorCost(
        requests=int(lag_ns.size),
        wall_s=wall_s,
        cpu_s=cpu_s,
        cpu_share=cpu_s / wall_s if wall_s > 0 else 0.0,
        loop_share=loop_share,
        lag_p50_ms=_quantile(lag_ms, 0.5),
        lag_p99_ms=_quantile(lag_ms, 0.99),
        lag_max_ms=_quantile(lag_ms, 1.0),
        late_p50_ms=_quantile(late_ms, 0.5),
        late_p99_ms=_quantile(late_ms, 0.99),
        late_max_ms=_quantile(late_ms, 1.0),
        stalls=sum(late > STALL_MS / 1e3 for late in late_s),
        allowed_p50_ms=allowed_ms[0.5],
        allowed_p99_ms=allowed_ms[0.99],
        unfit=unfit,
        caution=caution,
    )


def _delayed(
    lag_ms: NDArray[np.float64], late_ms: NDArray[np.float64], q: float, allowed_ms: float
) -> str | None:
    lag, late = _quantile(lag_ms, q), _quantile(late_ms, q)
    if lag is not None and lag > allowed_ms:
        return (
            f"{1 - q:.0%} of the requests went out at least {lag:.1f} ms later than planned; up "
            f"to {allowed_ms:.1f} ms would not count."
        )
    if late is not None and late > allowed_ms:
        return (
            f"For {1 - q:.0%} of the time the load generator was held up by at least {late:.1f} "
            f"ms, so that replies seem later than they were; up to {allowed_ms:.1f} ms would not "
            "count."
        )
    return None


def missed_ticks(late_s: Sequence[float]) -> NDArray[np.float64]:
    """All ticks' delays in seconds, with those that a late tick made the timer miss.

    **Formula**: a tick late by L stands for delays L, L - T, L - 2T, ... above 0, T the interval.
    """
    every: list[float] = []
    for late in late_s:
        left = late
        every.append(left)
        while (left := left - TICK_S) > 0:
            every.append(left)
    return np.array(every, dtype=np.float64)


def _quantile(values: NDArray[np.float64], q: float) -> float | None:
    return float(np.quantile(values, q)) if values.size >= 1 else None
