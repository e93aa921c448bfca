"""For all tests: a home of their own, marks by folder, and what a skip means.

Tests that need something that is absent skip and say what to install. Under INTERLEAVE_CI, where
everything but a GPU is there, such a skip is a failure: nothing is left untested in silence.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDER_MARKS = {"server": pytest.mark.server, "browser": pytest.mark.browser}

_home = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    # before any test module is imported, and inherited by every process that tests start
    config.stash[_home] = tempfile.mkdtemp(prefix="interleave-tests-")
    os.environ["INTERLEAVE_HOME"] = config.stash[_home]
    os.environ.pop("INTERLEAVE_STORE", None)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # started with & from a script: Ctrl-C would be ignored here and in every process below
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_home], ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        folder = item.path.relative_to(ROOT / "tests").parts[0]
        if folder in FOLDER_MARKS:
            item.add_marker(FOLDER_MARKS[folder])
    # the quick ones first; a browser's driver keeps an event loop in this thread until the end,
    # beside which nothing else could run one
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    folder = item.path.relative_to(ROOT / "tests").parts[0]
    return [*FOLDER_MARKS].index(folder) + 1 if folder in FOLDER_MARKS else 0


def _skips_count() -> bool:
    return bool(os.environ.get("INTERLEAVE_CI"))


def _fail(report: Any) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"under INTERLEAVE_CI only tests marked gpu may skip; this one: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    may_skip = item.get_closest_marker("gpu") is not None or hasattr(report, "wasxfail")
    if _skips_count() and report.skipped and not may_skip:
        _fail(report)
    elif report.skipped and isinstance(report.longrepr, tuple):
        # one line per folder and reason in the summary, not one per test
        reason = report.longrepr[2]
        report.longrepr = (str(item.path.parent), None, reason)  # type: ignore[assignment]
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    # a whole module that skips itself (importorskip)
    if _skips_count() and report.skipped:
        _fail(report)
    return report


@pytest.fixture
def interleave_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh, empty home for one test (and for the processes that it starts)."""
    home = tmp_path / "home"
    monkeypatch.setenv("INTERLEAVE_HOME", str(home))
    return home


@pytest.fixture
def captions_run(tmp_path: Path) -> Path:
    """A finished run directory, written by hand: figures and counts are round and known."""
    return Path(shutil.copytree(ROOT / "tests/data/captions-run", tmp_path / "captions-run"))
