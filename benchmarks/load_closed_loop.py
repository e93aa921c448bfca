"""What the load generator reaches in a closed loop, against a plain Triton client doing the same.

Both send the same sessions, 16 at once, to the same probe without service time on the same embedded
server, in alternating rounds; the plain one is the loop that one would write with
``tritonclient.grpc.aio``: a request object built and a unary call awaited per step. Client and
server share the machine's cores, so the ratio says more than either rate.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import tritonclient.grpc.aio as plain_client

from backend.load.closed_loop import send
from backend.load.interface import ModelInterface
from backend.load.precise_loop import run_precisely
from backend.load.warm_up import warm_up
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.text import candidate_text
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.repository import assemble
from backend.sessions.plan import PLAN_SCHEMA, Plan
from backend.templates.reader import load_template
from benchmarks.results import Figure, publish

COMMAND = "make bench-load_closed_loop"
PROBE = "probe"
LANES = 16
SESSIONS, STEPS = 64, 100
ROUNDS = 5
INPUT_BYTES = 64
INSTANCES = 2
MODEL = ModelInterface(
    model_name=PROBE,
    input_name="CHUNK",
    data_type="UINT8",
    shape=(1, INPUT_BYTES),
    outputs=("STATE_BEFORE", "STATE_AFTER", "INSTANCE", "SEEN"),
    instance_output="INSTANCE",
    max_batch_size=8,
)


@dataclass(frozen=True)
class Round:
    """One round of one client; times in µs."""

    rate_per_s: float
    cpu_us: float
    p50_us: float
    p99_us: float


def plan_of_sessions() -> Plan:
    """Sessions of equal length without gaps, from a fixed seed."""
    draws = random.Random(1)
    rows = [
        {
            "request_id": f"{session}.{step}",
            "session": session,
            "step": step,
            "session_length": STEPS,
            "length_group": "all",
            "correlation_id": str(1000 + session),
            "correlation_id_type": "uint64",
            "is_start": step == 0,
            "is_end": step == STEPS - 1,
            "gap_ns": 0,
            "input": draws.randbytes(INPUT_BYTES),
        }
        for session in range(SESSIONS)
        for step in range(STEPS)
    ]
    table = pa.Table.from_pylist(rows, schema=PLAN_SCHEMA)
    return Plan("bench", f"instances={INSTANCES}", LANES, 1, table)


def ours(plan: Plan, inputs: Sequence[bytes], endpoint: str) -> Round:
    """The console's own generator."""
    sent = send(plan, inputs, MODEL, endpoint, reply_timeout_s=30)
    if sent.count("ok") != len(inputs):
        raise SystemExit(f"{len(inputs) - sent.count('ok')} requests came to nothing: no benchmark")
    times_us = (sent.received_ns - sent.sent_ns) / 1e3
    cost = sent.generator
    return Round(
        rate_per_s=cost.requests / cost.wall_s,
        cpu_us=cost.cpu_s / cost.requests * 1e6,
        p50_us=float(np.quantile(times_us, 0.5)),
        p99_us=float(np.quantile(times_us, 0.99)),
    )


def plain(plan: Plan, inputs: Sequence[bytes], endpoint: str) -> Round:
    """A closed loop as one would write it with Triton's asyncio client."""
    rows = [
        (row, np.frombuffer(tensor, np.uint8).reshape(1, -1))
        for row, tensor in zip(plan.table.to_pylist(), inputs, strict=True)
    ]
    sessions = iter([list(part) for _, part in groupby(rows, key=lambda each: each[0]["session"])])
    return run_precisely(_plain(sessions, endpoint))


async def _plain(sessions: Iterator[list[tuple[dict[str, Any], Any]]], endpoint: str) -> Round:
    times_ns: list[int] = []

    async def lane(client: plain_client.InferenceServerClient) -> None:
        for session in sessions:
            for row, tensor in session:
                begun = time.monotonic_ns()
                item = plain_client.InferInput("CHUNK", [1, INPUT_BYTES], "UINT8")
                item.set_data_from_numpy(tensor)
                await client.infer(
                    PROBE,
                    [item],
                    request_id=row["request_id"],
                    sequence_id=int(row["correlation_id"]),
                    sequence_start=row["is_start"],
                    sequence_end=row["is_end"],
                )
                times_ns.append(time.monotonic_ns() - begun)

    async with plain_client.InferenceServerClient(endpoint) as client:
        await client.is_server_ready()
        begun_s, cpu_s = time.monotonic(), time.process_time()
        await asyncio.gather(*(lane(client) for _ in range(LANES)))
        wall_s, cpu_s = time.monotonic() - begun_s, time.process_time() - cpu_s
    return Round(
        rate_per_s=len(times_ns) / wall_s,
        cpu_us=cpu_s / len(times_ns) * 1e6,
        p50_us=float(np.quantile(times_ns, 0.5)) / 1e3,
        p99_us=float(np.quantile(times_ns, 0.99)) / 1e3,
    )


def measure(server: EmbeddedServer) -> dict[str, list[Round]]:
    """Alternating rounds of both clients on one loaded model."""
    template = load_template("session_probe")
    candidate = Candidate(
        name="dynamic",
        model_name=PROBE,
        template="session_probe",
        parameters={"input_bytes": INPUT_BYTES},
        instances=INSTANCES,
        max_batch_size=MODEL.max_batch_size,
    )
    assemble(server.repository, PROBE, template, candidate_text(candidate, template))
    server.control().load(PROBE)
    plan = plan_of_sessions()
    inputs = plan.table["input"].to_pylist()
    endpoint = server.endpoints.grpc
    warm_up(plan, inputs[0], MODEL, endpoint, instances=INSTANCES)
    rounds: dict[str, list[Round]] = {"ours": [], "plain": []}
    for number in range(ROUNDS):
        order = [("ours", ours), ("plain", plain)]
        for name, client in order if number % 2 == 0 else reversed(order):
            rounds[name].append(client(plan, inputs, endpoint))
    return rounds


def figures(rounds: dict[str, list[Round]]) -> list[Figure]:
    """Medians over the rounds, and ours ÷ the plain client's."""
    found = []
    for attribute, title, unit in (
        ("rate_per_s", "requests per second", "1/s"),
        ("cpu_us", "client CPU per request", "µs"),
        ("p50_us", "response time, p50", "µs"),
        ("p99_us", "response time, p99", "µs"),
    ):
        values = {
            name: statistics.median(getattr(each, attribute) for each in of_client)
            for name, of_client in rounds.items()
        }
        found += [
            Figure(f"{title}, plain client", values["plain"], unit, COMMAND),
            Figure(
                f"{title}, load generator",
                values["ours"],
                unit,
                COMMAND,
                against="plain client",
                ratio=values["ours"] / values["plain"],
            ),
        ]
    return found


def main() -> None:
    """Start a server, measure, publish, leave nothing."""
    with tempfile.TemporaryDirectory() as folder:
        server = EmbeddedServer(Path(folder) / "models", Path(folder) / "work")
        try:
            server.start()
            server.wait_ready()
            rounds = measure(server)
        finally:
            server.stop(grace_s=0)
    publish("load_closed_loop", figures(rounds))


if __name__ == "__main__":
    main()
