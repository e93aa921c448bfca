"""Queue time and response time side by side: medians and tails of all candidates on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import pandas as pd

from backend.analysis.cells import ALL_LENGTHS, place_words
from backend.analysis.quantiles import PERMILLES, samples_needed
from backend.analysis.wording import count, listed, number
from backend.charts.axes import TimeScale
from backend.charts.palette import BACKGROUND, QUIET, colour, ordered
from backend.contracts.findings import ClassFinding, GroupFinding

SHOWN: Final = ("p50", "p90", "p99")
_SHAPES: Final = ("circle", "square", "triangle-up")
_INTERVALS: Final = "Line: 95 % interval over the rounds"
_NO_INTERVALS: Final = "No intervals: they need three rounds"
MEASURES: Final = {"queue": "Queue time", "response": "Response time"}
_LABELS_PX: Final = 130
_SPACE_PX: Final = 24
_ROW_PX: Final = 11


def queue_and_response(
    finding: ClassFinding,
    *,
    width: int = 700,
    cells: Sequence[str] | None = None,
    length_groups: Sequence[str] | None = None,
) -> alt.VConcatChart | None:
    """Queue time and response time (p50, p90, p99) by candidate, with their intervals.

    One row per cell and length group, queue time left, response time right, all on one scale.

    Args:
        finding: The class.
        width: Of the whole chart, in pixels.
        cells: Only these; all if not given.
        length_groups: Only these; all if not given.

    Returns:
        The chart, or null if no figure can be shown.
    """
    frame = figures(finding, cells, length_groups)
    if frame.empty:
        return None
    scale = TimeScale.over(
        float(frame["value"].min()),
        float(frame["value"].max()),
        float(frame["low"].min()),
        float(frame["high"].max()),
    )
    panel = max(120, (width - _LABELS_PX - _SPACE_PX) // 2)
    names = ordered(list(frame["candidate"].unique()))
    places = list(dict.fromkeys(frame["place"]))
    bounded = bool((frame["low"] < frame["high"]).any())
    rows = []
    for place in places:
        here = frame[frame["place"] == place]
        panels = [
            _panel(here, measure, scale, names, bounded=bounded).properties(width=panel)
            for measure in MEASURES
        ]
        head = alt.TitleParams(place, anchor="start", offset=6, fontSize=13, fontWeight="normal")
        rows.append(alt.hconcat(*panels, spacing=_SPACE_PX).properties(title=head))
    chart: alt.VConcatChart = alt.vconcat(*rows, spacing=18).properties(background=BACKGROUND)
    return chart


def _panel(
    here: pd.DataFrame, measure: str, scale: TimeScale, names: list[str], *, bounded: bool
) -> alt.LayerChart | alt.FacetChart:
    title = f"{MEASURES[measure].lower()} ({scale.words})"
    left = measure == next(iter(MEASURES))
    axis = alt.Axis(labelLimit=_LABELS_PX, labelOverlap=False, labelFlush=False) if left else None
    tooltip = [
        alt.Tooltip("candidate:N"),
        alt.Tooltip("quantile:N"),
        alt.Tooltip("text:N", title="milliseconds"),
        alt.Tooltip("n:Q", title="answered requests", format=","),
    ]
    base = alt.Chart(here[here["measure"] == MEASURES[measure]]).encode(
        y=alt.Y("candidate:N", scale=alt.Scale(domain=names), title=None, axis=axis),
        yOffset=alt.YOffset("quantile:N", scale=alt.Scale(domain=list(SHOWN))),
        color=alt.Color(
            "candidate:N",
            scale=alt.Scale(domain=names, range=[colour(name) for name in names]),
            legend=None,
        ),
        tooltip=tooltip,
    )
    x_axis = scale.axis(title, count=4)
    rules = base.mark_rule(strokeWidth=2, opacity=0.75, clip=True).encode(
        x=alt.X("low:Q", scale=scale.scale, axis=x_axis), x2="high:Q"
    )
    legend = alt.Legend(
        title=_INTERVALS if bounded else _NO_INTERVALS,
        orient="bottom",
        symbolFillColor=QUIET,
        symbolStrokeColor=QUIET,
        titleLimit=0,
    )
    points = base.mark_point(filled=True, size=46, opacity=1).encode(
        x=alt.X("value:Q", scale=scale.scale, axis=x_axis),
        shape=alt.Shape(
            "quantile:N",
            scale=alt.Scale(domain=list(SHOWN), range=list(_SHAPES)),
            legend=legend,
        ),
    )
    return alt.layer(rules, points).properties(height=len(names) * len(SHOWN) * _ROW_PX)


def figures(
    finding: ClassFinding,
    cells: Sequence[str] | None = None,
    length_groups: Sequence[str] | None = None,
) -> pd.DataFrame:
    """The rows behind the chart: one per candidate, cell, length group, measure and quantile."""
    rows = []
    for cell, group in _places(finding, cells, length_groups):
        groups = {
            candidate.name: part
            for candidate in finding.candidates
            for part in candidate.groups
            if (part.cell, part.length_group) == (cell, group)
        }
        place = _place(cell, group, list(groups.values()))
        for name, part in groups.items():
            for measure, title in MEASURES.items():
                for quantile in SHOWN:
                    row = _figure(part, measure, quantile)
                    if row is not None:
                        rows.append(
                            {
                                "candidate": name,
                                "cell": cell,
                                "place": place,
                                "measure": title,
                                "n": part.n,
                                **row,
                            }
                        )
    columns = [
        "candidate",
        "cell",
        "place",
        "measure",
        "n",
        "quantile",
        "value",
        "low",
        "high",
        "text",
    ]
    return pd.DataFrame(rows, columns=columns)


def _places(
    finding: ClassFinding, cells: Sequence[str] | None, length_groups: Sequence[str] | None
) -> list[tuple[str, str]]:
    """(cell, length group) in order; a lone length group is not shown beside ``all``."""
    seen = dict.fromkeys(
        (part.cell, part.length_group)
        for candidate in finding.candidates
        for part in candidate.groups
    )
    found = []
    for cell in dict.fromkeys(cell for cell, _ in seen):
        groups = [group for name, group in seen if name == cell]
        shown = groups if len(groups) > 2 else [ALL_LENGTHS]
        if length_groups is not None:
            shown = [group for group in shown if group in length_groups]
        if cells is None or cell in cells:
            found += [(cell, group) for group in shown]
    return found


def _place(cell: str, group: str, parts: Sequence[GroupFinding]) -> str:
    least, most = min(part.n for part in parts), max(part.n for part in parts)
    answers = count(most, "answer") if least == most else f"{least:,} to {most:,} answers"
    text = f"{place_words(cell, group)}, {answers}"
    missing = [name for name in SHOWN if least < samples_needed(PERMILLES[name])]
    return f"{text} (too few for {listed(missing)})" if missing else text


def _figure(part: GroupFinding, measure: str, quantile: str) -> dict[str, Any] | None:
    values = part.queue_ms if measure == "queue" else part.response_ms
    value: float | None = getattr(values, quantile)
    if value is None:
        return None
    interval = part.intervals.get(f"{measure}_{quantile}_ms")
    low, high = (value, value) if interval is None else (interval.low, interval.high)
    text = (
        number(value) if interval is None else f"{number(value)} ({number(low)} to {number(high)})"
    )
    return {"quantile": quantile, "value": value, "low": low, "high": high, "text": text}


def queue_and_response_sentence(
    finding: ClassFinding,
    *,
    cells: Sequence[str] | None = None,
    length_groups: Sequence[str] | None = None,
) -> str:
    """The chart's finding in one sentence: the tails of the last cell shown, by candidate."""
    frame = figures(finding, cells, length_groups)
    if frame.empty:
        return "No queue or response times can be shown yet."
    parts = []
    last_cell = frame["cell"].iloc[-1]
    # the first place of a cell is the one of all its sessions
    place = frame.loc[frame["cell"] == last_cell, "place"].iloc[0]
    for title in MEASURES.values():
        here = frame[(frame["place"] == place) & (frame["measure"] == title)]
        if here.empty:
            continue
        quantile = max(here["quantile"])
        tail = here[here["quantile"] == quantile]
        by_name = dict(zip(tail["candidate"], tail["value"], strict=True))
        values = [f"{name} {number(by_name[name])} ms" for name in ordered(list(by_name))]
        parts.append(f"{title.lower()} {quantile} is {listed(values)}")
    return f"{place}: {'; '.join(parts)}."
