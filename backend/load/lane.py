"""A lane: one gRPC stream that serves one session after another, one request in flight."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import grpc

from backend.load.ledger import Ledger
from backend.load.lock_step import LockStep
from backend.load.planned_rows import PlannedRows

ERROR_FIELD: Final = 0x0A
"""First byte of a reply that carries an error: the tag of ``error_message``, field 1 of
``ModelStreamInferResponse``. Protobuf writes fields in the order of their numbers and leaves empty
ones out, so one byte tells an error without decoding anything while the clock runs."""

NOBODY: Final = -1
CLOSE_S: Final = 1.0


@dataclass(frozen=True)
class Halt:
    """Why everything ends early: what requests in flight become, and the reason for the rest."""

    outcome: str
    why: str


@dataclass
class Work:
    """What all lanes of a run share."""

    rows: PlannedRows
    bodies: Sequence[bytes]
    ledger: Ledger
    lock_step: LockStep
    sessions: Iterator[range]
    open_stream: Callable[[], Any]
    lost: Callable[[str], None]
    reply_timeout_s: float
    started_ns: int = 0
    halted: Halt | None = None


class Lane:
    """Serves sessions of the plan in turn until there are no more, or the run is halted."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._stream = work.open_stream()
        self._row = NOBODY
        self._overdue = False

    def give_up_if_overdue(self, now_ns: int) -> None:
        """End the stream whose reply has been awaited for too long; the session ends with it."""
        if self._row == NOBODY or self._overdue:
            return
        waited_ns = now_ns - int(self._work.ledger.sent_ns[self._row])
        if waited_ns > self._work.reply_timeout_s * 1e9:
            self._overdue = True
            self._stream.cancel()

    async def serve(self) -> None:
        """Take the plan's next session whenever this lane is free."""
        work = self._work
        released_ns = work.started_ns
        try:
            for session in work.sessions:
                await self._session(session, released_ns)
                if work.halted is not None:
                    return
                released_ns = time.monotonic_ns()
        except asyncio.CancelledError:
            if work.halted is None:
                raise
        finally:
            work.lock_step.lane_ended()

    async def close(self) -> None:
        """End the stream; what it still waits for is cancelled in the server."""
        try:
            async with asyncio.timeout(CLOSE_S):
                if self._work.halted is None:
                    await self._stream.done_writing()
                    await self._stream.read()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError, TimeoutError):
            # it carries nothing any more: every request has its outcome, a failure is on record
            pass
        finally:
            self._stream.cancel()

    async def _session(self, session: range, released_ns: int) -> None:
        work, ledger = self._work, self._work.ledger
        previous_ns = released_ns
        for row in session:
            due_ns = previous_ns + work.rows.gaps_ns[row]
            if row in work.rows.after:
                named_ns = await work.lock_step.reply_before(row)
                if named_ns is None:
                    named = work.rows.request_ids[work.rows.after[row]]
                    ledger.errors[row] = f"not sent: the reply to {named} will not come first"
                    work.lock_step.arrived(row, None)
                    self._leave_out(range(row + 1, session.stop), row)
                    return
                due_ns = max(due_ns, named_ns)
            while (left_ns := due_ns - time.monotonic_ns()) > 0:
                await asyncio.sleep(left_ns / 1e9)
            ledger.scheduled_ns[row] = due_ns
            if not await self._exchange(row):
                self._leave_out(range(row + 1, session.stop), row)
                return
            previous_ns = int(ledger.received_ns[row])

    async def _exchange(self, row: int) -> bool:
        """Send a row and await its reply; whether the session may go on."""
        work, ledger = self._work, self._work.ledger
        self._row = row
        ledger.sent += 1
        ledger.sent_ns[row] = time.monotonic_ns()
        try:
            await self._stream.write(work.bodies[row])
            reply = await self._stream.read()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._stream_ended(row)
            return False
        except asyncio.CancelledError:
            # cancelling the stream and cancelling this task raise the same exception
            task = asyncio.current_task()
            if self._overdue and task is not None and not task.cancelling():
                self._unanswered(row)
                return False
            if work.halted is not None:
                ledger.fail(row, work.halted.outcome, work.halted.why)
            raise
        finally:
            self._row = NOBODY
        if reply is grpc.aio.EOF:
            await self._stream_ended(row)
            return False
        received_ns = time.monotonic_ns()
        ledger.received_ns[row] = received_ns
        ledger.replies[row] = reply
        ledger.unanswered_in_a_row = 0
        if work.lock_step.names(row):
            work.lock_step.arrived(row, received_ns)
        if self._overdue:
            # the reply came while its stream was being given up
            self._reopen()
        # an empty message says nothing at all: an error too
        if not reply or reply[0] == ERROR_FIELD:
            ledger.fail(row, "error", None)
            return False
        ledger.outcomes[row] = "ok"
        ledger.answered += 1
        return True

    def _unanswered(self, row: int) -> None:
        self._work.ledger.fail(
            row, "unanswered", f"no reply within {self._work.reply_timeout_s:g} s"
        )
        self._work.ledger.unanswered_in_a_row += 1
        self._work.lock_step.arrived(row, None)
        self._reopen()

    async def _stream_ended(self, row: int) -> None:
        """The stream broke under a request: find out why, and whether the server is gone."""
        work = self._work
        if self._overdue:
            self._unanswered(row)
            return
        code = await self._stream.code()
        details = await self._stream.details() or "no further text"
        text = f"the stream ended with {code.name}: {details}"
        if code == grpc.StatusCode.UNAVAILABLE:
            work.ledger.fail(row, "unanswered", text)
            work.lost(text)
        elif code == grpc.StatusCode.OK:
            work.ledger.fail(row, "unanswered", "the server ended the stream without a reply")
        else:
            work.ledger.fail(row, "error", text)
        work.lock_step.arrived(row, None)
        self._reopen()

    def _reopen(self) -> None:
        self._overdue = False
        self._stream = self._work.open_stream()

    def _leave_out(self, rows: range, failed: int) -> None:
        self._work.ledger.leave_out(rows, failed=failed)
        for row in rows:
            self._work.lock_step.arrived(row, None)
