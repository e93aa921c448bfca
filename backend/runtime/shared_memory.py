"""Shared-memory regions of servers of ours in ``/dev/shm``, known by their prefix."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from backend.runtime.process_table import PREFIX_FORM, PROC, every_pid

FOLDER: Final = Path("/dev/shm")


def regions(prefix: str) -> tuple[Path, ...]:
    """The regions with that prefix, by name."""
    return tuple(path for path in all_regions() if path.name.startswith(prefix))


def all_regions() -> tuple[Path, ...]:
    """All regions of this user that carry a prefix of our form, by name."""
    if not FOLDER.is_dir():
        return ()
    found = []
    for path in FOLDER.iterdir():
        if not PREFIX_FORM.match(path.name):
            continue
        try:
            if path.lstat().st_uid == os.getuid():
                found.append(path)
        except FileNotFoundError:
            continue
    return tuple(sorted(found))


def region_prefix(region: Path) -> str:
    """The prefix that a region of ours carries."""
    match = PREFIX_FORM.match(region.name)
    return match.group() if match else ""


def mapped_regions() -> frozenset[str]:
    """Names of the regions of our form that some living process has mapped."""
    found = set()
    marker = f"{FOLDER}/"
    for pid in every_pid():
        try:
            maps = (PROC / str(pid) / "maps").read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        for line in maps.splitlines():
            name = line.partition(marker)[2]
            if name and PREFIX_FORM.match(name):
                found.add(name.removesuffix(" (deleted)"))
    return frozenset(found)


def remove(paths: tuple[Path, ...]) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Remove regions.

    Returns:
        Those that were removed, and a sentence for each that could not be.
    """
    removed: list[Path] = []
    problems: list[str] = []
    for path in paths:
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(f"The shared memory {path} could not be removed: {error.strerror}.")
        else:
            removed.append(path)
    return tuple(removed), tuple(problems)
