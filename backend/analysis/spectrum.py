"""The percentile spectrum: every percentile of a quantity, on the axis 1 / (1 - p).

On that axis each step to the right (10, 100, 1,000) is one more nine. Past n / 10 fewer than ten
samples lie beyond a point: it may be drawn, but it says little, and is marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from backend.analysis.cells import ALL_LENGTHS
from backend.analysis.figures import Quantity
from backend.analysis.quantiles import SAMPLES_BEYOND, Floats
from backend.analysis.requests import Arrivals, Requests


@dataclass(frozen=True, eq=False)
class Spectra:
    """One spectrum per candidate, in one cell and length group.

    Attributes:
        frame: ``candidate, beyond`` (= 1 / (1 - p)), ``percentile, value_ms, past_limit``.
        counts: Answered requests by candidate.
        limits: By candidate: where ten samples lie beyond, n / 10.
        quantity: What is measured.
        cell: The cell.
        length_group: The length group.
    """

    frame: pd.DataFrame
    counts: Mapping[str, int]
    limits: Mapping[str, float]
    quantity: Quantity
    cell: str
    length_group: str


def spectra(
    tables: Mapping[str, pd.DataFrame],
    *,
    cell: str,
    length_group: str = ALL_LENGTHS,
    quantity: Quantity = "response",
    arrivals: Arrivals = "closed_loop",
    points_per_decade: int = 24,
) -> Spectra:
    """The spectra of several candidates; one without a measured request is left out.

    Args:
        tables: By candidate: rows of the requests table.
        cell: The cell.
        length_group: The length group.
        quantity: What is measured, in milliseconds.
        arrivals: Where response time starts (see ``group_findings``).
        points_per_decade: Points drawn per factor of ten on the axis.
    """
    frames, counts, limits = [], {}, {}
    for candidate, table in tables.items():
        values = Requests(table, arrivals).sample(cell, length_group, quantity).ordered
        if len(values) == 0:
            continue
        counts[candidate] = len(values)
        limits[candidate] = len(values) / SAMPLES_BEYOND
        frames.append(spectrum(values, points_per_decade).assign(candidate=candidate))
    columns = ["candidate", "beyond", "percentile", "value_ms", "past_limit"]
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)
    return Spectra(frame[columns], counts, limits, quantity, cell, length_group)


def spectrum(ordered: Floats, points_per_decade: int = 24) -> pd.DataFrame:
    """The spectrum of values in ascending order, from the smallest to the largest.

    The last point is the largest value, at 1 / (1 - p) = n.
    """
    n = len(ordered)
    steps = max(2, round(np.log10(n) * points_per_decade) + 1) if n > 1 else 1
    ranks = np.unique(np.ceil(n * (1 - 1 / np.geomspace(1, n, steps)))).astype(np.int64)
    ranks = np.unique(np.clip(np.append(ranks, n), 1, n))
    # the value of rank k is exceeded by n - k samples; the largest by none: drawn at n
    beyond = n / np.maximum(1, n - ranks)
    frame = pd.DataFrame({"beyond": beyond, "value_ms": ordered[ranks - 1]})
    frame["percentile"] = 100 * (1 - 1 / frame["beyond"])
    frame["past_limit"] = frame["beyond"] > n / SAMPLES_BEYOND
    return frame.drop_duplicates("beyond", keep="last").reset_index(drop=True)
