"""Warms every instance of a freshly loaded model, so that none serves its first request measured.

The first execute of an instance costs 20 to 30 ms more than any later one (release 24.10, Python
backend). Warm-up requests have request and correlation IDs that no plan has, so they are in no
table; the trace and the first reading of the statistics must come after them.

**How every instance is reached.** Sequence batcher: free slots are given out by slot number, all
instances' slot 0 before any slot 1, so as many sequences as there are instances, all live at once,
lie on one instance each; two steps each make two executes. Dynamic batcher and none: idle
instances are served in the order in which they became idle, so requests sent one after another go
round (both observed on release 24.10). Where the model names its instance in a reply this is
checked and repeated until each has served two; elsewhere it is done twice over, on trust.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Final

import grpc

from backend.contracts.errors import ServerFailed
from backend.contracts.values import Value
from backend.load.interface import ModelInterface
from backend.load.outside_calls import OutsideCalls
from backend.load.replies import text_element
from backend.load.request_bytes import request_bytes
from backend.sessions.plan import Plan

ENOUGH: Final = 2
"""Requests that an instance must have served."""
MOST_ROUNDS: Final = 10
ROUNDS_ON_TRUST: Final = 2
SERVERS_IDS: Final = 2**32
"""A model may take the correlation ID as UINT32, which keeps these bits only."""


class WarmUp(Value):
    """What a warm-up did; ``served`` counts requests by instance, empty if the model says none.

    ``complete``: each instance is known to have served two (or the model does not say, and the
    rule was followed). ``note`` says what is not certain.
    """

    requests: int
    served: dict[str, int]
    complete: bool
    note: str
    duration_s: float


def warm_up(
    plan: Plan,
    tensor: bytes,
    model: ModelInterface,
    endpoint: str,
    *,
    instances: int,
    timeout_s: float = 30.0,
) -> WarmUp:
    """Send warm-up requests until every instance has served; all are answered on return.

    Args:
        plan: The plan that will be measured: its correlation IDs are avoided, and requests carry
            one only if the plan's do.
        tensor: An input of the model, e.g. the plan's first.
        model: How it becomes a request.
        endpoint: ``host:port`` of the server's gRPC service.
        instances: How many instances the loaded model has.
        timeout_s: For each request.

    Raises:
        ServerFailed: if the server or the model does not serve a warm-up request.
    """
    started = time.monotonic()
    with OutsideCalls(endpoint) as calls:
        run = _WarmUp(plan, tensor, model, calls, timeout_s)
        rounds = 0
        complete = False
        while not complete and rounds < MOST_ROUNDS:
            rounds += 1
            run.side_by_side(instances)
            if not run.reached(instances):
                run.one_by_one(ENOUGH * instances)
            says = bool(run.served)
            complete = run.reached(instances) if says else rounds >= ROUNDS_ON_TRUST
        if model.max_batch_size > 1:
            run.at_once(min(plan.concurrency, instances * model.max_batch_size))
    if not run.served:
        note = "The model does not name its instance: that each was reached is by rule, unchecked."
    elif complete:
        note = ""
    else:
        note = (
            f"After {run.requests} requests {len(run.served)} of {instances} instances had served: "
            + ", ".join(f"{name} {count}" for name, count in sorted(run.served.items()))
        )
    return WarmUp(
        requests=run.requests,
        served=dict(run.served),
        complete=complete,
        note=note,
        duration_s=time.monotonic() - started,
    )


class _WarmUp:
    """The requests of one warm-up, and who served them."""

    def __init__(
        self,
        plan: Plan,
        tensor: bytes,
        model: ModelInterface,
        calls: OutsideCalls,
        timeout_s: float,
    ) -> None:
        self._tensor = tensor
        self._model = model
        self._calls = calls
        self._timeout_s = timeout_s
        self._id_type = plan.table.column("correlation_id_type")[0].as_py()
        self._taken = set(plan.table.column("correlation_id").to_pylist())
        if self._id_type == "uint64":
            self._taken |= {str(int(text) % SERVERS_IDS) for text in self._taken if text}
        self._last_id = 0
        self._last_request = 0
        self.requests = 0
        self.served: Counter[str] = Counter()

    def side_by_side(self, sequences: int) -> None:
        """As many sequences of two steps, all live at once."""
        ids = [self._new_id() for _ in range(sequences)]
        self._send([self._body(each, start=True, end=False) for each in ids])
        self._send([self._body(each, start=False, end=True) for each in ids])

    def one_by_one(self, count: int) -> None:
        """Sequences of one step, each after the reply to the one before."""
        for _ in range(count):
            self.at_once(1)

    def at_once(self, count: int) -> None:
        """Sequences of one step, all sent together."""
        self._send([self._body(self._new_id(), start=True, end=True) for _ in range(count)])

    def reached(self, instances: int) -> bool:
        """Whether so many instances are known to have served enough."""
        enough = [name for name, count in self.served.items() if count >= ENOUGH]
        return len(enough) >= instances

    def _send(self, bodies: list[bytes]) -> None:
        for answer in self._calls.all_at_once(bodies, self._timeout_s):
            if isinstance(answer, grpc.RpcError):
                raise ServerFailed(
                    f"The model '{self._model.model_name}' did not serve a warm-up request.",
                    why=f"{answer.code().name}: {answer.details()}",
                    next_step="Read the end of the server's log.",
                )
            self.requests += 1
            name = text_element(answer.get(self._model.instance_output or ""))
            if name is not None:
                self.served[name] += 1

    def _new_id(self) -> str | None:
        if self._id_type is None:
            return None
        while True:
            self._last_id += 1
            text = str(self._last_id)
            each = f"warm-up-{text}" if self._id_type == "string" else text
            if each not in self._taken:
                return each

    def _body(self, correlation_id: str | None, *, start: bool, end: bool) -> bytes:
        self._last_request += 1
        return request_bytes(
            self._model,
            self._tensor,
            request_id=f"warm-up-{self._last_request}",
            correlation_id=correlation_id,
            correlation_id_type=self._id_type,
            is_start=start,
            is_end=end,
        )
