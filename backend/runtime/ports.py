"""Free TCP ports on the loopback interface, and who listens on a taken one.

Source: proc(5), ``/proc/net/tcp``: local address and port in hexadecimal, state ``0A`` is LISTEN,
the socket's inode in the tenth column; ``/proc/<pid>/fd`` links to ``socket:[inode]``.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from backend.contracts.errors import InputError, ServerFailed
from backend.runtime.process_table import PROC, command_line, every_pid

LOOPBACK: Final = "127.0.0.1"
_LISTEN: Final = "0A"


def free_ports(count: int) -> tuple[int, ...]:
    """So many different ports that are free at this moment; another process may still take one."""
    with ExitStack() as held:
        ports = []
        for _ in range(count):
            probe = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            probe.bind((LOOPBACK, 0))
            ports.append(int(probe.getsockname()[1]))
        return tuple(ports)


def is_free(port: int) -> bool:
    """Whether a server could listen on the loopback port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # as servers do: a port that only waits out its old connections is free
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


class PortChoice:
    """The ports of one server: fixed ones as asked for, free ones for the others."""

    def __init__(self, fixed: Mapping[str, int | None]) -> None:
        """Keep what was asked for.

        Args:
            fixed: By endpoint; null where any free port will do.

        Raises:
            InputError: if two of the fixed ports are the same.
        """
        asked = [port for port in fixed.values() if port is not None]
        if len(set(asked)) < len(asked):
            raise InputError(
                f"Triton's {', '.join(fixed)} ports must differ: {', '.join(map(str, asked))}.",
                next_step="Choose different ports, or leave them free to choose.",
            )
        self._fixed = dict(fixed)
        self.ports: dict[str, int] = {}
        """The latest choice, by endpoint; empty before the first."""

    def choose(self) -> None:
        """Choose anew: the previous ports where they are still free.

        Raises:
            ServerFailed: if a fixed port is taken; names the process that listens there.
        """
        for name, port in self._fixed.items():
            if port is not None and not is_free(port):
                raise ServerFailed(
                    f"The port {port}, asked for as Triton's {name} port, is taken.",
                    why=f"On {LOOPBACK}:{port} listens {describe_owner(port)}.",
                    next_step="End that process, choose another port, or leave it free to choose.",
                )
        wanted = {name: port or self.ports.get(name) for name, port in self._fixed.items()}
        kept = {name: port for name, port in wanted.items() if port and is_free(port)}
        new = iter(port for port in free_ports(2 * len(wanted)) if port not in kept.values())
        self.ports = {name: kept.get(name) or next(new) for name in wanted}

    def all_free(self) -> bool:
        """Whether a server could still listen on all chosen ports."""
        return all(is_free(port) for port in self.ports.values())

    def all_held_by(self, pid: int) -> bool:
        """Whether that process listens on all chosen ports."""
        return all(listens(pid, port) for port in self.ports.values())


def listens(pid: int, port: int) -> bool:
    """Whether that process listens on the loopback port."""
    return bool(_listening_inodes(port) & _socket_inodes(pid))


def describe_owner(port: int) -> str:
    """Who listens on a port, as words for a sentence; says so where it cannot be found."""
    inodes = _listening_inodes(port)
    if not inodes:
        return "no listening process (the port may be held by a connection)"
    for pid in every_pid():
        if inodes & _socket_inodes(pid):
            arguments = command_line(pid)
            text = " ".join(arguments)
            short = text if len(text) <= 120 else text[:117] + "..."
            return f"process {pid} ({short})"
    return "a process that cannot be named (another user's, or outside this container)"


def _listening_inodes(port: int) -> frozenset[str]:
    found = set()
    for table in (PROC / "net/tcp", PROC / "net/tcp6"):
        for line in _lines(table)[1:]:
            fields = line.split()
            if len(fields) > 9 and fields[3] == _LISTEN:
                local = fields[1].rpartition(":")[2]
                if int(local, 16) == port:
                    found.add(fields[9])
    return frozenset(found)


def _socket_inodes(pid: int) -> frozenset[str]:
    folder = PROC / str(pid) / "fd"
    found = set()
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return frozenset()
    for name in names:
        try:
            target = os.readlink(folder / name)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        if target.startswith("socket:["):
            found.add(target[8:-1])
    return frozenset(found)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except (FileNotFoundError, PermissionError):
        return []
