"""The percentile spectrum: how far the tail reaches, and how far it can be believed."""

from __future__ import annotations

import altair as alt

from backend.analysis.cells import place_words
from backend.analysis.figures import QUANTITIES
from backend.analysis.spectrum import Spectra
from backend.analysis.wording import count, listed, number
from backend.charts.axes import TimeScale
from backend.charts.palette import BACKGROUND, colour, dash, ordered, shape

_TICKS = {
    1: "min",
    2: "p50",
    10: "p90",
    100: "p99",
    1000: "p99.9",
    10000: "p99.99",
    100000: "p99.999",
}


def percentile_spectrum(
    spectra: Spectra, *, height: int = 420
) -> alt.LayerChart | alt.FacetChart | None:
    """Every percentile of one quantity by candidate, on the axis 1 / (1 - p).

    A line fades where fewer than ten samples lie beyond, and a mark stands at that limit. Takes
    the width of its container.

    Returns:
        The chart, or null if there is nothing measured.
    """
    if spectra.frame.empty:
        return None
    names = ordered(list(spectra.counts))
    labels = {name: f"{name} (n = {spectra.counts[name]:,})" for name in names}
    trusted = spectra.frame[~spectra.frame["past_limit"].astype(bool)]
    frame = spectra.frame.assign(
        at_limit=spectra.frame.index.isin(trusted.groupby("candidate").tail(1).index),
        label=spectra.frame["candidate"].map(labels),
        text=[f"p{value:.6g}" for value in spectra.frame["percentile"]],
    )
    domain = [labels[name] for name in names]
    least, most = float(frame["value_ms"].min()), float(frame["value_ms"].max())
    scale = TimeScale.over(least, most, least, most)
    title = QUANTITIES[spectra.quantity]
    legend = alt.Legend(
        orient="bottom",
        title=None,
        labelLimit=0,
        columns=2,
        symbolType="stroke",
        symbolSize=500,
        symbolStrokeWidth=2.5,
        symbolOpacity=1,
    )
    x = alt.X(
        "beyond:Q",
        scale=alt.Scale(type="log", domain=[1, float(frame["beyond"].max())], nice=False),
        axis=alt.Axis(
            title="percentile p, drawn at 1 / (1 − p)",
            values=list(_TICKS),
            labelExpr=f"{_expression(_TICKS)}[datum.value]",
        ),
    )
    y = alt.Y("value_ms:Q", scale=scale.scale, axis=scale.axis(f"{title} ({scale.words})"))
    tooltip = [
        alt.Tooltip("candidate:N"),
        alt.Tooltip("text:N", title="percentile"),
        alt.Tooltip("value_ms:Q", title="milliseconds", format=".3g"),
    ]
    colours = alt.Color(
        "label:N",
        scale=alt.Scale(domain=domain, range=[colour(name) for name in names]),
        legend=legend,
    )
    dashes = alt.StrokeDash(
        "label:N",
        scale=alt.Scale(domain=domain, range=[dash(name) for name in names]),
        legend=legend,
    )
    base = alt.Chart(frame).encode(x=x, y=y, color=colours, tooltip=tooltip)
    lines = base.encode(strokeDash=dashes)
    # a colour and a dash share the legend; the shape at the limit stands for the same candidate
    shapes = alt.Shape(
        "candidate:N",
        scale=alt.Scale(domain=names, range=[shape(name) for name in names]),
        legend=None,
    )
    layered = alt.layer(
        lines.transform_filter("datum.past_limit || datum.at_limit").mark_line(
            interpolate="step-after", strokeWidth=1.5, opacity=0.45
        ),
        lines.transform_filter("!datum.past_limit").mark_line(
            interpolate="step-after", strokeWidth=2.5
        ),
        base.transform_filter("datum.at_limit")
        .mark_point(filled=True, size=90, opacity=1)
        .encode(shape=shapes),
    )
    return layered.properties(width="container", height=height, background=BACKGROUND)


def _expression(ticks: dict[int, str]) -> str:
    return "{" + ", ".join(f"'{value}': '{label}'" for value, label in ticks.items()) + "}"


def percentile_spectrum_sentence(spectra: Spectra) -> str:
    """The chart's finding in one sentence: each candidate's value at its limit."""
    if spectra.frame.empty:
        return "No times were measured, so there is no spectrum."
    parts = []
    for name in ordered(list(spectra.counts)):
        part = spectra.frame[spectra.frame["candidate"] == name]
        trusted = part[~part["past_limit"].astype(bool)]
        answers = count(spectra.counts[name], "answer")
        if trusted.empty:
            parts.append(f"{name} has only {answers}")
            continue
        last = trusted.iloc[-1]
        parts.append(
            f"{name} {number(last['value_ms'])} ms at p{last['percentile']:.4g} of {answers}"
        )
    place = place_words(spectra.cell, spectra.length_group)
    return (
        f"{place}: {QUANTITIES[spectra.quantity]} at the last percentile with ten answers beyond: "
        f"{listed(parts)}."
    )
