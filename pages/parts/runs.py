"""Runs as lines of a list: what was run, when, how it ended, and where to look at it."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from backend.contracts.run_directory import RunDirectory
from backend.studies.progress import read_progress
from pages.parts import layout, verdicts
from pages.parts.figures import count, duration, moment
from pages.parts.words import plain


def started_at(run: RunDirectory) -> str:
    """When the run began; empty where its first event does not say."""
    events = run.read_events()
    return moment(datetime.fromisoformat(events[0]["at"])) if events else ""


def line(run: RunDirectory) -> None:
    """One run with its links."""
    now = read_progress(run)
    with st.container(border=True):
        st.markdown(f"**{plain(now.study or run.name)}** · {verdicts.run_marks(now)}")
        st.caption(
            f"{started_at(run)} · {now.trials_done} of {count(now.trials_planned, 'trial')} · "
            f"{duration(now.elapsed_s)}"
        )
        with st.container(horizontal=True):
            if now.is_over:
                layout.link("compare", "Compare", ":material/compare_arrows:", {"run": run.name})
                layout.link("decide", "Decide", ":material/gavel:", {"run": run.name})
            layout.link("test", "Run and log", ":material/terminal:", {"run": run.name})
