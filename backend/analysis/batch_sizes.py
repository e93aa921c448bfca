"""Executions by batch size as shares, so that candidates with different counts compare."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from backend.analysis.cells import ALL_LENGTHS
from backend.contracts.findings import CandidateFinding

COLUMNS = ("candidate", "batch_size", "executions", "share", "request_share")


def batch_shares(
    candidates: Iterable[CandidateFinding], *, cell: str, length_group: str = ALL_LENGTHS
) -> pd.DataFrame:
    """One row per candidate and batch size that came about.

    ``share`` is of the candidate's executions, ``request_share`` of the requests in them (a batch
    of 8 carries eight times as many as a batch of 1). Candidates without known batch sizes are
    left out.
    """
    rows: list[tuple[str, int, int, float, float]] = []
    for candidate in candidates:
        for group in candidate.groups:
            if (group.cell, group.length_group) != (cell, length_group):
                continue
            executions = sum(group.batch_sizes.values())
            requests = sum(size * n for size, n in group.batch_sizes.items())
            rows += [
                (candidate.name, size, n, n / executions, size * n / requests)
                for size, n in sorted(group.batch_sizes.items())
            ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def mean_batch_size(shares: pd.DataFrame, candidate: str) -> float | None:
    """Requests per execution of one candidate; null where its batch sizes are not known."""
    part = shares[shares["candidate"] == candidate]
    if part.empty:
        return None
    return float((part["batch_size"] * part["executions"]).sum() / part["executions"].sum())
