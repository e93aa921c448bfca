"""A link opens its page inside the frame, with its parameters, on a server that is fresh."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import ROOT
from tests.pages.test_empty_home import TITLES


@pytest.mark.parametrize("page", TITLES)
def test_a_direct_link_keeps_page_parameters_and_frame(empty_home: Path, page: str) -> None:
    # AppTest begins each run like a fresh process: the page's file runs before app.py
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run()
    app.query_params["beside"] = "1"
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    assert [title.value for title in app.title] == [TITLES[page]]
    assert app.query_params["beside"] in ("1", ["1"])
    # the frame is there: the status bar stands in the side bar
    assert any("No run is going on" in str(caption.value) for caption in app.sidebar.caption)
