"""Lead a page that was opened without its frame back through ``app.py``.

A folder ``pages/`` beside the entry script puts a fresh Streamlit process into file discovery until
``app.py`` has run once: a direct link then runs the page alone, without navigation and page set-up.
Each page therefore calls `framed` first, and ``app.py`` calls `frame` before it runs a page.
"""

from __future__ import annotations

import streamlit as st

_FRAMED = "frame_framed"
_WANTED = "frame_wanted"


def frame(page: str) -> None:
    """Say that this run of the page happens inside ``app.py``."""
    st.session_state[_FRAMED] = page


def framed(page: str) -> None:
    """Go on only inside the frame; otherwise remember page and parameters and enter through it.

    Args:
        page: The page's file name without its ending, as links carry it.
    """
    # taken away at once: the mark must be set anew by the very run that shows the page
    if st.session_state.pop(_FRAMED, None) == page:
        return
    st.session_state[_WANTED] = (page, st.query_params.to_dict())
    st.switch_page("app.py")


def wanted() -> tuple[str, dict[str, str]] | None:
    """The page and parameters that a link asked for outside the frame; given once."""
    value: tuple[str, dict[str, str]] | None = st.session_state.pop(_WANTED, None)
    return value
