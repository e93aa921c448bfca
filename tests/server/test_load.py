"""The load generator and the telemetry on a real Triton: M20, M29, M33, and the sums of the trace.

Expected states are computed here, from the probe's documented rule, not with the console's code.
"""

from __future__ import annotations

import os
import random
import signal
import struct
import threading
import time
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import pyarrow as pa
import pytest

pytest.importorskip("pytriton", reason="install nvidia-pytriton==0.7.0 (Linux x86-64)")

from backend.load.client_table import requests_table
from backend.load.closed_loop import send
from backend.load.interface import ModelInterface
from backend.load.replies import decode
from backend.load.sent import Sent
from backend.load.warm_up import WarmUp, warm_up
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.text import candidate_text
from backend.runtime.control import ModelControl
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.repository import assemble
from backend.sessions.plan import PLAN_SCHEMA, Plan
from backend.telemetry.metrics import read_metrics
from backend.telemetry.reconciliation import Reconciliation, reconcile
from backend.telemetry.statistics import ModelStatistics, delta, read_statistics, wait_settled
from backend.telemetry.trace import TraceSwitch
from backend.telemetry.trace_join import join_trace
from backend.templates.reader import load_template

PROBE = "probe"
INPUT_BYTES = 64
MODEL = ModelInterface(
    model_name=PROBE,
    input_name="CHUNK",
    data_type="UINT8",
    shape=(1, INPUT_BYTES),
    outputs=("STATE_BEFORE", "STATE_AFTER", "INSTANCE", "SEEN"),
    instance_output="INSTANCE",
    max_batch_size=8,
)
ABOVE_INT64 = 2**63 + 11
CANDIDATES = ("sequence-direct", "sequence-oldest", "dynamic", "no-batching")
WARMING = bytes(range(INPUT_BYTES))


def load(server: EmbeddedServer, name: str, *, instances: int = 2, **more: object) -> ModelControl:
    """Load the probe under a candidate; ``more`` are its template parameters, or ``id_type``."""
    id_type = more.pop("id_type", "uint64")
    oldest = name == "sequence-oldest"
    candidate = Candidate(
        name=name,  # type: ignore[arg-type]
        model_name=PROBE,
        template="session_probe",
        parameters={"input_bytes": INPUT_BYTES, **more},  # type: ignore[dict-item]
        instances=instances,
        max_batch_size=8,
        max_candidate_sequences=16 if oldest else None,
        max_sequence_idle_microseconds=30_000_000 if name.startswith("sequence") else None,
        correlation_id_type=id_type,  # type: ignore[arg-type]
    )
    template = load_template("session_probe")
    assemble(server.repository, PROBE, template, candidate_text(candidate, template))
    control = server.control()
    control.load(PROBE)
    return control


def plan_of(
    lengths: list[int], *, first_id: int = 1000, id_type: str = "uint64", concurrency: int = 8
) -> Plan:
    draws = random.Random(5)
    rows = [
        {
            "request_id": f"{session}.{step}",
            "session": session,
            "step": step,
            "session_length": length,
            "length_group": "all",
            "correlation_id": str(first_id + session) if id_type == "uint64" else f"call {session}",
            "correlation_id_type": id_type,
            "is_start": step == 0,
            "is_end": step == length - 1,
            "gap_ns": draws.choice([0, 300_000, 2_000_000]),
            "input": draws.randbytes(INPUT_BYTES),
        }
        for session, length in enumerate(lengths)
        for step in range(length)
    ]
    table = pa.Table.from_pylist(rows, schema=PLAN_SCHEMA)
    return Plan("talk", "instances=2,concurrency=8,mix=all", concurrency, 5, table)


def inputs_of(plan: Plan) -> list[bytes]:
    return list(plan.table["input"].to_pylist())


def wrong_states(plan: Plan, replies: pa.Table) -> int:
    """Replies that do not follow from their own session alone."""
    wrong, state = 0, b""
    for row, reply in zip(plan.table.to_pylist(), replies.to_pylist(), strict=True):
        before = bytes(16) if row["step"] == 0 else state
        state = blake2b(before + row["input"], digest_size=16).digest()
        wrong += (reply["STATE_BEFORE"], reply["STATE_AFTER"]) != (before, state)
    return wrong


