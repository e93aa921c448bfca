"""How far a figure can be trusted: intervals from a bootstrap over rounds.

**The unit is the round.** Requests of one round share the server's load, its order of trials and
each other's queue: they are not independent, and resampling single requests would promise far
more than was measured. So whole rounds are drawn with replacement, and the figure is computed anew
from all requests of the drawn rounds; for two candidates the same rounds are drawn (they ran side
by side). The scatter inside rounds needs no second stage: it is already in how rounds differ.

**Interval**: with few rounds the bootstrap's own percentiles are too narrow (three rounds can give
no more than the range of three values, which misses one time in four). So the bootstrap gives the
standard error alone and Student's t with ``rounds - 1`` degrees of freedom the width:

    log(figure) ± t · se · sqrt(rounds / (rounds - 1))

on the logarithm, as times and ratios scale by factors (T. Hesterberg, *What Teachers Should Know
About the Bootstrap*, 2015: t interval with bootstrap standard error; the root corrects the
bootstrap's small-sample bias). Fewer than three rounds give no interval.

Up to seven rounds all possible draws are enumerated: no randomness. Beyond, 2,000 seeded draws.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Final

import numpy as np

from backend.analysis.quantiles import Floats, Integers, quantile
from backend.analysis.sample import Sample
from backend.contracts.findings import Interval

FEWEST_ROUNDS: Final = 3
LEVEL: Final = 0.95
_ENUMERATED_ROUNDS: Final = 7
_DRAWS: Final = 2000
_CLOCK_MS: Final = 1e-6
"""One nanosecond: the smallest time that the clocks tell, so a time of 0 has a logarithm."""

# Student's t, 97.5 % point, for 2 to 30 degrees of freedom (any statistical table)
_T: Final = (
    4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010,
    2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796,
    2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
)  # fmt: skip
_NORMAL: Final = 1.959964


def student_t(freedom: int) -> float:
    """The 97.5 % point of Student's t for two or more degrees of freedom."""
    if freedom - 2 < len(_T):
        return _T[freedom - 2]
    # first two terms of the Cornish-Fisher expansion: within 0.0001 beyond 30
    z = _NORMAL
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws of rounds with replacement: ``picks`` is [draws, rounds], ``weights`` add up to 1."""

    picks: Integers
    weights: Floats

    @property
    def counts(self) -> Integers:
        """How often each round was drawn: [draws, rounds]."""
        rounds = self.picks.shape[1]
        return np.stack([(self.picks == number).sum(axis=1) for number in range(rounds)], axis=1)


def draws(rounds: int, seed: int) -> Draws:
    """All distinct draws with their probabilities, or seeded ones where there are too many."""
    if rounds > _ENUMERATED_ROUNDS:
        picks = np.random.default_rng(seed).integers(0, rounds, (_DRAWS, rounds))
        return Draws(picks, np.full(_DRAWS, 1 / _DRAWS))
    picks = np.array(list(combinations_with_replacement(range(rounds), rounds)), dtype=np.int64)
    found = Draws(picks, np.empty(0))
    ways = [
        math.factorial(rounds) / math.prod(math.factorial(c) for c in row) for row in found.counts
    ]
    return Draws(picks, np.array(ways) / rounds**rounds)


def interval(estimate: float, drawn: Floats, given: Draws) -> Interval:
    """The interval around a positive figure from its values under each draw of rounds."""
    rounds = given.picks.shape[1]
    logs = np.log(np.maximum(drawn, _CLOCK_MS))
    mean = float(given.weights @ logs)
    error = math.sqrt(float(given.weights @ (logs - mean) ** 2) * rounds / (rounds - 1))
    centre, reach = math.log(max(estimate, _CLOCK_MS)), student_t(rounds - 1) * error
    return Interval(low=math.exp(centre - reach), high=math.exp(centre + reach), level=LEVEL)


def quantile_interval(sample: Sample, permille: int, seed: int) -> Interval | None:
    """Interval of a quantile; null with fewer than three rounds or by the sample rule."""
    estimate = quantile(sample.ordered, permille)
    if estimate is None or len(sample.by_round) < FEWEST_ROUNDS:
        return None
    given = draws(len(sample.by_round), seed)
    return interval(estimate, sample.drawn_quantile(permille, given.counts), given)


def median_interval(by_round: Mapping[int, float], seed: int) -> Interval | None:
    """Interval of the median of one positive figure per round; null with fewer than three."""
    if len(by_round) < FEWEST_ROUNDS:
        return None
    values = np.array([by_round[r] for r in sorted(by_round)])
    given = draws(len(values), seed)
    return interval(float(np.median(values)), np.median(values[given.picks], axis=1), given)


@dataclass(frozen=True)
class Ratio:
    """A figure of one candidate over another's, with the two values; ``rounds`` had both."""

    ratio: float
    interval: Interval | None
    value: float
    against: float
    rounds: int


def _ratio(value: float, against: float, drawn: Floats, given: Draws | None, rounds: int) -> Ratio:
    value, against = max(value, _CLOCK_MS), max(against, _CLOCK_MS)
    found = None if given is None else interval(value / against, drawn, given)
    return Ratio(value / against, found, value, against, rounds)


def quantile_ratio(one: Sample, other: Sample, permille: int, seed: int) -> Ratio | None:
    """Ratio of two candidates' quantiles over the rounds that both have, drawn in pairs.

    Null where a sample is too small for the quantile.
    """
    rounds = tuple(sorted(set(one.by_round) & set(other.by_round)))
    one, other = one.within(rounds), other.within(rounds)
    value, against = quantile(one.ordered, permille), quantile(other.ordered, permille)
    if value is None or against is None:
        return None
    if len(rounds) < FEWEST_ROUNDS:
        return _ratio(value, against, np.empty(0), None, len(rounds))
    given = draws(len(rounds), seed)
    counts = given.counts
    upper = np.maximum(one.drawn_quantile(permille, counts), _CLOCK_MS)
    lower = np.maximum(other.drawn_quantile(permille, counts), _CLOCK_MS)
    return _ratio(value, against, upper / lower, given, len(rounds))


def median_ratio(one: Mapping[int, float], other: Mapping[int, float], seed: int) -> Ratio | None:
    """Ratio of two candidates' medians over the rounds that both have, drawn in pairs."""
    rounds = sorted(set(one) & set(other))
    if not rounds:
        return None
    upper, lower = np.array([one[r] for r in rounds]), np.array([other[r] for r in rounds])
    value, against = float(np.median(upper)), float(np.median(lower))
    if len(rounds) < FEWEST_ROUNDS:
        return _ratio(value, against, np.empty(0), None, len(rounds))
    given = draws(len(rounds), seed)
    drawn = np.median(upper[given.picks], axis=1) / np.median(lower[given.picks], axis=1)
    return _ratio(value, against, drawn, given, len(rounds))
