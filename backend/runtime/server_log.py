"""A server's log: read its end without reading all of it, and keep a flood from filling the disk.

Triton's lines begin with a letter for the level (I, W, E, F) and the date; what a model prints, and
what the dynamic loader or the C library has to say, stands between them as it is.
"""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path
from typing import Final

TAIL_BYTES: Final = 256 * 1024
"""The most that is read to find the last lines."""
LIMIT_BYTES: Final = 64 * 1024 * 1024
KEPT_BYTES: Final = 1024 * 1024

_LEVEL: Final = re.compile(r"^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ ")
_TABLE: Final = re.compile(r"^[|+]")
_ALWAYS_THERE: Final = (
    # what 24.10 says on every machine without an NVIDIA driver
    "pinned memory pool will not be available",
    "CudaDriverHelper has not been initialized",
    "Failed to initialize NVML",
    "DCGM unable to start",
)


def log_tail(path: Path, lines: int = 100) -> tuple[str, ...]:
    """The last lines of a log, at most ``TAIL_BYTES`` of them; empty if there is no log."""
    text = read_from(path, max(0, size(path) - TAIL_BYTES))
    found = text.splitlines()
    if size(path) > TAIL_BYTES:
        # the reading began somewhere inside a line
        found = found[1:]
    return tuple(found[-lines:]) if lines > 0 else ()


def size(path: Path) -> int:
    """Bytes in the log now, 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def read_from(path: Path, offset: int) -> str:
    """What was written since the log had ``offset`` bytes, its last ``TAIL_BYTES`` if it is more.

    A log that was cut since then is read from its beginning.
    """
    now = size(path)
    start = max(offset if offset <= now else 0, now - TAIL_BYTES)
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(TAIL_BYTES).decode("utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def telling_lines(text: str, count: int = 10) -> tuple[str, ...]:
    """The last lines that say what went wrong: errors and raw output, without tables and routine.

    Where nothing looks like a fault, the last lines as they are.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    kept = []
    for line in lines:
        level = _LEVEL.match(line)
        routine = level is not None and level.group(1) in "IW"
        if not (routine or _TABLE.match(line) or any(known in line for known in _ALWAYS_THERE)):
            kept.append(line)
    return tuple((kept or [line for line in lines if not _TABLE.match(line)])[-count:])


class LogGuard:
    """Keeps a log below a limit while its server runs: cuts it down to its last part.

    The server must write it in append mode; lines that it writes during the cut are lost, and the
    log says that it was cut.
    """

    def __init__(
        self,
        path: Path,
        *,
        limit_bytes: int = LIMIT_BYTES,
        kept_bytes: int = KEPT_BYTES,
        interval_s: float = 1.0,
    ) -> None:
        self._path = path
        self._limit = limit_bytes
        self._kept = kept_bytes
        self._interval_s = interval_s
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self.problem: str | None = None
        """Why it could not cut the log, if so."""

    def start(self) -> None:
        """Watch from now on, if it does not yet."""
        if self._thread is not None:
            return
        self._stopped.clear()
        self._thread = threading.Thread(target=self._watch, name="server-log", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no longer; the log is checked a last time."""
        if self._thread is not None:
            self._stopped.set()
            self._thread.join()
            self._thread = None
            self.cut_if_large()

    def cut_if_large(self) -> None:
        """Cut the log down if it is above the limit."""
        total = size(self._path)
        if total <= self._limit:
            return
        try:
            with self._path.open("rb") as reader:
                reader.seek(total - self._kept)
                end = reader.read(self._kept).partition(b"\n")[2]
            note = f"[Interleave cut this log at {total} bytes; its end follows.]\n".encode()
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND)
            try:
                os.ftruncate(descriptor, 0)
                os.write(descriptor, note + end)
            finally:
                os.close(descriptor)
        except OSError as error:
            self.problem = f"The server's log {self._path} could not be cut: {error.strerror}."

    def _watch(self) -> None:
        while not self._stopped.wait(self._interval_s):
            self.cut_if_large()
