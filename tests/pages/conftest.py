from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
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
def open_page(empty_home: Path) -> Open:
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
