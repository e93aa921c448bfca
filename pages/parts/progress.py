"""A run's progress: counters only, read from its directory once a second while it runs."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from backend.contracts.run_directory import RunDirectory
from backend.studies.launch import request_stop, stop_requested
from backend.studies.progress import RunProgress, read_progress
from pages.parts import errors, verdicts
from pages.parts.figures import count, duration
from pages.parts.words import plain


def watch(run: RunDirectory, *, when_over: Callable[[], None] | None = None) -> RunProgress:
    """Show how far a run is; returns the state of this moment.

    While it runs, only this part polls (once a second). At its end the whole page runs once more,
    after ``when_over`` (a change of page, say).
    """
    now = read_progress(run)
    if now.is_over:
        _over(now)
        return now

    @st.fragment(run_every=1)
    @errors.guarded
    def poll() -> None:
        latest = read_progress(run)
        if latest.is_over:
            if when_over is not None:
                when_over()
            st.rerun()
        _live(run, latest)

    poll()
    return now


def _live(run: RunDirectory, now: RunProgress) -> None:
    with st.container(border=True):
        st.markdown(f"{verdicts.state(now.state).text()} · **{plain(now.phase)}**")
        finished = now.trials_done + now.trials_failed
        share = finished / now.trials_planned if now.trials_planned else 0.0
        st.progress(
            min(1.0, share), text=f"{finished} of {count(now.trials_planned, 'trial')} done"
        )
        _counters(now)
        asked = stop_requested(run)
        if st.button(
            "Stopping after what is measured is saved" if asked else "Stop the run",
            icon=":material/stop_circle:",
            disabled=asked,
            key=f"progress_stop_{run.name}",
            help="The worker saves what it has measured, ends its server and marks the run as "
            "interrupted. Finished trials stay usable.",
        ):
            request_stop(run)
            st.rerun(scope="fragment")


def _counters(now: RunProgress) -> None:
    first, second, third, fourth, fifth = st.columns(5)
    first.metric("Elapsed", duration(now.elapsed_s))
    second.metric(
        "Ends in about",
        "–" if now.remaining_s is None else duration(now.remaining_s),
        help="From the trials finished so far; unknown before the first one has ended.",
    )
    counters = now.counters
    third.metric(
        "Requests sent",
        "–" if counters is None else f"{counters.sent:,} of {counters.requests:,}",
        help="Of the trial that is being measured now.",
    )
    fourth.metric("Answered", "–" if counters is None else f"{counters.answered:,}")
    fifth.metric(
        "Errors",
        "–" if counters is None else f"{counters.errors:,}",
        help="Requests of this trial that were refused or failed.",
    )


def _over(now: RunProgress) -> None:
    line = (
        f"{verdicts.run_marks(now)} · {now.trials_done} of {count(now.trials_planned, 'trial')} "
        f"in {duration(now.elapsed_s)}"
    )
    if now.trials_failed:
        line += f" · {count(now.trials_failed, 'trial')} not measured"
    st.markdown(line)
    if now.message:
        show = st.error if now.state == "failed" else st.warning
        show("\n\n".join(plain(part) for part in now.message.splitlines()))
