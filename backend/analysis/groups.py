"""Figures per cell and length group, short sessions apart from long ones (M29, M32)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from backend.analysis.figures import FIGURES, THROUGHPUT
from backend.analysis.quantiles import quantiles
from backend.analysis.requests import Arrivals, Requests
from backend.analysis.uncertainty import median_interval, quantile_interval
from backend.contracts.findings import GroupFinding, Interval


def group_findings(
    tables: pd.DataFrame, *, arrivals: Arrivals = "closed_loop", seed: int = 0
) -> tuple[GroupFinding, ...]:
    """Figures of every group of one candidate; per cell first ``all``, then each length group.

    Args:
        tables: Rows of the requests table, all trials of one candidate of one class.
        arrivals: Response time counts from sending in a closed loop, and from the scheduled time
            in an open loop (a send that came late is part of what the caller waited).
        seed: For the draws of rounds, where there are more than seven.

    Raises:
        InputError: if a cell's name cannot be read, or a length group is called ``all``.
    """
    return requests_groups(Requests(tables, arrivals), seed=seed)


def requests_groups(requests: Requests, *, seed: int = 0) -> tuple[GroupFinding, ...]:
    """The same from requests that are already cut into groups."""
    return tuple(_group(requests, cell, group, seed) for cell, group in requests.groups)


def _group(requests: Requests, cell: str, length_group: str, seed: int) -> GroupFinding:
    rows = requests.rows(cell, length_group)
    throughput = requests.throughput(cell, length_group)
    intervals: dict[str, Interval | None] = {}
    for name, figure in FIGURES.items():
        if figure.quantity is None:
            continue
        sample = requests.sample(cell, length_group, figure.quantity)
        intervals[name] = quantile_interval(sample, figure.permille, seed)
    intervals[THROUGHPUT.name] = median_interval(throughput, seed)
    return GroupFinding(
        cell=cell,
        length_group=length_group,
        n=int(requests.answered[rows].sum()),
        rounds=len(np.unique(requests.rounds[rows])),
        outcomes=requests.outcomes(cell, length_group),
        queue_ms=quantiles(requests.sample(cell, length_group, "queue").ordered),
        response_ms=quantiles(requests.sample(cell, length_group, "response").ordered),
        compute_ms=quantiles(requests.sample(cell, length_group, "compute").ordered),
        start_wait_ms=quantiles(requests.sample(cell, length_group, "start_wait").ordered),
        intervals=intervals,
        batch_sizes=requests.batch_sizes(cell, length_group),
        throughput_per_s=float(np.median(list(throughput.values()))) if throughput else None,
    )
