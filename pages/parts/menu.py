"""The menu: one link per step, each carrying what is open, so that walking on keeps it.

Drawn here and not by Streamlit's own menu: that one fetches the icon of the current page from a
font server, and its links drop what is open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import streamlit as st

if TYPE_CHECKING:
    from streamlit.navigation.page import Page


@dataclass(frozen=True)
class Entry:
    """A page in the menu: its words, its mark, and which parameters of the link it takes."""

    title: str
    icon: str
    takes: tuple[str, ...] = ()


ENTRIES: Final[Mapping[str, Entry]] = {
    "start": Entry("Start", ":material/home:"),
    "describe": Entry("Describe", ":material/account_tree:", ("draft", "class")),
    "propose": Entry("Propose", ":material/tune:", ("draft", "class")),
    "test": Entry("Test", ":material/play_circle:", ("draft", "run")),
    "compare": Entry("Compare", ":material/compare_arrows:", ("run", "class")),
    "decide": Entry("Decide", ":material/gavel:", ("run",)),
}
"""By file name, in the order of the way."""


def pages() -> dict[str, Page]:
    """Every page of the console by its file name."""
    return {
        name: st.Page(f"pages/{name}.py", title=entry.title, default=name == "start")
        for name, entry in ENTRIES.items()
    }


def draw() -> None:
    """Show the menu in the side bar."""
    with st.sidebar:
        for name, entry in ENTRIES.items():
            kept = {kind: st.session_state.get(f"journey_{kind}") for kind in entry.takes}
            st.page_link(
                f"pages/{name}.py",
                label=entry.title,
                icon=entry.icon,
                query_params={kind: value for kind, value in kept.items() if value is not None},
                width="stretch",
            )
