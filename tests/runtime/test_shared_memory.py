"""Shared-memory regions are known by our prefix alone (M18)."""

from __future__ import annotations

import mmap
from pathlib import Path

import pytest

from backend.runtime import shared_memory

PREFIX = "interleave-0123456789ab-"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shared_memory, "FOLDER", tmp_path)
    return tmp_path


def test_regions_of_one_prefix_and_nothing_else(folder: Path) -> None:
    mine = folder / f"{PREFIX}f0"
    for path in (mine, folder / "interleave-ffffffffffff-f0", folder / "interleave-notes"):
        path.touch()
    (folder / "triton_python_backend_shm_region_1").touch()
    assert shared_memory.regions(PREFIX) == (mine,)
    assert [p.name for p in shared_memory.all_regions()] == [
        mine.name,
        "interleave-ffffffffffff-f0",
    ]
    assert shared_memory.region_prefix(mine) == PREFIX
    assert shared_memory.region_prefix(folder / "interleave-notes") == ""


def test_removing_reports_what_could_not_be_removed(folder: Path) -> None:
    gone, there, stuck = (folder / f"{PREFIX}{name}" for name in ("gone", "there", "stuck"))
    there.touch()
    stuck.mkdir()
    removed, problems = shared_memory.remove((gone, there, stuck))
    assert removed == (there,)
    assert len(problems) == 1
    assert problems[0].startswith(f"The shared memory {stuck} could not be removed: ")


def test_a_region_that_a_process_has_mapped_is_seen(folder: Path) -> None:
    region = folder / f"{PREFIX}f0"
    region.write_bytes(b"\0" * 4096)
    assert region.name not in shared_memory.mapped_regions()
    with region.open("r+b") as file, mmap.mmap(file.fileno(), 0):
        assert region.name in shared_memory.mapped_regions()


def test_no_shared_memory_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shared_memory, "FOLDER", tmp_path / "absent")
    assert shared_memory.all_regions() == ()
