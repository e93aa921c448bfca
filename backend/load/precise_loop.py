"""Runs coroutines in an asyncio event loop whose timers keep to microseconds.

Python's default loop waits with ``epoll``, whose timeout is whole milliseconds, rounded up: a gap
of 0.3 ms becomes 1 ms or more, and every planned gap is late by up to one. ``select`` takes
microseconds. It is slow with many sockets, of which a gRPC channel gives the loop just one: its
sockets live in gRPC's own threads.
"""

from __future__ import annotations

import asyncio
import atexit
import selectors
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

_runners: dict[int, asyncio.Runner] = {}


def run_precisely(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end; Ctrl-C cancels it, as with ``asyncio.run``.

    Each thread has one loop, kept until the process ends: gRPC's threads tell a loop of ended
    calls when these are long forgotten, and a closed loop answers that with an exception, on which
    gRPC drops events of the calls after it.
    """
    runner = _runners.get(threading.get_ident())
    if runner is None:
        runner = asyncio.Runner(loop_factory=_precise_loop)
        _runners[threading.get_ident()] = runner
    return runner.run(work)


def _precise_loop() -> asyncio.AbstractEventLoop:
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


@atexit.register
def _close_all() -> None:
    for runner in _runners.values():
        runner.close()
