"""Which processes belong to a server of ours, and signals that reach no other process.

A process is ours when it was started with the server's shared-memory prefix in its environment (so
are the stubs, and whatever a model starts), or is a ``tritonserver`` or stub that names the prefix
in its arguments. Identities are those of ``contracts.process_identity``: a reused pid is not ours.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from backend.contracts.home import SHM_PREFIX
from backend.contracts.process_identity import identity, is_alive

PREFIX_VARIABLE: Final = "INTERLEAVE_SHM_PREFIX"
"""Set in the environment of each server of ours; its descendants inherit it."""

PREFIX_FORM: Final = re.compile(re.escape(SHM_PREFIX) + r"[0-9a-f]{12}-")
"""How a prefix of ours looks; anything else that begins alike is not ours."""

PROC: Final = Path("/proc")


def every_pid() -> tuple[int, ...]:
    """The pids of all processes that this one can see; none where there is no /proc."""
    try:
        return tuple(int(name) for name in os.listdir(PROC) if name.isdigit())
    except FileNotFoundError:
        return ()


def command_line(pid: int) -> tuple[str, ...]:
    """The arguments of a process; empty if it is gone, a zombie or not ours to read."""
    return _null_separated(PROC / str(pid) / "cmdline")


def prefix_of(pid: int) -> str | None:
    """The shared-memory prefix of the server that a process belongs to; null if to none."""
    for setting in _null_separated(PROC / str(pid) / "environ"):
        name, _, value = setting.partition("=")
        if name == PREFIX_VARIABLE and PREFIX_FORM.fullmatch(value):
            return value
    arguments = command_line(pid)
    program = os.path.basename(arguments[0]) if arguments else ""
    if program not in ("tritonserver", "triton_python_backend_stub"):
        return None
    for argument in arguments[1:]:
        # a server's option ends in the prefix, a stub's argument begins with it
        found = PREFIX_FORM.match(argument.rpartition("shm-region-prefix-name=")[2])
        if found:
            return found.group()
    return None


def processes_by_prefix() -> dict[str, tuple[str, ...]]:
    """The identities of all living processes of servers of ours, by shared-memory prefix."""
    found: dict[str, list[str]] = {}
    for pid in every_pid():
        if pid == os.getpid():
            continue
        known = identity(pid)
        prefix = prefix_of(pid)
        # read twice: the pid may have changed hands between the two readings
        if prefix is not None and known is not None and is_alive(known):
            found.setdefault(prefix, []).append(known)
    return {prefix: tuple(identities) for prefix, identities in found.items()}


def pid_of(known: str) -> int:
    """The pid in an identity."""
    return int(known.split(":")[1])


def send_signal(known: str, number: signal.Signals) -> bool:
    """Signal that very process; false if it is gone.

    Raises:
        PermissionError: if the process is another user's.
    """
    try:
        handle = os.pidfd_open(pid_of(known))
    except ProcessLookupError:
        return False
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        # a kernel before 5.3, or a sandbox: checking first is the best that is left
        return is_alive(known) and _kill(pid_of(known), number)
    try:
        # the handle names one process for good, so a check after opening it cannot go stale
        if not is_alive(known):
            return False
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
    return True


def _kill(pid: int, number: signal.Signals) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def kill_all(identities: Iterable[str], deadline_s: float = 5.0) -> tuple[str, ...]:
    """Kill processes and wait until they are gone.

    Returns:
        The identities of those that are still there: another user's, or stuck in the kernel.
    """
    remaining = list(identities)
    refused = []
    for known in remaining:
        try:
            send_signal(known, signal.SIGKILL)
        except PermissionError:
            refused.append(known)
    return tuple(wait_gone((k for k in remaining if k not in refused), deadline_s)) + tuple(refused)


def wait_gone(identities: Iterable[str], deadline_s: float) -> tuple[str, ...]:
    """Wait until processes are gone or zombies; returns those that still run at the deadline."""
    remaining = [known for known in identities if is_alive(known)]
    give_up = time.monotonic() + deadline_s
    while remaining and time.monotonic() < give_up:
        time.sleep(0.02)
        remaining = [known for known in remaining if is_alive(known)]
    return tuple(remaining)


def _null_separated(path: Path) -> tuple[str, ...]:
    try:
        content = path.read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        # gone in the meantime, or another user's
        return ()
    return tuple(
        part.decode("utf-8", errors="surrogateescape") for part in content.split(b"\0") if part
    )
