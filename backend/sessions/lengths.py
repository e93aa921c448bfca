"""How long sessions are: shares of a mix apportioned to whole sessions, lengths drawn."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from backend.workload.traffic import LengthGroup


def apportion(total: int, shares: Sequence[float]) -> tuple[int, ...]:
    """Whole numbers that add up to ``total``, as close to the shares as can be.

    Largest remainder method (Hamilton): each gets the whole part of its quota, what is left goes
    to the largest remainders, the earlier share first where they are equal. Shares count as the
    decimals they were written as, so that 0.29 of 100 is 29 and not 28.999….
    """
    exact = [Fraction(repr(share)) for share in shares]
    quotas = [total * share / sum(exact) for share in exact]
    counts = [int(quota) for quota in quotas]
    by_remainder = sorted(range(len(quotas)), key=lambda i: counts[i] - quotas[i])
    for index in by_remainder[: total - sum(counts)]:
        counts[index] += 1
    return tuple(counts)


def draw_lengths(
    groups: Sequence[LengthGroup], counts: Sequence[int], draws: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The group and the length of each session, in shuffled order.

    Returns:
        Two arrays with one element per session: index of its group, its number of steps (uniform
        over the group's inclusive range).
    """
    group_of = np.repeat(np.arange(len(groups), dtype=np.int64), counts)
    draws.shuffle(group_of)
    lows = np.array([group.steps[0] for group in groups], dtype=np.int64)
    highs = np.array([group.steps[1] for group in groups], dtype=np.int64)
    lengths = draws.integers(lows[group_of], highs[group_of], endpoint=True)
    return group_of, np.asarray(lengths, dtype=np.int64)
