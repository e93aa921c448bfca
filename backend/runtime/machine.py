"""Facts about this machine, for the environment of a run and for doctor; null where unknown."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Final

from backend.runtime.process_table import PROC

NVIDIA_VERSION: Final = PROC / "driver/nvidia/version"


def cpu_model() -> str | None:
    """The processor's name as the kernel gives it."""
    for line in _text(PROC / "cpuinfo").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.processor() or None


def usable_cores() -> int:
    """Processors that this process may use, which a container or taskset can make fewer."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> int | None:
    """The machine's memory."""
    for line in _text(PROC / "meminfo").splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    return None


def operating_system() -> str:
    """Its name and version, such as ``Debian GNU/Linux 12 (bookworm)``."""
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.platform())
    except OSError:
        return platform.platform()


def nvidia_driver() -> str | None:
    """Version of the loaded NVIDIA kernel driver; null if none is loaded."""
    for line in _text(NVIDIA_VERSION).splitlines():
        if line.startswith("NVRM version:"):
            words = line.split()
            return next((w for w in words if w[0].isdigit() and "." in w), line)
    return None


def nvidia_gpus() -> tuple[str, ...]:
    """Models of the GPUs that the NVIDIA driver drives."""
    found = []
    folder = PROC / "driver/nvidia/gpus"
    if folder.is_dir():
        for information in sorted(folder.glob("*/information")):
            for line in _text(information).splitlines():
                name, _, value = line.partition(":")
                if name.strip() == "Model":
                    found.append(value.strip())
    return tuple(found)


def machine_name() -> str:
    """What tells this machine from others that share a home folder with it."""
    stable = _text(Path("/etc/machine-id")).strip()
    return f"{platform.node()} {stable}".strip()


def boot_id() -> str:
    """The id of this boot; empty where there is none."""
    return _text(PROC / "sys/kernel/random/boot_id").strip()


def pid_namespace() -> str:
    """The namespace that this process's pids belong to; empty where there is none."""
    try:
        return os.readlink(PROC / "self/ns/pid")
    except OSError:
        return ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        # not on this system, or hidden from this user: the fact is then unknown
        return ""
