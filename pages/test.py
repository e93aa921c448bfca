"""Test: choose what is tried, start it on a real Triton, watch it, stop it, read its log."""

from __future__ import annotations

import streamlit as st

from backend.studies.launch import start_run
from pages.parts import (
    choose,
    edit,
    embedded,
    errors,
    guard,
    journey,
    layout,
    matrix,
    status,
    trial,
)
from pages.parts.figures import count
from pages.parts.words import plain

guard.framed("test")


def page() -> None:
    layout.head(
        "Test on a real Triton",
        "The same interleaved sessions go through every candidate, in alternating rounds, each "
        "with a freshly loaded model.",
    )
    if "run" in st.query_params:
        run = choose.run("A run shows its progress and its log here.")
        if run is not None:
            trial.page(run)
        return
    draft = choose.draft()
    if draft is None:
        return
    edit.refusal()
    matrix.form(draft)
    with st.container(border=True):
        start(draft.id)
    edit.saved(draft)


def start(draft_id: str) -> None:
    draft = journey.opened_draft()
    if draft is None or draft.id != draft_id:
        return
    study = draft.study
    trials = matrix.trials(study)
    st.markdown(f"**{count(trials, 'trial')}** of {plain(study.name)}: {matrix.expectation(study)}")
    going_on = status.running()
    ready = embedded.ready()
    if going_on is not None:
        st.info(
            "A run is going on. Only one measures at a time on a machine: a new one waits for it.",
            icon=":material/hourglass_empty:",
        )
    unrunnable = [item.name for item in study.classes if item.model.declared is not None]
    for name in unrunnable:
        st.warning(
            f"The model of {plain(name)} is described by its tensors only: there is nothing to "
            "run. Choose a model template for it, or take the class out.",
            icon=":material/warning:",
        )
        layout.link(
            "describe",
            f"Choose a model for {plain(name)}",
            ":material/edit:",
            {"draft": draft_id, "class": name, "part": "model"},
        )
    if st.button(
        "Start the test",
        type="primary",
        icon=":material/play_arrow:",
        disabled=not ready or not trials or bool(unrunnable),
        key="test_start",
    ):
        with errors.shown():
            run = start_run(journey.place(), study)
            st.switch_page("pages/test.py", query_params={"run": run.name, "draft": draft.id})
    if not ready:
        embedded.explain()
    st.caption("The test is a process of its own: closing or reloading this page changes nothing.")


page()
