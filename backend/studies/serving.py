"""One candidate on the server: load it fresh, warm every instance, send a plan, take it away.

Used by trials and by the isolated replay alike.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from backend.contracts.errors import ServerFailed
from backend.load.client_table import requests_table
from backend.load.closed_loop import send
from backend.load.interface import ModelInterface
from backend.load.replies import decode
from backend.load.sent import Counters, Sent
from backend.load.warm_up import WarmUp, warm_up
from backend.modelconfig.build import build
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.effective import same_effect
from backend.modelconfig.text import candidate_text
from backend.runtime.control import ModelControl
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.repository import assemble
from backend.sessions.plan import Plan
from backend.studies.preparation import PreparedClass
from backend.telemetry.metrics import ModelMetrics, read_metrics
from backend.telemetry.reconciliation import Reconciliation, reconcile
from backend.telemetry.statistics import ModelStatistics, delta, read_statistics, wait_settled
from backend.telemetry.trace import TraceSwitch
from backend.telemetry.trace_join import join_trace

DYING_S = 2.0
"""A server that was killed drops its connections some time before its process is gone."""
REPLY_TIMEOUT_S = 30.0
"""A request without a reply for so long counts as unanswered."""


@dataclass(frozen=True)
class Served:
    """What became of one plan under one candidate."""

    config_text: str
    effective_config: dict[str, Any]
    config_differences: tuple[str, ...]
    sent: Sent
    requests: pa.Table
    replies: pa.Table
    warm_up: WarmUp
    warm_up_tensor: bytes
    statistics: ModelStatistics | None
    metrics: ModelMetrics | None
    reconciliation: Reconciliation | None
    trace_problem: str | None
    load_s: float
    server_end: str | None


def interface_of(prepared: PreparedClass, candidate: Candidate) -> ModelInterface:
    """How rows of the class's plans become requests to the candidate's model."""
    template = prepared.template
    values = template.parameter_values(candidate.parameters)
    tensor = next(t for t in template.inputs if t.name == template.samples.input)
    dims = [int(values[dim]) if isinstance(dim, str) else dim for dim in tensor.dims]
    names = tuple(output.name for output in template.outputs)
    return ModelInterface(
        model_name=candidate.model_name,
        input_name=tensor.name,
        data_type=tensor.data_type,
        shape=tuple(([1] if candidate.max_batch_size > 0 else []) + dims),
        outputs=names,
        instance_output="INSTANCE" if "INSTANCE" in names else None,
        max_batch_size=candidate.max_batch_size,
    )


def warm_up_tensor(prepared: PreparedClass, plan: Plan, inputs: list[bytes]) -> bytes:
    """An input for warming up that no session sends where inputs are generated.

    The probe's state is a hash of its inputs: warmed with a session's own bytes, an instance would
    hold a state that looks like that session's.
    """
    if prepared.template.samples.kind != "generated":
        return inputs[0]
    size = len(inputs[0])
    seed = f"warm-up {plan.request_type} {plan.seed}".encode()
    return hashlib.shake_256(seed).digest(size)


def serve(
    server: EmbeddedServer,
    control: ModelControl,
    prepared: PreparedClass,
    candidate: Candidate,
    plan: Plan,
    *,
    trial: int,
    repeat: int,
    stop: Callable[[], bool],
    progress: Callable[[Counters], None],
) -> Served:
    """Load a candidate fresh, send a plan, collect what client and server saw.

    Its unload goes on after the return: an instance takes a second to end, in which the caller can
    judge and write. The next model waits for it.

    Raises:
        ModelLoadFailed: if Triton refuses the model or its configuration.
        ServerFailed: if the server is lost before anything was measured.
    """
    text = candidate_text(candidate, prepared.template)
    name = candidate.model_name
    wait_all_unloaded(control)
    assemble(server.repository, name, prepared.template, text)
    started = time.monotonic()
    control.load(name)
    load_s = time.monotonic() - started
    lost = False
    try:
        effective = control.model_config(name)
        differences = same_effect(build(candidate, prepared.template), effective)
        model = interface_of(prepared, candidate)
        inputs = prepared.inputs(plan)
        tensor = warm_up_tensor(prepared, plan, inputs)
        warmed = warm_up(plan, tensor, model, server.endpoints.grpc, instances=candidate.instances)
        before = wait_settled_reading(server, name, warmed.requests)
        switch = TraceSwitch(server.endpoints.http, server.trace_file)
        switch.on()
        sent = send(
            plan,
            inputs,
            model,
            server.endpoints.grpc,
            stop=stop,
            progress=progress,
            reply_timeout_s=REPLY_TIMEOUT_S,
        )
        # one that answers nothing would not answer an unload either: it will be restarted
        lost = sent.server_lost is not None
        statistics: ModelStatistics | None = None
        metrics: ModelMetrics | None = None
        reconciliation: Reconciliation | None = None
        trace_problem: str | None = None
        server_end: str | None = None
        replies = decode(sent, model)
        requests = requests_table(
            sent,
            plan,
            trial=trial,
            candidate=candidate.name,
            repeat=repeat,
            replies=replies,
            model=model,
        )
        alive = server.is_alive() if sent.server_lost is None else _outlives(server)
        if alive and sent.server_lost is None:
            after = wait_settled(server.endpoints.http, name, before, sent.count("ok"))
            statistics = delta(before, after.statistics)
            metrics = read_metrics(server.endpoints.metrics, name)
            expected = sum(outcome != "not_sent" for outcome in sent.outcomes)
            traced = switch.off_and_read(model_name=name, expected=expected)
            trace_problem = traced.problem
            requests = join_trace(requests, traced.records, sent.started_monotonic_ns)
            reconciliation = reconcile(requests, statistics)
        if not alive or not server.is_alive():
            server_end = server.describe_end()
        return Served(
            config_text=text,
            effective_config=effective,
            config_differences=tuple(str(difference) for difference in differences),
            sent=sent,
            requests=requests,
            replies=replies,
            warm_up=warmed,
            warm_up_tensor=tensor,
            statistics=statistics,
            metrics=metrics,
            reconciliation=reconciliation,
            trace_problem=trace_problem,
            load_s=load_s,
            server_end=server_end,
        )
    finally:
        if server.is_alive() and not lost:
            control.begin_unload(name)


def _outlives(server: EmbeddedServer) -> bool:
    """Whether a server that fell silent still runs; a dying one drops its connections first."""
    give_up = time.monotonic() + DYING_S
    while server.is_alive():
        if time.monotonic() > give_up:
            return True
        time.sleep(0.02)
    return False


def wait_all_unloaded(control: ModelControl) -> None:
    """Wait until the server holds no model: one at a time, or they would share its cores."""
    for model in control.index():
        control.wait_unloaded(model.name)


def wait_settled_reading(server: EmbeddedServer, name: str, warm_ups: int) -> ModelStatistics:
    """The statistics once they hold all warm-up requests: they lag the replies a little."""
    empty = read_statistics(server.endpoints.http, name)
    zero = empty.model_copy(update={"success_count": 0})
    settled = wait_settled(server.endpoints.http, name, zero, warm_ups)
    if not settled.settled:
        raise ServerFailed(
            f"The server's statistics of '{name}' count {settled.statistics.success_count} "
            f"requests after {warm_ups} answered warm-up requests.",
            next_step="Run the study again; if it stays so, report it with the server's log.",
        )
    return settled.statistics
