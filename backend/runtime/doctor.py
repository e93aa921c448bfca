"""Looks at this machine and says, thing by thing, what is there and what to do where it is not.

Only what the embedded server and the console cannot do without is *missing*; what merely limits
them is a *warning*; what they do well without is *ok* and said plainly.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from backend.contracts.home import Home
from backend.runtime import shared_memory
from backend.runtime.check import Check
from backend.runtime.cleanup import find_leftovers
from backend.runtime.docker_engine import engine_addresses, engine_version
from backend.runtime.machine import nvidia_driver, nvidia_gpus
from backend.runtime.owners import unreadable_records
from backend.runtime.ports import describe_owner, is_free
from backend.runtime.requirements import REQUIREMENTS, unmet
from backend.runtime.trial_start import check_start
from backend.runtime.wheel import check_wheel

CONSOLE_PORT: Final = 8501
SHM_WANTED_BYTES: Final = 64 * 1024**2
"""Each model instance takes 1 MiB at first and grows with its tensors; a study has up to eight."""
DISK_WANTED_BYTES: Final = 1024**3
"""A run directory is tens of megabytes; a server's log may take 64 MiB."""
_CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def examine(
    home: Home, *, port: int = CONSOLE_PORT, requirements: Path = REQUIREMENTS
) -> tuple[Check, ...]:
    """All checks, in the order in which things must be mended; changes nothing.

    Args:
        home: Whose folder and leftovers are looked at.
        port: Where the console would listen.
        requirements: The list of packages that must be installed.
    """
    wheel = check_wheel()
    usable = all(check.status != "missing" for check in wheel)
    return (
        *wheel,
        *((check_start(),) if usable else ()),
        check_packages(requirements),
        check_shared_memory(),
        check_disk(home),
        check_port(port),
        check_leftovers(home),
        check_docker(),
        check_gpu(),
        check_chromium(),
    )


def check_packages(requirements: Path = REQUIREMENTS) -> Check:
    """Whether the packages of requirements.txt are installed in fitting versions."""
    name = "packages"
    try:
        problems = unmet(requirements)
    except OSError as error:
        return Check(
            name=name,
            status="warning",
            what=f"The list of needed packages cannot be read: {error}.",
            next_step="Run Interleave from its project folder.",
        )
    if problems:
        return Check(
            name=name,
            status="missing",
            what="; ".join(problems) + ".",
            next_step=f"Run: pip install -r {requirements}",
        )
    return Check(name=name, status="ok", what="All needed packages are installed.")


def check_shared_memory(folder: Path = shared_memory.FOLDER) -> Check:
    """Whether models find shared memory, and enough of it."""
    name = "shared memory"
    if not folder.is_dir():
        return Check(
            name=name,
            status="missing",
            what=f"There is no {folder}; each model instance needs shared memory there.",
            next_step=f"Mount a tmpfs on {folder}.",
        )
    if not os.access(folder, os.W_OK):
        return Check(
            name=name,
            status="missing",
            what=f"{folder} cannot be written by this user.",
            next_step=f"Set its mode to 1777: chmod 1777 {folder} (as root).",
        )
    usage = shutil.disk_usage(folder)
    what = f"{folder}: {_size(usage.free)} free of {_size(usage.total)}."
    if usage.free < SHM_WANTED_BYTES:
        return Check(
            name=name,
            status="warning",
            what=f"{what} Models may fail to load.",
            next_step="Free some (cleanup removes ours), or in a container start it with"
            " --shm-size=1g.",
        )
    return Check(name=name, status="ok", what=what)


def check_disk(home: Home) -> Check:
    """Whether runs can be written, with room for some."""
    name = "disk"
    folder = home.root
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        return Check(
            name=name,
            status="missing",
            what=f"Interleave's folder {home.root} cannot be written.",
            next_step="Set INTERLEAVE_HOME to a folder that you can write.",
        )
    free = shutil.disk_usage(folder).free
    what = f"{_size(free)} free for {home.root}."
    if free < DISK_WANTED_BYTES:
        return Check(
            name=name,
            status="warning",
            what=what,
            next_step=f"Free some space: a few runs need {_size(DISK_WANTED_BYTES)}.",
        )
    return Check(name=name, status="ok", what=what)


def check_port(port: int = CONSOLE_PORT) -> Check:
    """Whether the console's port is free."""
    name = "console port"
    if is_free(port):
        return Check(name=name, status="ok", what=f"Port {port} on 127.0.0.1 is free.")
    return Check(
        name=name,
        status="warning",
        what=f"Port {port} on 127.0.0.1 is taken; there listens {describe_owner(port)}.",
        next_step="If that is the console, it runs already; else use another port:"
        f" make app PORT={port + 100}",
    )


def check_leftovers(home: Home) -> Check:
    """Whether dead workers left anything."""
    name = "leftovers"
    said = [leftover.describe() for leftover in find_leftovers(home)]
    strange = unreadable_records(home)
    if strange:
        said.append(f"The record {strange[0]} cannot be read; what it names is not touched.")
    if not said:
        return Check(name=name, status="ok", what="Nothing is left of workers that are gone.")
    steps = []
    if len(said) > len(strange[:1]):
        steps.append("Run: python -m backend cleanup (the next run does it as well).")
    if strange:
        steps.append("Remove the unreadable record by hand if no worker of another version runs.")
    return Check(name=name, status="warning", what=" ".join(said), next_step=" ".join(steps))


def check_docker() -> Check:
    """Whether a Docker engine answers; none is needed."""
    name = "docker"
    reasons = []
    for address in engine_addresses():
        version, reason = engine_version(address)
        if version is not None:
            return Check(
                name=name, status="ok", what=f"A Docker engine {version} answers at {address}."
            )
        reasons.append(reason)
    return Check(
        name=name,
        status="ok",
        what=f"No Docker engine answers ({'; '.join(reasons)}). None is needed: the embedded"
        " server is used.",
    )


def check_gpu() -> Check:
    """Whether there is an NVIDIA GPU; none is needed."""
    name = "gpu"
    driver = nvidia_driver()
    if driver is None:
        return Check(
            name=name,
            status="ok",
            what="No NVIDIA kernel driver is loaded. None is needed: models run on the CPU.",
        )
    gpus = ", ".join(nvidia_gpus()) or "no GPU listed"
    return Check(
        name=name,
        status="ok",
        what=f"NVIDIA driver {driver}; {gpus}. The models of the embedded server run on the CPU.",
    )


def check_chromium() -> Check:
    """Whether the project's browser tests could run; the console itself needs none here."""
    name = "chromium"
    found = next((path for program in _CHROMIUM if (path := shutil.which(program))), None)
    if found is not None:
        return Check(name=name, status="ok", what=f"{found} (used by the browser tests only).")
    return Check(
        name=name,
        status="ok",
        what="No Chromium was found on PATH. Only the project's browser tests use one.",
    )


def _size(number: int) -> str:
    """A number of bytes with three digits at most."""
    value = float(number)
    for unit in ("bytes", "KiB", "MiB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1024
    return f"{value:.3g} GiB" if value < 1000 else f"{value / 1024:.3g} TiB"
