"""Notices that a model's process died while its model loads: Triton then waits for it for ever.

Seen with 24.10: when the stub ends by itself before the model is initialised (killed for memory, a
crash in a native library, ``os._exit``), the load call never returns and the server can only be
killed. The stub is then left as a zombie child of the server.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Final

from backend.runtime.process_table import PROC, every_pid

PATIENCE_S: Final = 2.0
"""A stub that ended in order is a zombie for a moment only, until the server has collected it."""
_STUB_NAMES: Final = ("triton_python_b", "bash")
"""The names of a stub in /proc, cut to 15 characters, and of the shell that starts it."""


class EndedModelProcess:
    """Made when a load begins and asked during it: says why it is pointless to wait on."""

    def __init__(self, server_pid: Callable[[], int | None]) -> None:
        """Watch the children of a server; those that are dead already do not count.

        Args:
            server_pid: The pid of the server, null once it has ended.
        """
        self._server_pid = server_pid
        self._seen: dict[int, float] = {}
        server = server_pid()
        self._before = frozenset(_zombie_stubs(server)) if server is not None else frozenset()

    def __call__(self) -> str | None:
        """A sentence if the server has ended or a model's process stays dead; else null."""
        server = self._server_pid()
        if server is None:
            return "The server's own process ended."
        now = time.monotonic()
        zombies = {p: end for p, end in _zombie_stubs(server).items() if p not in self._before}
        self._seen = {pid: self._seen.get(pid, now) for pid in zombies}
        for pid, since in self._seen.items():
            if now - since >= PATIENCE_S:
                return f"The model's process {zombies[pid]} before the model was initialised."
        return None


def _zombie_stubs(server: int) -> dict[int, str]:
    """Dead, uncollected stubs of a server by pid, with how they ended."""
    found = {}
    for pid in every_pid():
        try:
            stat = (PROC / str(pid) / "stat").read_text(encoding="ascii", errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        name = stat.partition("(")[2].rpartition(")")[0]
        fields = stat.rpartition(")")[2].split()
        if fields[0] == "Z" and int(fields[1]) == server and name in _STUB_NAMES:
            # proc(5), field 52: the status as waitpid gives it; 0 where it may not be read
            found[pid] = _ending(int(fields[49]))
    return found


def _ending(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"ended with exit code {code}" if code else "ended"