@dataclass(frozen=True)
class Measured:
    warmed: WarmUp
    sent: Sent
    replies: pa.Table
    table: pa.Table
    statistics: ModelStatistics
    reconciliation: Reconciliation


def measure(server: EmbeddedServer, plan: Plan, candidate: str, instances: int) -> Measured:
    endpoints = server.endpoints
    fresh = read_statistics(endpoints.http, PROBE)
    warmed = warm_up(plan, WARMING, MODEL, endpoints.grpc, instances=instances)
    before = wait_settled(endpoints.http, PROBE, fresh, warmed.requests)
    assert before.settled
    switch = TraceSwitch(endpoints.http, server.trace_file)
    switch.on()
    sent = send(plan, inputs_of(plan), MODEL, endpoints.grpc, reply_timeout_s=20)
    after = wait_settled(endpoints.http, PROBE, before.statistics, sent.count("ok"))
    assert after.settled
    trace = switch.off_and_read(model_name=PROBE, expected=plan.table.num_rows)
    assert trace.problem is None
    assert len(trace.records) == plan.table.num_rows
    replies = decode(sent, MODEL)
    table = join_trace(
        requests_table(
            sent, plan, trial=0, candidate=candidate, repeat=0, replies=replies, model=MODEL
        ),
        trace.records,
        sent.started_monotonic_ns,
    )
    change = delta(before.statistics, after.statistics)
    return Measured(warmed, sent, replies, table, change, reconcile(table, change))


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_client_trace_model_and_statistics_tell_the_same_story(
    triton: EmbeddedServer, candidate: str
) -> None:
    control = load(triton, candidate, instances=2, service_ms=2)
    plan = plan_of([12, 3, 25, 7, 1, 18, 9, 14] * 3, first_id=ABOVE_INT64)
    try:
        measured = measure(triton, plan, candidate, instances=2)
    finally:
        control.unload(PROBE)

    assert measured.warmed.complete
    assert min(measured.warmed.served.values()) >= 2
    assert set(measured.sent.outcomes) == {"ok"}
    if candidate.startswith("sequence"):
        assert wrong_states(plan, measured.replies) == 0

    result = measured.reconciliation
    assert result.agrees, result.sentences
    assert result.traced_requests == result.server_success_count == plan.table.num_rows
    # one clock, one set of requests: far inside the tolerance
    assert all(abs(item.relative_difference or 0) < 1e-6 for item in result.figures)

    rows = measured.table.to_pylist()
    seen = [struct.unpack("<5q", tensor) for tensor in measured.replies["SEEN"].to_pylist()]
    # the model's own account: execution number in its instance, real requests in the batch
    assert [row["batch_size"] for row in rows] == [batch for _, batch, *_ in seen]
    own = {}
    for row, (number, *_) in zip(rows, seen, strict=True):
        assert own.setdefault((row["instance"], number), row["execution"]) == row["execution"]
    assert len(own) == len(set(own.values())) == measured.statistics.execution_count
    start_of = dict(sorted((row["execution"], row["compute_start_ns"]) for row in rows))
    assert list(start_of.values()) == sorted(start_of.values())
    padding = sum(size * n for size, n in measured.statistics.batch_sizes.items()) - len(rows)
    assert result.padding_rows == padding
    assert (padding > 0) is (candidate == "sequence-direct")
    for row, (*_, begun, ended) in zip(rows, seen, strict=True):
        start = measured.sent.started_monotonic_ns
        assert row["scheduled_ns"] <= row["sent_ns"] <= row["queue_start_ns"]
        assert row["queue_start_ns"] <= row["compute_start_ns"] <= begun - start
        assert ended - start <= row["compute_output_start_ns"] <= row["compute_end_ns"]
        assert ended - start <= row["received_ns"]


def test_text_ids_keep_sessions_apart_and_order_is_kept(triton: EmbeddedServer) -> None:
    control = load(triton, "sequence-oldest", instances=2, id_type="string")
    plan = plan_of([15, 4, 22, 9] * 4, id_type="string")
    try:
        measured = measure(triton, plan, "sequence-oldest", instances=2)
    finally:
        control.unload(PROBE)
    assert set(measured.sent.outcomes) == {"ok"}
    assert wrong_states(plan, measured.replies) == 0
    begun = [struct.unpack("<5q", tensor)[3] for tensor in measured.replies["SEEN"].to_pylist()]
    for row, record in enumerate(plan.table.to_pylist()):
        assert record["step"] == 0 or begun[row] > begun[row - 1]


