from __future__ import annotations

import ctypes
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.console import Console

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
PATIENCE_MS = 60_000


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="install the package playwright (requirements-dev.txt)"
    )
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        pytest.skip("install Chromium (Debian: apt-get install chromium)")
    try:
        # what Playwright's driver is linked against; without it the driver ends without a word
        ctypes.CDLL("libatomic.so.1" if sys.platform == "linux" else None)
    except OSError:
        pytest.skip("install libatomic (Debian: apt-get install libatomic1)")
    sync_api.expect.set_options(timeout=PATIENCE_MS)
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Console]:
    """A console that was just started, with an empty home."""
    with Console(tmp_path / "home", tmp_path / "console.log") as running:
        yield running
