"""The console's frame: navigation, page set-up, status bar; every page runs inside it.

Start it with ``make app``, or ``streamlit run app.py``.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.parts import errors, guard, menu, status

MARK = Path(__file__).parent / "pages" / "parts" / "assets" / "mark.svg"

# wide enough for the menu; what is left of 1024 pixels still shows two columns
SIDEBAR_PX = 232


def main() -> None:
    """Draw the frame and the page that the link asks for."""
    pages = menu.pages()
    page = st.navigation(list(pages.values()), position="hidden")
    st.set_page_config(
        page_title=f"{page.title} · Interleave",
        page_icon=str(MARK),
        layout="wide",
        initial_sidebar_state=SIDEBAR_PX,
    )
    st.logo(str(MARK), size="large")
    asked = guard.wanted()
    if asked is not None and asked[0] in pages:
        st.switch_page(pages[asked[0]], query_params=asked[1])
    guard.frame(page.url_path or "start")
    menu.draw()
    status.bar()
    with errors.shown():
        page.run()


main()
