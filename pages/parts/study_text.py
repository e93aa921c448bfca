"""The study as the text of a study file: to read, to edit, to take along."""

from __future__ import annotations

import streamlit as st

from backend.studies.drafts import Draft, save_draft
from backend.workload.study_file import study_from_text, study_to_yaml
from pages.parts import edit, errors, journey


def editor(draft: Draft) -> None:
    """The folded text with its buttons; applying it saves it, or says file, line and key."""
    with st.expander("The study as a file (YAML)", icon=":material/code:"):
        text = st.text_area(
            "Study file",
            study_to_yaml(draft.study),
            height=420,
            # another version of the draft is another text: what was typed before is not kept over
            key=edit.key(draft, "yaml", draft.version),
            help="The same text that the commands take. Everything that the page asks is in it, "
            "and a few things that it does not ask.",
        )
        with st.container(horizontal=True):
            if st.button("Apply the text", icon=":material/check:", key="describe_apply"):
                apply(draft, text)
            st.download_button(
                "Download",
                study_to_yaml(draft.study),
                file_name=f"{draft.study.name}.yaml",
                mime="application/yaml",
                icon=":material/download:",
                on_click="ignore",
                key="describe_download",
            )


def apply(draft: Draft, text: str) -> None:
    """Save the text as the draft if it is a study."""
    with errors.shown():
        save_draft(journey.place(), draft, study_from_text(text, file="study.yaml"))
        edit.renew(draft)
        st.rerun()
