"""One run measures at a time: two would measure each other.

A lock on ``$INTERLEAVE_HOME/measure.lock`` (flock), released by the kernel when its holder dies;
the file's text says who holds it. Runs of another home are not seen: use one home per machine.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def measure_lock(
    path: Path, run: str, *, waiting: Callable[[str], None], stop: Callable[[], None]
) -> Iterator[None]:
    """Hold the machine's measuring lock.

    Args:
        path: The lock file.
        run: Name of the run that takes it.
        waiting: Called once with a sentence when somebody else holds it.
        stop: Called while waiting; raises to give up.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        told = False
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not told:
                    waiting(f"{_holder(path)} measures on this machine; one run at a time.")
                    told = True
                stop()
                time.sleep(0.2)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"run": run, "pid": os.getpid()}).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _holder(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
        return f"The run {json.loads(text)['run']}"
    except (json.JSONDecodeError, KeyError):
        # the holder has locked the file but not yet written its name
        return "Another run"
