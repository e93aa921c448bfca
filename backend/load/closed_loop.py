"""Sends a plan in a closed loop and says what became of every request.

At most ``plan.concurrency`` sessions are live. A session sends its next step after the reply to the
one before and the planned gap; when it ends, the plan's next session takes its lane. Every lane has
a gRPC stream of its own, so that requests of one session stay in order and no two sessions share a
stream at once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import grpc

from backend.contracts.errors import InputError
from backend.load.account import account
from backend.load.channel import CHANNEL_OPTIONS
from backend.load.collector import collector_at_rest
from backend.load.interface import ModelInterface
from backend.load.lane import Halt, Lane, Work
from backend.load.ledger import Ledger
from backend.load.lock_step import LockStep
from backend.load.planned_rows import PlannedRows
from backend.load.precise_loop import run_precisely
from backend.load.request_bytes import planned_requests
from backend.load.sent import Counters, Sent
from backend.load.watch import Watch
from backend.sessions.plan import Plan

STREAM_METHOD: Final = "/inference.GRPCInferenceService/ModelStreamInfer"
CONNECT_S: Final = 5.0
FEWEST_TO_GIVE_UP: Final = 3
"""Requests unanswered in a row, on two rounds of all lanes, after which a server counts as lost:
otherwise a plan would wait out its reply timeout for every one of its sessions."""


def send(
    plan: Plan,
    inputs: Sequence[bytes],
    model: ModelInterface,
    endpoint: str,
    *,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[Counters], None] | None = None,
    reply_timeout_s: float,
) -> Sent:
    """Send every request of a plan; returns when each has an outcome.

    A server that cannot be reached, or dies on the way, is no exception: the rows say what became
    of them and ``Sent.server_lost`` why. ``stop`` is asked every 50 ms, ``progress`` told every
    250 ms, both in the sending thread: what they cost delays requests, and shows in the
    generator's cost.

    Args:
        plan: A closed-loop plan.
        inputs: The input tensor's bytes, one per row of the plan.
        model: How a row becomes a request.
        endpoint: ``host:port`` of the server's gRPC service.
        stop: Says whether the user wants the run ended: requests in flight become ``cancelled``.
        progress: Told how far the trial is.
        reply_timeout_s: After this long without a reply a request counts as ``unanswered`` (looked
            at every 50 ms); its session ends there.

    Raises:
        InputError: if the plan cannot be sent so, or does not match the inputs.
    """
    rows = PlannedRows.of(plan)
    if len(inputs) != len(rows.request_ids):
        raise InputError(
            f"The plan has {len(rows.request_ids)} requests and {len(inputs)} inputs were given."
        )
    if not reply_timeout_s > 0:
        raise InputError(f"The reply timeout is {reply_timeout_s} s; it must be above 0.")
    bodies = planned_requests(model, rows.records, inputs)
    run = _ClosedLoop(rows, bodies, plan.concurrency, endpoint, stop, progress, reply_timeout_s)
    run_precisely(run.run())
    return run.sent()


class _ClosedLoop:
    """One sending of one plan."""

    def __init__(
        self,
        rows: PlannedRows,
        bodies: Sequence[bytes],
        concurrency: int,
        endpoint: str,
        stop: Callable[[], bool] | None,
        progress: Callable[[Counters], None] | None,
        reply_timeout_s: float,
    ) -> None:
        self._rows = rows
        self._bodies = bodies
        self._lane_count = min(concurrency, len(rows.sessions))
        self._endpoint = endpoint
        self._stop = stop
        self._progress = progress
        self._reply_timeout_s = reply_timeout_s
        self._ledger = Ledger(len(bodies))
        self._watch = Watch(self._check, self._report)
        self._lanes: list[Lane] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._work: Work | None = None
        self._server_lost: str | None = None
        self._started_ns = time.monotonic_ns()
        self._started_unix_ns = time.time_ns()
        self._wall_s = self._cpu_s = self._loop_cpu_s = 0.0

    async def run(self) -> None:
        """Connect, send, close."""
        async with grpc.aio.insecure_channel(self._endpoint, options=CHANNEL_OPTIONS) as channel:
            try:
                await asyncio.wait_for(channel.channel_ready(), CONNECT_S)
            except TimeoutError:
                self._server_lost = f"no connection to {self._endpoint} within {CONNECT_S:g} s"
                return
            # None as a serializer hands bytes through as they are
            work = Work(
                rows=self._rows,
                bodies=self._bodies,
                ledger=self._ledger,
                lock_step=LockStep(self._rows.after, self._lane_count),
                sessions=iter(self._rows.sessions),
                open_stream=channel.stream_stream(STREAM_METHOD),
                lost=self._lost,
                reply_timeout_s=self._reply_timeout_s,
            )
            self._work = work
            self._lanes = [Lane(work) for _ in range(self._lane_count)]
            try:
                with collector_at_rest():
                    await self._measure(work)
            finally:
                await asyncio.gather(*(lane.close() for lane in self._lanes))

    async def _measure(self, work: Work) -> None:
        self._started_unix_ns = time.time_ns()
        self._started_ns = work.started_ns = time.monotonic_ns()
        cpu_s, loop_cpu_s = time.process_time(), time.thread_time()
        self._tasks = [asyncio.create_task(lane.serve()) for lane in self._lanes]
        watch = asyncio.create_task(self._watch.run())
        lanes = asyncio.gather(*self._tasks)
        try:
            first: tuple[asyncio.Future[Any], ...] = (lanes, watch)
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            self._wall_s = (time.monotonic_ns() - self._started_ns) / 1e9
            self._cpu_s = time.process_time() - cpu_s
            self._loop_cpu_s = time.thread_time() - loop_cpu_s
            if watch.done():
                # a callback raised: end the requests in flight, then let the caller see it
                self._halt(Halt("cancelled", "a callback failed"))
                await lanes
                watch.result()
            await lanes
        finally:
            # also when this task itself is cancelled (Ctrl-C) or a lane fails: none outlives it
            for task in (watch, *self._tasks):
                task.cancel()
            await asyncio.wait((watch, *self._tasks))
        if self._progress is not None:
            self._report()

    def _halt(self, halt: Halt) -> None:
        if self._work is None or self._work.halted is not None:
            return
        self._work.halted = halt
        current = asyncio.current_task()
        for task in self._tasks:
            if task is not current:
                task.cancel()

    def _lost(self, why: str) -> None:
        if self._server_lost is None:
            self._server_lost = why
        self._halt(Halt("unanswered", f"the server was lost ({why})"))

    def _check(self) -> None:
        if self._stop is not None and self._stop():
            self._halt(Halt("cancelled", "the run was stopped"))
            return
        now_ns = time.monotonic_ns()
        for lane in self._lanes:
            lane.give_up_if_overdue(now_ns)
        in_a_row = self._ledger.unanswered_in_a_row
        if in_a_row >= max(FEWEST_TO_GIVE_UP, 2 * self._lane_count):
            self._lost(
                f"no reply to {in_a_row} requests in a row, each within {self._reply_timeout_s:g} s"
            )

    def _report(self) -> None:
        if self._progress is None:
            return
        self._progress(
            Counters(
                planned=len(self._bodies),
                sent=self._ledger.sent,
                answered=self._ledger.answered,
                failed=self._ledger.failed,
                elapsed_s=(time.monotonic_ns() - self._started_ns) / 1e9,
            )
        )

    def sent(self) -> Sent:
        """What became of it all."""
        halted = self._work.halted if self._work is not None else None
        return account(
            self._rows,
            self._ledger,
            started_monotonic_ns=self._started_ns,
            started_unix_ns=self._started_unix_ns,
            halted=f"no server ({self._server_lost})" if halted is None else halted.why,
            stopped=halted is not None and halted.outcome == "cancelled",
            server_lost=self._server_lost,
            cost=(self._watch.late_s, self._wall_s, self._cpu_s, self._loop_cpu_s),
        )
