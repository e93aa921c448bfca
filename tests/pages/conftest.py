from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]

Open = Callable[..., AppTest]


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv("INTERLEAVE_HOME", str(home))
    monkeypatch.delenv("INTERLEAVE_STORE", raising=False)
    return home


@pytest.fixture
def warm_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a server that has run ``app.py`` once.

    AppTest begins every run like a fresh process, in which a folder ``pages`` switches file
    discovery on: each interaction would enter through the guard and lose what widgets hold.
    """
    begin = PagesManager.__init__

    def begun(self: PagesManager, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", begun)


@pytest.fixture
def open_page(empty_home: Path, warm_server: None) -> Open:
    """Opens a page inside its frame, with parameters as a link would carry them."""

    def opened(page: str, **params: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        app.run()
        app.query_params.clear()
        for name, value in params.items():
            app.query_params[name] = value
        app.switch_page(f"pages/{page}.py").run()
        return app

    return opened


def words(app: AppTest) -> str:
    """Everything that the page says, one element a line."""
    parts = [
        *app.title, *app.header, *app.subheader, *app.markdown, *app.caption, *app.info,
        *app.warning, *app.error, *app.success,
    ]  # fmt: skip
    return "\n".join(str(element.value) for element in parts)
