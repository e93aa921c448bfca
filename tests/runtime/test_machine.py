"""Facts about the machine, unknown ones null (M19)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from backend.runtime import machine


def test_processor_and_memory_as_the_kernel_gives_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "PROC", tmp_path)
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: Example CPU @ 2 GHz\n")
    (tmp_path / "meminfo").write_text("MemFree: 1 kB\nMemTotal:       24117248 kB\n")
    assert machine.cpu_model() == "Example CPU @ 2 GHz"
    assert machine.memory_bytes() == 23 * 1024**3


def test_what_is_unknown_is_null(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "PROC", tmp_path)
    monkeypatch.setattr(machine, "NVIDIA_VERSION", tmp_path / "version")
    assert machine.memory_bytes() is None
    assert machine.nvidia_driver() is None
    assert machine.nvidia_gpus() == ()
    assert machine.boot_id() == ""
    assert machine.pid_namespace() == ""


def test_gpus_that_the_driver_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "PROC", tmp_path)
    for number in range(2):
        folder = tmp_path / f"driver/nvidia/gpus/0000:0{number}:00.0"
        folder.mkdir(parents=True)
        (folder / "information").write_text("Model: \t\t NVIDIA H200\nIRQ:   \t\t 99\n")
    assert machine.nvidia_gpus() == ("NVIDIA H200", "NVIDIA H200")


def test_cores_are_those_that_this_process_may_use() -> None:
    assert machine.usable_cores() == len(os.sched_getaffinity(0))
