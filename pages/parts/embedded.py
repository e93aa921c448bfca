"""Whether a Triton can be started on this machine, in one line and, where not, with the reason."""

from __future__ import annotations

import streamlit as st

from backend.runtime.check import Check
from backend.runtime.doctor import examine
from pages.parts import journey, layout
from pages.parts.words import plain


@st.cache_data(ttl=300, max_entries=1, show_spinner="Looking at this machine")
def _checks() -> tuple[Check, ...]:
    return tuple(examine(journey.place()))


def lacking() -> tuple[Check, ...]:
    """What keeps the embedded server from serving here; empty if it can."""
    return tuple(check for check in _checks() if check.status == "missing")


def ready() -> bool:
    """Whether the embedded server can serve here."""
    return not lacking()


def line() -> None:
    """One line for the status bar."""
    if ready():
        st.caption(":material/dns: The embedded Triton can serve on this machine.")
        return
    st.caption(":material/report: The embedded Triton cannot serve on this machine.")
    layout.link("start", "See why", ":material/help:")


def explain() -> None:
    """What is missing, and the next step for each."""
    parts = []
    for check in lacking():
        parts.append(f"- {plain(check.what)}")
        if check.next_step:
            parts.append(f"  **Next:** {plain(check.next_step)}")
    st.warning(
        "The embedded Triton cannot serve on this machine, so nothing can be measured here.\n\n"
        + "\n".join(parts)
        + "\n\nDescribing, proposing and reading runs and records made elsewhere still work.",
        icon=":material/report:",
    )
