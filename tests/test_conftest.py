"""What a skip means: allowed at a user's, a failure under INTERLEAVE_CI unless marked gpu."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")

TESTS = """
import os, pytest

def test_absent():
    pytest.skip("install chromium")

@pytest.mark.gpu
def test_gpu():
    pytest.skip("no GPU")

@pytest.mark.xfail
def test_known():
    raise ValueError

def test_home():
    assert "interleave-tests-" in os.environ["INTERLEAVE_HOME"]
    assert "INTERLEAVE_STORE" not in os.environ
"""
MODULE = "import pytest\npytest.importorskip('no_such_module_of_ours')\n"


@pytest.mark.parametrize(
    ("ci", "summary"),
    [("", "1 passed, 3 skipped, 1 xfailed"), ("1", "1 failed, 1 passed, 1 skipped, 1 xfailed")],
)
def test_skips(tmp_path: Path, ci: str, summary: str) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    shutil.copy(CONFTEST, folder / "conftest.py")
    (folder / "test_some.py").write_text(TESTS)
    (folder / "test_module.py").write_text(MODULE)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "tests"],
        cwd=tmp_path,
        env={**os.environ, "INTERLEAVE_CI": ci, "INTERLEAVE_STORE": "postgresql://nowhere"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if ci:
        # the module that skips itself stops the run as an error of collection
        assert done.returncode == 2, done.stdout
        assert "no_such_module_of_ours" in done.stdout
        (folder / "test_module.py").unlink()
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "tests"],
            cwd=tmp_path,
            env={**os.environ, "INTERLEAVE_CI": ci},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "install chromium" in done.stdout
    assert summary in done.stdout
