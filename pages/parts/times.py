"""What the candidates cost: queue and response time with intervals, tails, batch sizes."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from backend.analysis.batch_sizes import batch_shares
from backend.analysis.cells import ALL_LENGTHS, group_words
from backend.analysis.spectrum import spectra
from backend.charts.batches import executions_by_batch_size, executions_by_batch_size_sentence
from backend.charts.spectrum import percentile_spectrum, percentile_spectrum_sentence
from backend.charts.tail import queue_and_response, queue_and_response_sentence
from backend.contracts.findings import ClassFinding, GroupFinding, Interval
from backend.studies.results import OpenedRun
from pages.parts import errors, linked, opened
from pages.parts.figures import milliseconds, number
from pages.parts.glossary import term
from pages.parts.words import plain

WIDTH = 640
"""Of charts with several panels, which cannot follow their container: fits 1024 pixels."""

MOST_CLAIMED = 6

OUTCOMES = {
    "better": ":green[:material/trending_down: better]",
    "worse": ":red[:material/trending_up: worse]",
    "not_distinguishable": ":gray[:material/equal: not distinguishable]",
    "not_shown": ":gray[:material/help: not shown]",
}


def view(run: OpenedRun, name: str, found: ClassFinding, cell: str) -> None:
    """Everything on times and batches of one class in one cell."""
    with errors.shown():
        tails(found, cell)
    with errors.shown():
        spectrum(run, name, found, cell)
    with errors.shown():
        batches(found, cell)
    with errors.shown():
        table(found, cell)


def tails(found: ClassFinding, cell: str) -> None:
    """Queue and response time of all candidates on one scale."""
    st.subheader(
        "Queue time and response time", anchor=False, help=term("queue time", "response time")
    )
    chart = queue_and_response(found, width=WIDTH, cells=[cell])
    if chart is None:
        st.caption(
            "No time can be shown in this cell yet: a median needs 20 answered requests, p99 1,000."
        )
        return
    sentence = queue_and_response_sentence(found, cells=[cell])
    st.markdown(plain(sentence))
    # beside each other where there is room, else below each other
    with st.container(horizontal=True, gap="medium"):
        st.altair_chart(chart, width="content", alt=sentence)
        with st.container(width="stretch"):
            comparisons(found, cell)


def spectrum(run: OpenedRun, name: str, found: ClassFinding, cell: str) -> None:
    """Every percentile of one quantity."""
    st.subheader("How far the tail reaches", anchor=False)
    groups = dict.fromkeys(
        group.length_group for item in found.candidates for group in item.groups
        if group.cell == cell
    )  # fmt: skip
    if not groups:
        st.caption("No request was answered in this cell.")
        return
    # a lone length group is all sessions
    shown = list(groups) if len(groups) > 2 else [ALL_LENGTHS]
    left, right = st.columns(2)
    with left:
        quantity = linked.one_of(
            "Time", ["response", "queue"], "time", format_func=lambda word: f"{word} time"
        )
    with right:
        group = linked.one_of("Sessions", shown, "group", format_func=group_words)
    tables = {
        item.name: opened.requests(run, name, item.name) for item in found.candidates if item.trials
    }
    data = spectra(
        {key: frame for key, frame in tables.items() if len(frame)},
        cell=cell,
        length_group=group,
        quantity="queue" if quantity == "queue" else "response",
    )
    chart = percentile_spectrum(data)
    sentence = percentile_spectrum_sentence(data)
    st.markdown(plain(sentence))
    if chart is not None:
        st.altair_chart(chart, alt=sentence)
        st.caption(
            "Each step to the right is one more nine. A mark stands where ten requests lie beyond; "
            "past it a line is fainter: it says little."
        )


def batches(found: ClassFinding, cell: str) -> None:
    """How full the batches were."""
    st.subheader("Batch sizes", anchor=False)
    shares = batch_shares(found.candidates, cell=cell)
    chart = executions_by_batch_size(shares, width=WIDTH)
    sentence = executions_by_batch_size_sentence(shares)
    st.markdown(plain(sentence))
    if chart is not None:
        st.altair_chart(chart, width="content", alt=sentence)


def comparisons(found: ClassFinding, cell: str) -> None:
    """Differences that are claimed; those that are not are counted and one click away."""
    rows = [item for item in found.comparisons if item.cell == cell]
    if not rows:
        return
    st.markdown("**Differences**")
    st.caption("A difference is claimed only where its interval leaves no doubt.")
    claimed = [item for item in rows if item.outcome in ("better", "worse")]
    for item in claimed[:MOST_CLAIMED]:
        st.markdown(f"- {OUTCOMES[item.outcome]}: {plain(item.sentence)}")
    if not claimed:
        st.markdown("None can be claimed in this cell.")
    rest = [item for item in rows if item not in claimed[:MOST_CLAIMED]]
    if rest:
        with st.expander(f"All other comparisons ({len(rest)})", icon=":material/equal:"):
            for item in rest:
                st.markdown(f"- {OUTCOMES[item.outcome]}: {plain(item.sentence)}")


def table(found: ClassFinding, cell: str) -> None:
    """The figures behind the charts."""
    rows = [
        _row(item.name, group)
        for item in found.candidates
        for group in item.groups
        if group.cell == cell
    ]
    if not rows:
        return
    with st.expander("The figures as a table", icon=":material/table:"):
        st.caption(
            "Milliseconds. A quantile is absent where fewer than ten requests lie beyond it; an "
            "interval needs three rounds."
        )
        st.dataframe(pd.DataFrame(rows), hide_index=True)


def _row(candidate: str, group: GroupFinding) -> dict[str, Any]:
    row: dict[str, Any] = {
        "Candidate": candidate,
        "Sessions": group_words(group.length_group),
        "Answered": group.n,
        "Rounds": group.rounds,
    }
    for title, key, values in (
        ("queue", "queue", group.queue_ms),
        ("start wait", "start_wait", group.start_wait_ms),
        ("compute", "compute", group.compute_ms),
        ("response", "response", group.response_ms),
    ):
        for quantile, value in values.model_dump().items():
            shown = quantile.replace("p999", "p99.9")
            interval = group.intervals.get(f"{key}_{quantile}_ms")
            row[f"{title} {shown}"] = _with(value, interval)
    row["per second"] = None if group.throughput_per_s is None else number(group.throughput_per_s)
    others = {key: n for key, n in group.outcomes.items() if key != "ok" and n}
    row["other outcomes"] = ", ".join(f"{n} {key}" for key, n in others.items())
    return row


def _with(value: float | None, interval: Interval | None) -> str:
    if value is None or interval is None:
        return milliseconds(value).removesuffix(" ms")
    return f"{number(value)} ({number(interval.low)} to {number(interval.high)})"
