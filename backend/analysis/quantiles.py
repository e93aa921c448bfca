"""Quantiles with a rule on how many samples they need.

**Method**: nearest rank. The quantile q of n values is the smallest measured value that at least
``ceil(q n)`` values do not exceed: always a value that was really measured, never between two
(numpy calls it ``inverted_cdf``). **Sample rule**: none unless ``n (1 - q) >= 10``, so that at
least ten samples lie beyond: p50 needs 20, p90 100, p99 1,000, p99.9 10,000 answered requests.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from backend.contracts.findings import Quantiles

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SAMPLES_BEYOND: Final = 10
"""Fewest samples that must lie beyond a quantile."""

PERMILLES: Final[dict[str, int]] = {"p50": 500, "p90": 900, "p99": 990, "p999": 999}
"""The quantiles shown, in thousandths: whole numbers, so that ranks are exact."""


def samples_needed(permille: int) -> int:
    """Fewest samples for which the sample rule allows this quantile."""
    return -(-SAMPLES_BEYOND * 1000 // (1000 - permille))


def rank(count: int, permille: int) -> int:
    """The nearest rank, from 1: ``ceil(count * permille / 1000)``."""
    return max(1, -(-count * permille // 1000))


def quantile(ordered: Floats, permille: int) -> float | None:
    """The quantile of values in ascending order, in their unit; null by the sample rule."""
    if len(ordered) < samples_needed(permille):
        return None
    return float(ordered[rank(len(ordered), permille) - 1])


def quantiles(ordered: Floats) -> Quantiles:
    """All quantiles of values in ascending order (milliseconds)."""
    return Quantiles(**{name: quantile(ordered, value) for name, value in PERMILLES.items()})
