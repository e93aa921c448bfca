"""Which process is meant: a pid alone is reused; with its start time and the boot it is not."""

from __future__ import annotations

import os
from pathlib import Path


def identity(pid: int | None = None) -> str | None:
    """``boot:pid:start`` of a process (default: this one); null if it is gone or a zombie.

    Source: proc(5), /proc/<pid>/stat fields 3 (state) and 22 (starttime in clock ticks).
    """
    number = os.getpid() if pid is None else pid
    try:
        stat = Path(f"/proc/{number}/stat").read_text(encoding="ascii", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # the command name is in parentheses and may hold spaces: count fields after the last one
    fields = stat.rpartition(")")[2].split()
    if fields[0] in ("Z", "X"):
        return None
    return f"{boot}:{number}:{fields[19]}"


def is_alive(known: str) -> bool:
    """Whether the very process of that identity still runs."""
    parts = known.split(":")
    return len(parts) == 3 and parts[1].isdigit() and identity(int(parts[1])) == known
