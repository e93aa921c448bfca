"""Ends the sessions that a trial left open in the server.

A session whose request failed or was cancelled never sent its END. Its sequence then holds a slot,
and a server told to stop waits for it (up to 30 s), until its idle limit. Sent after the trial's
trace and statistics were read, an END for each of them frees the server at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import grpc

from backend.contracts.values import Value
from backend.load.interface import ModelInterface
from backend.load.outside_calls import OutsideCalls
from backend.load.request_bytes import request_bytes
from backend.load.sent import Sent
from backend.sessions.plan import Plan


class ClosedSessions(Value):
    """``closed`` took the END; ``gone`` were no longer known to the server; ``failed`` neither."""

    closed: int
    gone: int
    failed: int


def close_sessions(
    plan: Plan,
    inputs: Sequence[bytes],
    sent: Sent,
    model: ModelInterface,
    endpoint: str,
    *,
    timeout_s: float = 5.0,
) -> ClosedSessions:
    """Send END for every session in ``sent.open_sessions``; never raises for what the server says.

    Args:
        plan: The plan that was sent.
        inputs: Its input tensors.
        sent: What became of it.
        model: How a row becomes a request.
        endpoint: ``host:port`` of the server's gRPC service.
        timeout_s: For each END.
    """
    if not sent.open_sessions:
        return ClosedSessions(closed=0, gone=0, failed=0)
    ids = plan.table.column("correlation_id")
    types = plan.table.column("correlation_id_type")
    bodies = [
        request_bytes(
            model,
            inputs[row],
            request_id=f"closing-{sent.request_ids[row]}",
            correlation_id=ids[row].as_py(),
            correlation_id_type=types[row].as_py(),
            is_start=False,
            is_end=True,
        )
        for row in sent.open_sessions
    ]
    with OutsideCalls(endpoint) as calls:
        answers = calls.all_at_once(bodies, timeout_s)
    errors = [answer for answer in answers if isinstance(answer, grpc.RpcError)]
    # an unknown sequence is INVALID_ARGUMENT: it has ended, or never began
    gone = sum(error.code() == grpc.StatusCode.INVALID_ARGUMENT for error in errors)
    return ClosedSessions(closed=len(answers) - len(errors), gone=gone, failed=len(errors) - gone)
