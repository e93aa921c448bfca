"""One shape for every page: title, purpose, result, next step; and what an empty page says."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st


def head(title: str, purpose: str) -> None:
    """The page's title and the one line that says what it is for."""
    st.title(title, anchor=False)
    st.caption(purpose)


def next_step(page: str, label: str, why: str, params: Mapping[str, str] | None = None) -> None:
    """Where the way goes on.

    Args:
        page: File name of the next page without its ending.
        label: A verb phrase.
        why: One sentence: what the user gets there.
        params: What the link carries.
    """
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f"**Next step.** {why}", width="stretch")
        st.page_link(
            f"pages/{page}.py",
            label=label,
            icon=":material/arrow_forward:",
            query_params=dict(params or {}),
        )


def empty(what: str, needed: str) -> None:
    """Say what will appear here and what is needed for it; links come below."""
    st.info(f"{what}\n\n{needed}", icon=":material/hourglass_empty:")


def link(page: str, label: str, icon: str, params: Mapping[str, str] | None = None) -> None:
    """A link to a page with what it should open."""
    st.page_link(f"pages/{page}.py", label=label, icon=icon, query_params=dict(params or {}))
