"""Finds and removes what dead workers left behind, and nothing else.

Left behind can be: a server and its stubs, shared memory, a workspace, the owner's record, and a
run that nobody marked as ended.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from backend.contracts.home import Home
from backend.contracts.run_directory import RunDirectory
from backend.contracts.values import Value
from backend.runtime import shared_memory
from backend.runtime.owners import (
    ID_FORM,
    Owner,
    is_leftover,
    list_owners,
    owner_file,
    release,
    workspace_of,
)
from backend.runtime.process_table import (
    PREFIX_FORM,
    PROC,
    every_pid,
    kill_all,
    pid_of,
    processes_by_prefix,
)

RUN_ENDS: Final = ("run_finished", "interrupted", "failed")
"""The events that end a run."""


class Leftover(Value):
    """What one dead worker left behind; ``owner`` is null where even its record is gone."""

    owner: Owner | None
    processes: tuple[str, ...] = ()
    regions: tuple[Path, ...] = ()
    workspace: Path | None = None

    def describe(self) -> str:
        """What there is, in a sentence."""
        parts = []
        if self.processes:
            pids = ", ".join(str(pid_of(each)) for each in self.processes)
            parts.append(f"processes {pids}")
        if self.regions:
            parts.append(_regions(len(self.regions)))
        if self.workspace is not None:
            parts.append(f"the folder {self.workspace}")
        whose = "a worker that is gone"
        if self.owner is not None:
            whose = f"worker {pid_of(self.owner.worker)}, which is gone"
        return f"Of {whose}: {', '.join(parts) or 'its record'}."


def find_leftovers(home: Home) -> tuple[Leftover, ...]:
    """All that dead workers of this home left behind; changes nothing."""
    # what is there is listed before the owners are: a worker that begins in between makes its
    # record first, so its things cannot look ownerless
    regions = shared_memory.all_regions()
    folders = _workspaces(home)
    processes = processes_by_prefix()
    owners = list_owners(home)
    found = [
        Leftover(
            owner=owner,
            processes=processes.get(owner.shm_prefix, ()),
            regions=tuple(r for r in regions if r.name.startswith(owner.shm_prefix)),
            workspace=owner.workspace if _is_workspace(home, owner) else None,
        )
        for owner in owners
        if is_leftover(owner)
    ]
    return (*found, *_ownerless(home, regions, folders, processes))


def remove_leftovers(home: Home) -> list[str]:
    """Remove all that dead workers of this home left behind.

    Returns:
        What was removed, and what could not be, one sentence each; empty if there was nothing.
    """
    if not home.owners.is_dir():
        return []
    with _one_at_a_time(home):
        said: list[str] = []
        for leftover in find_leftovers(home):
            said += _remove(home, leftover)
        return said


def _remove(home: Home, leftover: Leftover) -> list[str]:
    said: list[str] = []
    problems: list[str] = []
    owner = leftover.owner
    if leftover.processes:
        stuck = kill_all(leftover.processes)
        ended = [str(pid_of(p)) for p in leftover.processes if p not in stuck]
        # one that the server was just starting
        while owner is not None and (
            late := set(processes_by_prefix().get(owner.shm_prefix, ())) - set(stuck)
        ):
            stuck += kill_all(late)
            ended += [str(pid_of(p)) for p in late if p not in stuck]
        if ended:
            said.append(f"Ended the processes {', '.join(ended)} of a server without a worker.")
        problems += [f"Process {pid_of(p)} could not be ended." for p in stuck]
    regions = leftover.regions
    if owner is not None:
        # a stub may have made more until it was killed
        regions = shared_memory.regions(owner.shm_prefix)
    removed, unremoved = shared_memory.remove(regions)
    if removed:
        said.append(f"Removed {_regions(len(removed))}, the first {removed[0]}.")
    problems += unremoved
    if leftover.workspace is not None:
        try:
            shutil.rmtree(leftover.workspace)
        except FileNotFoundError:
            pass
        except OSError as error:
            problems.append(f"The folder {leftover.workspace} could not be removed: {error}.")
        else:
            said.append(f"Removed the folder {leftover.workspace}.")
    if owner is None:
        return said + problems
    if owner.run_dir is not None and _mark_interrupted(owner.run_dir, problems):
        said.append(f"Marked the run {owner.run_dir} as interrupted.")
    if not problems:
        release(home, owner)
        said = said or [f"Removed the record of worker {pid_of(owner.worker)}, which is gone."]
    return said + problems


def _regions(count: int) -> str:
    return "1 shared-memory region" if count == 1 else f"{count} shared-memory regions"


def _mark_interrupted(run_dir: Path, problems: list[str]) -> bool:
    """End the run in its events if nothing else did; whether that was needed and possible."""
    run = RunDirectory(run_dir)
    try:
        if not run.events.exists():
            return False
        if any(event.get("event") in RUN_ENDS for event in run.read_events()):
            return False
        _end_torn_line(run.events)
        run.append_event(
            "interrupted",
            what="The run was interrupted: its worker ended without saying why.",
            why="The worker's process is gone; it was probably killed.",
            next="Finished trials are kept; run the study again for the others.",
            exit_code=130,
        )
    except OSError as error:
        problems.append(f"The run {run_dir} could not be marked as interrupted: {error}.")
        return False
    return True


def _end_torn_line(events: Path) -> None:
    """A worker that was killed while writing leaves half a line: the next must not continue it."""
    with events.open("rb+") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            file.write(b"\n")


def _workspaces(home: Home) -> tuple[Path, ...]:
    if not home.work.is_dir():
        return ()
    return tuple(
        path
        for path in sorted(home.work.iterdir())
        if ID_FORM.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
    )


def _is_workspace(home: Home, owner: Owner) -> bool:
    """Whether the recorded workspace is there, and is the one that this home gave the owner."""
    expected = workspace_of(home, owner.id)
    return owner.workspace == expected and expected.is_dir() and not expected.is_symlink()


def _ownerless(
    home: Home,
    regions: tuple[Path, ...],
    folders: tuple[Path, ...],
    processes: dict[str, tuple[str, ...]],
) -> Iterator[Leftover]:
    """Things of our form without a record here that no living process has to do with.

    Shared memory is one for all homes of a user: what a server that lives uses is left alone.
    """
    ownerless = [
        region
        for region in regions
        if not owner_file(home, _id_of(shared_memory.region_prefix(region))).exists()
        and shared_memory.region_prefix(region) not in processes
    ]
    if ownerless:
        mapped = shared_memory.mapped_regions()
        in_use = {m.group() for name in mapped if (m := PREFIX_FORM.match(name))}
        unused = tuple(r for r in ownerless if shared_memory.region_prefix(r) not in in_use)
        if unused:
            yield Leftover(owner=None, regions=unused)
    for folder in folders:
        if not owner_file(home, folder.name).exists() and not _is_used(folder):
            yield Leftover(owner=None, workspace=folder)


def _id_of(prefix: str) -> str:
    return prefix.removesuffix("-").rpartition("-")[2]


def _is_used(folder: Path) -> bool:
    """Whether a living process works in a folder or holds a file of it open."""
    inside = f"{folder}/"
    for pid in every_pid():
        links = [PROC / str(pid) / "cwd"]
        try:
            links += list((PROC / str(pid) / "fd").iterdir())
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        for link in links:
            try:
                target = os.readlink(link)
            except OSError:
                # the file was closed, or the process is gone
                continue
            if f"{target}/".startswith(inside):
                return True
    return False


@contextmanager
def _one_at_a_time(home: Home) -> Iterator[None]:
    """Two starts at once: the second looks again after the first has cleaned."""
    if sys.platform == "win32":
        # no server of ours runs there, so nothing is removed
        yield
        return
    import fcntl

    with (home.owners / ".cleanup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