def test_a_stop_leaves_nothing_behind_and_the_next_plan_runs(triton: EmbeddedServer) -> None:
    control = load(triton, "sequence-oldest", instances=1, service_ms=20)
    plan = plan_of([50] * 8)
    begun = time.monotonic()
    try:
        sent = send(
            plan,
            inputs_of(plan),
            MODEL,
            triton.endpoints.grpc,
            stop=lambda: time.monotonic() - begun > 0.5,
            reply_timeout_s=20,
        )
        assert sent.stopped
        assert sent.server_lost is None
        assert sent.count("ok") > 0
        assert 0 < sent.count("cancelled") <= 8
        assert sent.count("not_sent") == 400 - sent.count("ok") - sent.count("cancelled")
        deadline = time.monotonic() + 10
        while read_metrics(triton.endpoints.metrics, PROBE).pending:
            assert time.monotonic() < deadline, "requests are still waiting in the server"
            time.sleep(0.05)
        again = plan_of([5] * 8, first_id=5000)
        after = send(again, inputs_of(again), MODEL, triton.endpoints.grpc, reply_timeout_s=20)
        assert set(after.outcomes) == {"ok"}
        assert wrong_states(again, decode(after, MODEL)) == 0
    finally:
        control.unload(PROBE)


def test_refusals_and_silence_have_the_servers_words(triton: EmbeddedServer) -> None:
    control = load(triton, "sequence-direct", instances=1, service_ms=400)
    plan = plan_of([2, 2, 2], concurrency=3)
    rows = plan.table.to_pylist()
    rows[0]["is_start"] = False
    plan = Plan(plan.request_type, plan.cell, 3, 5, pa.Table.from_pylist(rows, schema=PLAN_SCHEMA))
    tensors = inputs_of(plan)
    tensors[3] = tensors[3][:-1]
    try:
        sent = send(plan, tensors, MODEL, triton.endpoints.grpc, reply_timeout_s=3)
        late = send(
            plan_of([2], first_id=7000), tensors[:2], MODEL, triton.endpoints.grpc,
            reply_timeout_s=0.1,
        )  # fmt: skip
        metrics = read_metrics(triton.endpoints.metrics, PROBE)
    finally:
        control.unload(PROBE)
    assert sent.outcomes == ("error", "not_sent", "ok", "error", "ok", "ok")
    assert "must specify the START flag on the first request" in (sent.errors[0] or "")
    assert (sent.errors[1] or "").startswith("not sent: step 0 of its session failed: inference")
    assert "byte size mismatch" in (sent.errors[3] or "")
    assert late.outcomes == ("unanswered", "not_sent")
    assert late.errors[0] == "no reply within 0.1 s"
    assert metrics.counters["request_success"] >= 3
    assert metrics.summaries["queue"].count >= 3


def test_a_server_killed_in_mid_run_is_told_not_raised(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "models", tmp_path / "work")
    try:
        server.start()
        server.wait_ready()
        load(server, "sequence-oldest", instances=1, service_ms=10)
        plan = plan_of([60] * 16)
        switch = TraceSwitch(server.endpoints.http, server.trace_file)
        switch.on()
        pid = server.pid
        assert pid is not None
        killer = threading.Timer(0.5, os.kill, [pid, signal.SIGKILL])
        killer.start()
        sent = send(plan, inputs_of(plan), MODEL, server.endpoints.grpc, reply_timeout_s=20)
        killer.join()
        assert sent.server_lost
        assert sent.count("ok") > 0
        assert sent.count("unanswered") > 0
        assert set(sent.outcomes) == {"ok", "unanswered", "not_sent"}
        trace = switch.off_and_read(expected=sent.count("ok"))
        assert trace.records == ()
        assert "could not be switched off" in (trace.problem or "")
        replies = decode(sent, MODEL)
        table = requests_table(sent, plan, trial=0, candidate="sequence-oldest", repeat=0)
        joined = join_trace(table, trace.records, sent.started_monotonic_ns)
        assert joined["queue_start_ns"].null_count == plan.table.num_rows
        assert replies["STATE_AFTER"].null_count == plan.table.num_rows - sent.count("ok")
    finally:
        server.stop(grace_s=0)
