"""The classes of a study: add one, rename it, take it out. Each has a model of its own (M03)."""

from __future__ import annotations

import streamlit as st

from backend.contracts.errors import InputError
from backend.studies.drafts import Draft, save_draft
from backend.workload.study import ModelChoice, Study, TrafficClass, Workload
from pages.parts import edit, errors, journey
from pages.parts.words import plain

NEW_MODEL = "session_probe"
"""What a new class begins with: the probe plays any kind of session."""


def manage(draft: Draft, item: TrafficClass) -> None:
    """The folded form."""
    names = ", ".join(known.name for known in draft.study.classes)
    with st.expander(f"Classes of this study: {names}", icon=":material/category:"):
        st.caption(
            "One class for each kind of traffic: independent requests and parts of sessions never "
            "share a scheduler, so each class gets a model, a proposal and a test of its own."
        )
        left, middle, right = st.columns(3, vertical_alignment="bottom")
        with left, st.form(f"describe_add_{draft.id}", border=False):
            name = st.text_input("Name of a new class", placeholder="thumbnails")
            if st.form_submit_button("Add a class", icon=":material/add:"):
                _save(draft, _added(draft.study, name.strip()), name.strip())
        with middle, st.form(f"describe_rename_{draft.id}_{item.name}", border=False):
            other = st.text_input(f"New name for {item.name}", item.name)
            if st.form_submit_button("Rename it", icon=":material/edit:"):
                _save(draft, _renamed(draft.study, item.name, other.strip()), other.strip())
        with right:
            alone = len(draft.study.classes) == 1
            if st.button(
                f"Take {item.name} out",
                icon=":material/delete:",
                disabled=alone,
                help="A study has at least one class." if alone else None,
                key=f"describe_remove_{draft.id}_{item.name}",
            ):
                rest = tuple(c for c in draft.study.classes if c.name != item.name)
                changed = draft.study.model_copy(update={"classes": rest})
                _save(draft, changed, rest[0].name)


def _added(study: Study, name: str) -> Study:
    new = TrafficClass.model_construct(
        name=name,
        about="",
        workload=Workload(),
        model=ModelChoice(template=NEW_MODEL),
        candidates=(),
    )
    return study.model_copy(update={"classes": (*study.classes, new)})


def _renamed(study: Study, old: str, new: str) -> Study:
    classes = tuple(
        known.model_copy(update={"name": new}) if known.name == old else known
        for known in study.classes
    )
    return study.model_copy(update={"classes": classes})


def _save(draft: Draft, study: Study, show: str) -> None:
    try:
        save_draft(journey.place(), draft, edit.checked(study))
    except InputError as error:
        st.error(f"Not saved: {edit.reason(error)}", icon=":material/error:")
        return
    with errors.shown():
        edit.renew(draft)
        st.query_params["class"] = show
        st.toast(f"Saved: {plain(show)}", icon=":material/check:")
        st.rerun()
