"""How full the batches were: executions by batch size, candidates side by side on one scale."""

from __future__ import annotations

import altair as alt
import pandas as pd

from backend.analysis.batch_sizes import mean_batch_size
from backend.analysis.wording import number
from backend.charts.palette import BACKGROUND, colour, ordered

_AXIS_PX = 70


def executions_by_batch_size(
    shares: pd.DataFrame, *, width: int = 700, height: int = 180
) -> alt.FacetChart | None:
    """Share of executions by number of requests in them, one panel per candidate.

    Args:
        shares: What ``analysis.batch_sizes.batch_shares`` gives.
        width: Of the whole chart, in pixels.
        height: Of a panel, in pixels.

    Returns:
        The chart, or null if no batch size is known.
    """
    if shares.empty:
        return None
    names = ordered(list(shares["candidate"].unique()))
    heads = {name: _head(shares, name) for name in names}
    frame = shares.assign(
        head=shares["candidate"].map(heads),
        text=[f"{share:.1%} of executions" for share in shares["share"]],
        carried=[f"{share:.1%} of requests" for share in shares["request_share"]],
    )
    sizes = list(range(1, int(frame["batch_size"].max()) + 1))
    panel = max(70, (width - _AXIS_PX) // len(names) - 14)
    every = max(1, -(-len(sizes) * 15 // panel))
    chart: alt.FacetChart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X(
                "batch_size:O",
                scale=alt.Scale(domain=sizes),
                axis=alt.Axis(
                    title="requests in the batch",
                    labelAngle=0,
                    values=[size for size in sizes if (size - 1) % every == 0],
                ),
            ),
            y=alt.Y(
                "share:Q",
                scale=alt.Scale(domain=[0, float(frame["share"].max())]),
                axis=alt.Axis(title="share of executions", format="%", tickCount=4),
            ),
            color=alt.Color(
                "candidate:N",
                scale=alt.Scale(domain=names, range=[colour(name) for name in names]),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("candidate:N"),
                alt.Tooltip("batch_size:O", title="requests in the batch"),
                alt.Tooltip("executions:Q", format=","),
                alt.Tooltip("text:N", title="share"),
                alt.Tooltip("carried:N", title="carrying"),
            ],
        )
        .properties(width=panel, height=height)
        .facet(
            column=alt.Column(
                "head:N",
                sort=[heads[name] for name in names],
                title=None,
                header=alt.Header(labelLimit=panel + 10, labelExpr="split(datum.value, '|')"),
            ),
            spacing=14,
        )
        .properties(background=BACKGROUND)
    )
    return chart


def _head(shares: pd.DataFrame, name: str) -> str:
    mean = mean_batch_size(shares, name)
    return name if mean is None else f"{name}|{number(mean)} per execution"


def executions_by_batch_size_sentence(shares: pd.DataFrame) -> str:
    """The chart's finding in one sentence: requests per execution by candidate."""
    if shares.empty:
        return "Batch sizes are not known."
    parts = []
    for name in ordered(list(shares["candidate"].unique())):
        part = shares[shares["candidate"] == name]
        mean = mean_batch_size(shares, name) or 0.0
        parts.append(f"{name} {number(mean)}, at most {int(part['batch_size'].max())}")
    return f"Requests per execution: {'; '.join(parts)}."
