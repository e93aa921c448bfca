"""What a page is about: the draft, run and class that the link names, or a choice of them."""

from __future__ import annotations

import streamlit as st

from backend.contracts.errors import InputError
from backend.contracts.run_directory import RunDirectory
from backend.studies.drafts import Draft, create_draft, list_drafts
from backend.studies.results import list_runs
from backend.workload.study import Study, TrafficClass
from pages.parts import errors, examples, journey, layout, linked, runs
from pages.parts.glossary import term
from pages.parts.words import plain


def draft() -> Draft | None:
    """The draft of the link; without one the page says what it needs, and null is given."""
    try:
        found = journey.opened_draft()
    except InputError as error:
        journey.forget("draft")
        errors.show(error)
        found = None
    if found is None:
        layout.empty(
            "No study is open.",
            "Choose one that was begun here, or begin with an example.",
        )
        _drafts()
    return found


def _drafts() -> None:
    known = list_drafts(journey.place())
    begun, new = st.columns(2, gap="large")
    with begun:
        st.subheader("Studies begun here", anchor=False)
        if not known:
            st.caption("None yet.")
        for draft_id in known[:20]:
            if st.button(draft_id, icon=":material/draft:", key=f"choose_draft_{draft_id}"):
                open_draft(draft_id)
    with new:
        st.subheader("Examples", anchor=False)
        for study in examples.examples():
            if st.button(
                plain(study.title or study.name),
                icon=":material/add:",
                key=f"choose_example_{study.name}",
            ):
                open_draft(create_draft(journey.place(), study).id)


def open_draft(draft_id: str) -> None:
    """Open a draft on this page."""
    st.query_params["draft"] = draft_id
    st.rerun()


def run(needed: str) -> RunDirectory | None:
    """The run of the link; without one the page says what it needs, and null is given."""
    try:
        found = journey.opened_run()
    except InputError as error:
        journey.forget("run")
        errors.show(error)
        found = None
    if found is None:
        layout.empty("No run is open.", needed)
        known = list_runs(journey.place())
        if known:
            st.subheader("Runs of this machine", anchor=False)
        for directory in known[:20]:
            with errors.shown():
                runs.line(directory)
        if not known:
            layout.link("start", "Make the first run on the start page", ":material/home:")
    return found


def traffic_class(study: Study) -> TrafficClass:
    """The class that the link names, chosen where there are several (the first by default)."""
    names = [item.name for item in study.classes]
    if len(names) == 1:
        return study.classes[0]
    chosen = linked.one_of("Class of traffic", names, "class", help=term("class"))
    item = study.class_named(chosen)
    if item.about:
        st.caption(plain(item.about))
    return item
