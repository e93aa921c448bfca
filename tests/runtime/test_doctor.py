"""Doctor says what is there and what to do where it is not, and claims nothing else (M16)."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from pathlib import Path

import pytest

from backend.contracts.home import Home
from backend.runtime import docker_engine, doctor, machine, shared_memory
from backend.runtime.check import Check
from backend.runtime.doctor import (
    check_chromium,
    check_disk,
    check_docker,
    check_gpu,
    check_leftovers,
    check_packages,
    check_port,
    check_shared_memory,
    examine,
)
from backend.runtime.owners import owner_file, register


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home").ensure()


@pytest.fixture
def nothing_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "shm"
    folder.mkdir()
    monkeypatch.setattr(shared_memory, "FOLDER", folder)


def usage(total: int, free: int) -> object:
    return type("Usage", (), {"total": total, "free": free, "used": total - free})()


def test_every_check_has_a_name_and_each_fault_a_next_step(
    tmp_path: Path, nothing_in_memory: None
) -> None:
    home = Home(tmp_path / "never-made")
    checks = examine(home)
    names = [check.name for check in checks]
    assert len(set(names)) == len(names)
    for wanted in ("platform", "glibc", "python", "packages", "shared memory", "disk", "docker"):
        assert wanted in names
    for check in checks:
        assert check.what.endswith("."), check
        assert (check.next_step == "") == (check.status == "ok") or check.next_step, check
    assert not home.root.exists(), "looking changes nothing"


def test_packages_that_fit_differ_or_are_absent(tmp_path: Path) -> None:
    listed = tmp_path / "requirements.txt"
    listed.write_text(
        "# a comment\n\npytest>=7  # another\npydantic>=2\nabsent-here; sys_platform == 'plan9'\n"
    )
    assert check_packages(listed).status == "ok"
    listed.write_text("pydantic>=99\nno-such-package-of-ours\n")
    found = check_packages(listed)
    assert found.status == "missing"
    assert "no-such-package-of-ours is not installed" in found.what
    assert "installed, needed is >=99" in found.what
    assert found.next_step == f"Run: pip install -r {listed}"


def test_a_list_of_packages_that_is_wrong_or_gone(tmp_path: Path) -> None:
    listed = tmp_path / "requirements.txt"
    assert check_packages(listed).status == "warning"
    listed.write_text("what is this\n")
    assert "is not a requirement" in check_packages(listed).what


def test_little_shared_memory_is_a_warning_and_none_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check_shared_memory(tmp_path / "absent").status == "missing"
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(64 * 1024**2, 10 * 1024**2))
    found = check_shared_memory(tmp_path)
    assert found.status == "warning"
    assert "10 MiB free of 64 MiB" in found.what
    assert "--shm-size" in found.next_step
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(2 * 1024**3, 1024**3))
    assert check_shared_memory(tmp_path).what == f"{tmp_path}: 1 GiB free of 2 GiB."


def test_disk_of_a_home_that_is_not_there_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path / "a/b")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**12, 10 * 1024**3))
    assert check_disk(home) == Check(name="disk", status="ok", what=f"10 GiB free for {home.root}.")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**12, 5 * 1024**2))
    assert check_disk(home).status == "warning"


def test_disk_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # by its answer, since the administrator may write everywhere
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    found = check_disk(Home(tmp_path / "home"))
    assert found.status == "missing"
    assert "INTERLEAVE_HOME" in found.next_step


def test_the_consoles_port_free_and_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        taken = check_port(port)
    assert taken.status == "warning"
    assert f"process {os.getpid()}" in taken.what
    assert "make app PORT=" in taken.next_step
    assert check_port(port).status == "ok"


def test_leftovers_are_named_with_the_way_to_remove_them(
    home: Home, nothing_in_memory: None
) -> None:
    assert check_leftovers(home).status == "ok"
    owner = register(home)
    assert check_leftovers(home).status == "ok"
    boot, pid, start = owner.worker.split(":")
    dead = owner.model_copy(update={"worker": f"{boot}:{pid}:{int(start) - 1}"})
    owner_file(home, owner.id).write_text(dead.model_dump_json())
    found = check_leftovers(home)
    assert found.status == "warning"
    assert f"worker {pid}, which is gone" in found.what
    assert "python -m backend cleanup" in found.next_step


def test_a_record_that_cannot_be_read_is_named(home: Home, nothing_in_memory: None) -> None:
    (home.owners / "0123456789ab.json").write_text("{")
    found = check_leftovers(home)
    assert found.status == "warning"
    assert "0123456789ab.json cannot be read" in found.what
    assert "cleanup" not in found.next_step


def test_no_docker_engine_is_no_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    found = check_docker()
    assert found.status == "ok"
    assert "No Docker engine answers" in found.what
    assert "the embedded server is used" in found.what


def test_a_docker_engine_that_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = str(tmp_path / "docker.sock")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                assert connection.recv(4096).startswith(b"GET /version ")
                body = b'{"Version": "20.10.24"}'
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                connection.sendall(head + body)

        thread = threading.Thread(target=answer)
        thread.start()
        monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
        found = check_docker()
        thread.join()
    assert found.what == f"A Docker engine 20.10.24 answers at unix://{path}."


def test_where_an_engine_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    assert docker_engine.engine_addresses() == (
        "unix:///var/run/docker.sock",
        "unix:///run/user/1000/docker.sock",
    )
    assert docker_engine.engine_version("ssh://host")[1] == "ssh://host is not tried by this check"


def test_gpu_present_and_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine, "NVIDIA_VERSION", tmp_path / "version")
    assert "No NVIDIA kernel driver is loaded" in check_gpu().what
    (tmp_path / "version").write_text(
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\n"
        "GCC version:  gcc version 12.2.0\n"
    )
    assert machine.nvidia_driver() == "550.54.15"
    assert "NVIDIA driver 550.54.15" in check_gpu().what
    # the open kernel module words its line otherwise
    (tmp_path / "version").write_text(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build\n"
    )
    assert machine.nvidia_driver() == "560.35.03"


def test_chromium_is_for_the_browser_tests_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    found = check_chromium()
    assert found.status == "ok"
    assert "Only the project's browser tests use one" in found.what


def test_a_wheel_that_cannot_serve_is_not_started(
    home: Home, nothing_in_memory: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    cause = Check(name="python", status="missing", what="Too new.", next_step="Use 3.11.")
    monkeypatch.setattr(doctor, "check_wheel", lambda: (cause,))
    checks = examine(home)
    assert checks[0] == cause
    assert "triton start" not in [check.name for check in checks]
