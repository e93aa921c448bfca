"""The dynamic loader is asked whether the programs find their libraries (M16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.runtime.trial_start import check_start
from backend.runtime.wheel import Wheel


def wheel(folder: Path, server: str, stub: str = "exit 1", mode: int = 0o755) -> Wheel:
    (folder / "backend").mkdir()
    (folder / "libs").mkdir()
    (folder / "libpython3.11.so.1.0").touch()
    for name, text in (("tritonserver", server), ("triton_python_backend_stub", stub)):
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(mode)
    return Wheel(
        version="0.7.0",
        server=folder / "tritonserver",
        python_backend=folder / "backend",
        stub=folder / "triton_python_backend_stub",
        libraries=folder / "libs",
        libpython=folder / "libpython3.11.so.1.0",
        programs=folder,
    )


def test_programs_that_begin_to_run_are_ok_whatever_they_then_say(tmp_path: Path) -> None:
    assert check_start(wheel(tmp_path, "exit 1")).status == "ok"


@pytest.mark.parametrize("which", ["tritonserver", "triton_python_backend_stub"])
def test_the_library_that_is_not_found_is_named(tmp_path: Path, which: str) -> None:
    failing = "echo 'x: error while loading shared libraries: libz.so.1: not found' >&2; exit 127"
    parts = (
        wheel(tmp_path, failing)
        if which == "tritonserver"
        else wheel(tmp_path, "exit 1", stub=failing)
    )
    found = check_start(parts)
    assert found.status == "missing"
    assert found.what.startswith(f"{which} does not start: x: error while loading")
    assert "libz.so.1" in found.what


def test_a_program_that_is_killed_is_said_so(tmp_path: Path) -> None:
    found = check_start(wheel(tmp_path, "kill -ILL $$"))
    assert found.status == "missing"
    assert "killed by signal 4" in found.what


def test_a_program_that_may_not_be_executed(tmp_path: Path) -> None:
    found = check_start(wheel(tmp_path, "exit 0", mode=0o644))
    assert found.status == "missing"
    assert "noexec" in found.next_step
