"""Lanes over time: whose context each session was answered from; what each caller was told."""

from __future__ import annotations

import json
from typing import Any

import altair as alt

from backend.analysis.cells import cell_words
from backend.analysis.lanes import SessionLanes
from backend.analysis.wording import count, number
from backend.charts.palette import BACKGROUND, KINDS

_LANE_PX = 22
_FRAME_PX = 105
_LEGEND_ROW_PX = 22
_LEGEND_COLUMNS = 3
_SECONDS_FROM_MS = 5000


def context_lanes(data: SessionLanes) -> alt.LayerChart | None:
    """One lane per session over time; each wrong reply marked by the kind of context it used.

    The session's name and its count of wrong replies stand left, what its first wrong reply used
    right; every mark tells its own in the tooltip. Takes the width of its container.

    Returns:
        The chart, or null if no request was sent.
    """
    if data.marks.empty:
        return None
    seconds = data.total_ms > _SECONDS_FROM_MS
    scale, unit = (1000, "s") if seconds else (1, "ms")
    kinds = [kind for kind in KINDS if kind in set(data.marks["kind"])]
    words = {kind: KINDS[kind][0] for kind in kinds}
    frame = data.marks.assign(
        start=data.marks["start_ms"] / scale,
        end=data.marks["end_ms"] / scale,
        middle=(data.marks["start_ms"] + data.marks["end_ms"]) / 2 / scale,
        context=data.marks["kind"].map(words),
        steps=[
            str(first) if first == last else f"{first} to {last}"
            for first, last in zip(data.marks["first_step"], data.marks["last_step"], strict=True)
        ],
    )
    titles = [lane.title for lane in data.lanes]
    left = {
        lane.title: f"{lane.title}: {lane.wrong:,} wrong" if lane.wrong else lane.title
        for lane in data.lanes
    }
    right = {lane.title: lane.first_wrong for lane in data.lanes}
    y_scale = alt.Scale(type="band", domain=titles, paddingInner=0.35, paddingOuter=0.2)
    y = alt.Y(
        "title:N",
        scale=y_scale,
        sort=titles,
        title=None,
        axis=alt.Axis(
            labelLimit=160,
            labelOverlap=False,
            labelFlush=False,
            labelExpr=f"{json.dumps(left)}[datum.value]",
        ),
    )
    x = alt.X(
        "start:Q",
        scale=alt.Scale(domain=[0, data.shown_ms / scale], nice=False),
        axis=alt.Axis(title=f"time since the first request ({unit})", tickCount=6, grid=False),
    )
    domain = [words[kind] for kind in kinds]
    legend = alt.Legend(
        orient="bottom",
        title="Answered from",
        labelLimit=0,
        columns=_LEGEND_COLUMNS,
        symbolOpacity=1,
    )
    colours = alt.Color(
        "context:N",
        scale=alt.Scale(domain=domain, range=[KINDS[kind][1] for kind in kinds]),
        legend=legend,
    )
    tooltip = [
        alt.Tooltip("title:N", title="lane"),
        alt.Tooltip("steps:N", title="step"),
        alt.Tooltip("label:N", title="answered from"),
        alt.Tooltip("start:Q", title=f"sent at ({unit})", format=".4g"),
        alt.Tooltip("end:Q", title=f"answered at ({unit})", format=".4g"),
    ]
    bars = (
        alt.Chart(frame)
        .mark_bar(clip=True, opacity=0.8)
        .encode(x=x, x2="end:Q", y=y, color=colours, tooltip=tooltip)
    )
    points = (
        alt.Chart(frame[frame["symbol"].astype(bool)])
        .mark_point(filled=True, size=36, opacity=0.95, clip=True)
        .encode(
            x=alt.X("middle:Q"),
            y=y,
            color=colours,
            shape=alt.Shape(
                "context:N",
                scale=alt.Scale(domain=domain, range=[KINDS[kind][2] for kind in kinds]),
                legend=legend,
            ),
            tooltip=tooltip,
        )
    )
    layers: list[Any] = [alt.layer(bars, points)]
    if data.wrong:
        firsts = (
            alt.Chart(frame.drop_duplicates("title"))
            .mark_point(opacity=0)
            .encode(
                y=alt.Y(
                    "title:N",
                    scale=y_scale,
                    sort=titles,
                    title="first wrong reply",
                    axis=alt.Axis(
                        orient="right",
                        labelLimit=240,
                        labelOverlap=False,
                        labelFlush=False,
                        labelExpr=f"{json.dumps(right)}[datum.value]",
                        titleAngle=0,
                        titleAnchor="start",
                        titleAlign="left",
                        titleX=10,
                        titleY=-10,
                    ),
                )
            )
        )
        layers.append(firsts)
    # the height holds axis and legend too: a single chart is fitted into it
    legend_rows = -(-len(kinds) // _LEGEND_COLUMNS)
    height = len(titles) * _LANE_PX + _FRAME_PX + legend_rows * _LEGEND_ROW_PX
    chart: alt.LayerChart = (
        alt.layer(*layers)
        .resolve_scale(y="independent")
        .properties(width="container", height=height, background=BACKGROUND)
    )
    return chart


def context_lanes_sentence(data: SessionLanes) -> str:
    """The chart's finding in one sentence: how many replies were wrong, and an example."""
    place = f"{data.candidate}, {cell_words(data.cell)}, trial {data.trial}"
    replies = count(data.replies, "reply", "replies")
    if data.wrong == 0:
        text = f"{place}: no reply of {data.replies:,} departs from its session's own history"
    else:
        worst = max(data.lanes, key=lambda lane: lane.wrong)
        text = (
            f"{place}: {data.wrong:,} of {replies} do not follow from their session's own "
            f"history; {worst.title} has {worst.wrong:,} of them, the first at {worst.first_wrong}"
        )
    if data.shown_ms < data.total_ms:
        text += f"; the chart ends at {number(data.shown_ms)} of {number(data.total_ms)} ms"
    if data.lanes_left_out:
        text += f"; {count(data.lanes_left_out, 'session')} with fewer wrong replies not drawn"
    return text + "."
