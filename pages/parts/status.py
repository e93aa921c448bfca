"""The status bar below the menu: what runs now, and whether a server can be started here."""

from __future__ import annotations

import streamlit as st

from backend.contracts.run_directory import RunDirectory
from backend.studies.progress import read_progress
from backend.studies.results import list_runs
from pages.parts import embedded, errors, journey, layout
from pages.parts.figures import count
from pages.parts.words import plain

_LOOK_BACK = 8
"""Runs looked at for one that is going on: later ones than any that still runs are few."""


def running() -> RunDirectory | None:
    """The run that is going on, if one is."""
    for run in list_runs(journey.place())[:_LOOK_BACK]:
        if not read_progress(run).is_over:
            return run
    return None


def bar() -> None:
    """Show the status bar in the side bar."""
    with st.sidebar, errors.shown():
        run = running()
        if run is None:
            st.caption(":material/bedtime: No run is going on.")
        else:
            now = read_progress(run)
            st.caption(
                f":material/play_circle: {plain(now.study or run.name)} is being measured: "
                f"{now.trials_done} of {count(now.trials_planned, 'trial')} done."
            )
            layout.link("test", "Watch it", ":material/visibility:", {"run": run.name})
        embedded.line()
