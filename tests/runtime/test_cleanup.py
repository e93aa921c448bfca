"""What dead workers left behind is removed, and nothing else (M18)."""

from __future__ import annotations

import json
import mmap
import os
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.contracts.home import Home
from backend.contracts.run_directory import RunDirectory
from backend.runtime import shared_memory
from backend.runtime.cleanup import find_leftovers, remove_leftovers
from backend.runtime.owners import Owner, list_owners, owner_file, register
from backend.runtime.process_table import PREFIX_VARIABLE


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home").ensure()


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands for /dev/shm."""
    folder = tmp_path / "shm"
    folder.mkdir()
    monkeypatch.setattr(shared_memory, "FOLDER", folder)
    return folder


def with_things(home: Home, memory: Path, **changes: object) -> Owner:
    """An owner with a workspace and two regions; its worker is dead unless said otherwise."""
    owner = register(home)
    boot, pid, start = owner.worker.split(":")
    changes = {"worker": f"{boot}:{pid}:{int(start) - 1}", **changes}
    owner = owner.model_copy(update=changes)
    owner_file(home, owner.id).write_text(owner.model_dump_json())
    (owner.workspace / "models/m").mkdir(parents=True)
    for number in range(2):
        (memory / f"{owner.shm_prefix}{number}").touch()
    return owner


def bearing(prefix: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        ["sh", "-c", "echo; exec sleep 60"],
        env={**os.environ, PREFIX_VARIABLE: prefix},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    return process


@pytest.fixture
def server() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()


def test_everything_of_a_dead_worker_goes(
    home: Home, memory: Path, tmp_path: Path, server: list[subprocess.Popen[bytes]]
) -> None:
    run = RunDirectory(tmp_path / "run").create()
    run.append_event("run_started", planned=4)
    owner = with_things(home, memory, run_dir=run.root)
    server.append(bearing(owner.shm_prefix))

    (found,) = find_leftovers(home)
    assert found.owner == owner
    assert len(found.processes) == 1
    assert len(found.regions) == 2
    assert found.workspace == owner.workspace
    assert f"processes {server[0].pid}" in found.describe()

    said = remove_leftovers(home)
    assert said == [
        f"Ended the processes {server[0].pid} of a server without a worker.",
        f"Removed 2 shared-memory regions, the first {memory / (owner.shm_prefix + '0')}.",
        f"Removed the folder {owner.workspace}.",
        f"Marked the run {run.root} as interrupted.",
    ]
    assert server[0].wait() == -9
    assert list(memory.iterdir()) == []
    assert not owner.workspace.exists()
    assert list_owners(home) == ()
    last = run.read_events()[-1]
    assert last["event"] == "interrupted"
    assert last["exit_code"] == 130
    assert last["why"]
    assert last["at"]

    assert remove_leftovers(home) == []


def test_a_live_workers_things_stay(
    home: Home, memory: Path, server: list[subprocess.Popen[bytes]]
) -> None:
    live = register(home)
    live.workspace.mkdir()
    (memory / f"{live.shm_prefix}0").touch()
    server.append(bearing(live.shm_prefix))
    dead = with_things(home, memory)
    remove_leftovers(home)
    assert server[0].poll() is None
    assert live.workspace.is_dir()
    assert [p.name for p in memory.iterdir()] == [f"{live.shm_prefix}0"]
    assert list_owners(home) == (live,)
    assert not dead.workspace.exists()


@pytest.mark.parametrize("end", ["run_finished", "interrupted", "failed"])
def test_a_run_that_has_an_end_is_not_given_another(
    home: Home, memory: Path, tmp_path: Path, end: str
) -> None:
    run = RunDirectory(tmp_path / "run").create()
    run.append_event("run_started")
    run.append_event(end)
    with_things(home, memory, run_dir=run.root)
    assert not any("interrupted" in sentence for sentence in remove_leftovers(home))
    assert [event["event"] for event in run.read_events()] == ["run_started", end]


def test_a_line_that_the_worker_died_in_does_not_swallow_the_end(
    home: Home, memory: Path, tmp_path: Path
) -> None:
    run = RunDirectory(tmp_path / "run").create()
    run.append_event("run_started")
    with run.events.open("a") as file:
        file.write('{"event": "trial_fin')
    with_things(home, memory, run_dir=run.root)
    remove_leftovers(home)
    lines = run.events.read_text().splitlines()
    assert lines[1] == '{"event": "trial_fin'
    assert json.loads(lines[2])["event"] == "interrupted"
    assert [event["event"] for event in run.read_events()] == ["run_started", "interrupted"]


def test_a_run_directory_that_is_gone_or_was_never_begun_is_no_trouble(
    home: Home, memory: Path, tmp_path: Path
) -> None:
    with_things(home, memory, run_dir=tmp_path / "gone")
    remove_leftovers(home)
    assert list_owners(home) == ()
    assert not (tmp_path / "gone").exists()


def test_memory_without_a_record_goes_when_nobody_uses_it(home: Home, memory: Path) -> None:
    prefix = f"interleave-{secrets.token_hex(6)}-"
    (memory / f"{prefix}0").touch()
    (found,) = find_leftovers(home)
    assert found.owner is None
    assert remove_leftovers(home) == [
        f"Removed 1 shared-memory region, the first {memory / (prefix + '0')}."
    ]


def test_memory_without_a_record_stays_while_a_process_has_it_mapped(
    home: Home, memory: Path
) -> None:
    prefix = f"interleave-{secrets.token_hex(6)}-"
    region = memory / f"{prefix}0"
    region.write_bytes(b"\0" * 4096)
    (memory / f"{prefix}1").touch()
    with region.open("r+b") as file, mmap.mmap(file.fileno(), 0):
        assert find_leftovers(home) == ()
    assert len(find_leftovers(home)) == 1


def test_memory_without_a_record_stays_while_its_server_lives(
    home: Home, memory: Path, server: list[subprocess.Popen[bytes]]
) -> None:
    # as a server of another home has it: its record is not here
    prefix = f"interleave-{secrets.token_hex(6)}-"
    (memory / f"{prefix}0").touch()
    server.append(bearing(prefix))
    assert remove_leftovers(home) == []
    assert server[0].poll() is None
    assert len(list(memory.iterdir())) == 1


def test_a_workspace_without_a_record_goes_when_nobody_uses_it(home: Home, memory: Path) -> None:
    folder = home.work / secrets.token_hex(6)
    (folder / "models").mkdir(parents=True)
    with (folder / "server.log").open("w"):
        assert find_leftovers(home) == ()
    with subprocess.Popen(["sleep", "60"], cwd=folder / "models") as process:
        assert find_leftovers(home) == ()
        process.kill()
    assert remove_leftovers(home) == [f"Removed the folder {folder}."]
    assert not folder.exists()


def test_what_is_not_of_our_form_is_never_touched(home: Home, memory: Path, tmp_path: Path) -> None:
    kept = [
        memory / "interleave-notes",
        memory / "interleave-0123-x",
        memory / "psm_12345678",
        home.work / "run-20261201.log",
        home.work / "my notes",
        home.owners / "README.json",
    ]
    for path in kept:
        path.touch()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (home.work / "0123456789ab").symlink_to(elsewhere)
    assert remove_leftovers(home) == []
    assert all(path.exists() for path in [*kept, elsewhere, home.work / "0123456789ab"])


def test_a_record_that_names_a_folder_elsewhere_does_not_get_it_removed(
    home: Home, memory: Path, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    owner = with_things(home, memory, workspace=precious)
    (home.work / owner.id).mkdir(exist_ok=True)
    remove_leftovers(home)
    assert precious.is_dir()


def test_what_cannot_be_removed_is_said_and_its_record_kept(home: Home, memory: Path) -> None:
    owner = with_things(home, memory)
    (memory / f"{owner.shm_prefix}0").unlink()
    (memory / f"{owner.shm_prefix}0").mkdir()
    said = remove_leftovers(home)
    assert any("could not be removed" in sentence for sentence in said)
    assert list_owners(home) == (owner,)


def test_a_record_alone_is_removed_and_said(home: Home, memory: Path) -> None:
    owner = with_things(home, memory)
    for path in memory.iterdir():
        path.unlink()
    (owner.workspace / "models/m").rmdir()
    (owner.workspace / "models").rmdir()
    owner.workspace.rmdir()
    (sentence,) = remove_leftovers(home)
    assert sentence.startswith("Removed the record of worker")


def test_a_home_that_was_never_used(tmp_path: Path) -> None:
    home = Home(tmp_path / "nothing")
    assert remove_leftovers(home) == []
    assert find_leftovers(home) == () or all(f.owner is None for f in find_leftovers(home))
    assert not home.root.exists()
