"""Decision lanes: what each caller was told alone and interleaved, for two candidates."""

from __future__ import annotations

import json
from typing import cast

import altair as alt
import pandas as pd

from backend.analysis.decisions import DecisionLanes
from backend.analysis.wording import count, listed
from backend.charts.palette import BACKGROUND, QUIET, WRONG, WRONG_TOO

_LABELS_PX = 110
_LANE_PX = 15
_AROUND_PX = 190
_CHANGES = "changes"
_LINE = "M-1,-0.15L1,-0.15L1,0.15L-1,0.15Z"
"""A lying bar as symbol: the thin line of the other decision."""


def decision_lanes(*sides: DecisionLanes, width: int = 700) -> alt.HConcatChart | None:
    """Two lanes per caller: alone (the reference) above, interleaved below; one panel a candidate.

    The first decision is a thick bar, the other a thin line; a changed one has a colour of its own
    and a triangle below: up where it became the first, down where the other. All panels share
    the callers' order and the scale of time. Where there was no reply, nothing is drawn.

    Args:
        sides: One or two candidates' lanes, on the same callers.
        width: Of the whole chart, in pixels.

    Returns:
        The chart, or null if there are no decisions.
    """
    shown = [side for side in sides if not side.segments.empty]
    if not shown:
        return None
    first = shown[0]
    lanes, labels = _rows(list(dict.fromkeys(title for side in shown for title in side.titles)))
    end = max(float(side.segments["end"].max()) for side in shown)
    domain = _words(first)
    panel = max(140, (width - _LABELS_PX - 20 * (len(shown) - 1)) // len(shown) - 8)
    panels = [
        _panel(side, lanes, labels, domain, end, panel, number == 0)
        for number, side in enumerate(shown)
    ]
    chart: alt.HConcatChart = alt.hconcat(*panels, spacing=20).properties(background=BACKGROUND)
    return chart


def decision_panel(side: DecisionLanes, *, until: float | None = None) -> alt.LayerChart | None:
    """One candidate's lanes by themselves, as wide as their container: for columns of a page.

    Args:
        side: The candidate's lanes.
        until: Where the scale of time ends, so that panels beside each other share it.

    Returns:
        The chart, or null if there are no decisions.
    """
    if side.segments.empty:
        return None
    lanes, labels = _rows(list(side.titles))
    end = float(side.segments["end"].max()) if until is None else until
    panel = _panel(side, lanes, labels, _words(side), end, _LABELS_PX, True, legend_columns=1)
    # a chart that follows its container has its heading, axis and legend inside its height
    height = len(lanes) * _LANE_PX + _AROUND_PX
    return cast(
        alt.LayerChart,
        panel.properties(width="container", height=height, background=BACKGROUND),
    )


def _words(side: DecisionLanes) -> list[str]:
    return [
        side.positive,
        side.negative,
        f"changed to {side.positive}",
        f"changed to {side.negative}",
    ]


def _rows(titles: list[str]) -> tuple[list[str], dict[str, str]]:
    """Names of the rows and their labels; below each caller a row for the marks of changes."""
    lanes: list[str] = []
    labels: dict[str, str] = {}
    for title in titles:
        for lane, label in (
            ("alone", f"{title} alone"),
            ("interleaved", "interleaved"),
            (_CHANGES, ""),
        ):
            name = f"{title}|{lane}"
            lanes.append(name)
            labels[name] = label
    return lanes, labels


def _panel(
    side: DecisionLanes,
    lanes: list[str],
    labels: dict[str, str],
    domain: list[str],
    end: float,
    width: int,
    is_first: bool,
    legend_columns: int = 2,
) -> alt.LayerChart | alt.FacetChart:
    part = side.segments
    frame = pd.DataFrame(
        {
            "row": part["title"] + "|" + part["lane"],
            "caller": part["title"],
            "lane": part["lane"],
            "start": part["start"],
            "end": part["end"],
            "mark_row": part["title"] + f"|{_CHANGES}",
            "middle": (part["start"] + part["end"]) / 2,
            "steps": part["steps"],
            "decision": part["decision"],
            "flipped": part["flipped"],
            "what": part["decision"].where(~part["flipped"], "changed to " + part["decision"]),
        }
    )
    y = alt.Y(
        "row:N",
        title=None,
        scale=alt.Scale(domain=lanes, paddingInner=0.1, paddingOuter=0),
        axis=alt.Axis(
            labelLimit=_LABELS_PX,
            labelOverlap=False,
            labelFlush=False,
            labelExpr=f"{json.dumps(labels)}[datum.value]",
        )
        if is_first
        else None,
    )
    unit = "seconds of the recording" if side.unit == "s" else f"{side.unit} of the session"
    x = alt.X(
        "start:Q",
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(title=unit, tickCount=5, grid=False),
    )
    legend = alt.Legend(orient="bottom", title=None, columns=legend_columns, labelLimit=0)
    colours = alt.Color(
        "what:N",
        scale=alt.Scale(domain=domain, range=[QUIET, QUIET, WRONG, WRONG_TOO]),
        legend=legend,
    )
    shapes = alt.Shape(
        "what:N",
        scale=alt.Scale(domain=domain, range=["square", _LINE, "triangle-up", "triangle-down"]),
        legend=legend,
    )
    tooltip = [
        alt.Tooltip("caller:N"),
        alt.Tooltip("lane:N"),
        alt.Tooltip("what:N", title="told"),
        alt.Tooltip("start:Q", title=f"from ({side.unit})", format=".4g"),
        alt.Tooltip("steps:Q", title=f"{side.step_noun}s"),
    ]
    base = alt.Chart(frame).encode(x=x, x2="end:Q", y=y, color=colours, tooltip=tooltip)
    first, other = json.dumps(side.positive), json.dumps(side.negative)
    thick = base.transform_filter(f"datum.decision == {first} || datum.flipped").mark_bar(
        height={"band": 0.9}
    )
    thin = base.transform_filter(f"datum.decision == {other} && !datum.flipped").mark_bar(height=2)
    marks = (
        alt.Chart(frame)
        .transform_filter("datum.flipped")
        .mark_point(filled=True, size=34, opacity=1)
        .encode(x="middle:Q", y="mark_row:N", color=colours, shape=shapes, tooltip=tooltip)
    )
    head = f"{side.candidate}: {side.flipped:,} of {count(side.judged, side.step_noun)} changed"
    return alt.layer(thin, thick, marks).properties(
        title=alt.TitleParams(head, anchor="start", offset=8, fontSize=14),
        width=width,
        height=len(lanes) * _LANE_PX,
    )


def decision_lanes_sentence(*sides: DecisionLanes) -> str:
    """The chart's finding in one sentence: how many decisions changed, and for whom most."""
    parts = []
    for side in sides:
        text = f"{side.candidate} changed {side.flipped:,} of {count(side.judged, side.step_noun)}"
        if side.flipped:
            most = max(side.flipped_by_session.items(), key=lambda item: item[1])
            order = list(side.flipped_by_session)
            title = side.titles[order.index(most[0])]
            text += f" between {side.positive} and {side.negative}, most for {title} ({most[1]:,})"
        if side.left_out:
            text += f" (the last {side.left_out:,} stretches are not drawn)"
        parts.append(text)
    return f"{listed(parts)}." if parts else "There are no decisions to show."
