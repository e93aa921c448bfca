"""Whose a server is, and when its things are leftovers (M18, design: Where things live)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from backend.contracts.errors import EnvironmentMissing
from backend.contracts.home import Home
from backend.contracts.process_identity import identity
from backend.runtime import owners
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.owners import (
    is_leftover,
    list_owners,
    register,
    release,
    unreadable_records,
    update,
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home").ensure()


def dead_process() -> str:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        known = identity(process.pid)
        process.communicate(b"\n")
    assert known is not None
    return known


def test_a_record_names_worker_workspace_memory_and_run(home: Home, tmp_path: Path) -> None:
    owner = register(home, run_dir=tmp_path / "run")
    assert owner.worker == identity()
    assert owner.workspace == home.work / owner.id
    assert owner.shm_prefix == f"interleave-{owner.id}-"
    assert owner.run_dir == tmp_path / "run"
    assert list_owners(home) == (owner,)
    written = json.loads((home.owners / f"{owner.id}.json").read_text())
    assert written["worker"].split(":")[1] == str(os.getpid())
    # a record comes before the things: the workspace is not there yet
    assert not owner.workspace.exists()


def test_a_server_is_added_and_the_record_released(home: Home) -> None:
    owner = register(home)
    server = EmbeddedServer(owner.workspace / "models", owner.workspace)
    updated = update(home, owner, server)
    assert updated.server is None
    assert updated.ports == ()
    assert list_owners(home) == (updated,)
    release(home, updated)
    release(home, updated)
    assert list_owners(home) == ()


def test_a_live_workers_things_are_no_leftovers(home: Home) -> None:
    assert not is_leftover(register(home))


def test_a_dead_workers_things_are(home: Home) -> None:
    owner = register(home).model_copy(update={"worker": dead_process()})
    assert is_leftover(owner)


def test_a_pid_that_was_given_to_another_process_is_not_the_worker(home: Home) -> None:
    owner = register(home)
    boot, pid, start = owner.worker.split(":")
    assert is_leftover(owner.model_copy(update={"worker": f"{boot}:{pid}:{int(start) - 1}"}))


def test_a_worker_of_an_earlier_boot_of_this_machine_is_dead(home: Home) -> None:
    owner = register(home)
    worker = "0b07:" + owner.worker.partition(":")[2]
    assert is_leftover(owner.model_copy(update={"worker": worker, "pid_namespace": "pid:[1]"}))


def test_a_worker_that_cannot_be_seen_from_here_is_left_alone(home: Home) -> None:
    dead = register(home).model_copy(update={"worker": dead_process()})
    assert not is_leftover(dead.model_copy(update={"machine": "another-machine"}))
    assert not is_leftover(dead.model_copy(update={"pid_namespace": "pid:[1]"}))


def test_where_processes_cannot_be_told_apart_nothing_is_a_leftover(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = register(home).model_copy(update={"worker": dead_process()})
    monkeypatch.setattr(owners, "boot_id", lambda: "")
    assert not is_leftover(dead)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"id": "0123456789ab"}', "\xff"])
def test_a_record_that_cannot_be_read_is_named_and_not_used(home: Home, content: str) -> None:
    path = home.owners / "0123456789ab.json"
    path.write_bytes(content.encode("latin-1"))
    assert list_owners(home) == ()
    assert unreadable_records(home) == (path,)


def test_a_record_under_another_name_is_not_used(home: Home) -> None:
    owner = register(home)
    (home.owners / f"{owner.id}.json").rename(home.owners / "ffffffffffff.json")
    assert list_owners(home) == ()


def test_a_home_without_owners(tmp_path: Path) -> None:
    assert list_owners(Home(tmp_path / "nothing")) == ()


def test_a_record_that_cannot_be_written_is_said_so(home: Home) -> None:
    home.owners.rmdir()
    home.owners.write_text("a file, not a folder")
    with pytest.raises(EnvironmentMissing):
        register(home)
