"""A server that speaks Triton's gRPC inference protocol and does what a test tells it to."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import grpc
import pyarrow as pa
from tritonclient.grpc import service_pb2

from backend.sessions.plan import PLAN_SCHEMA, Plan


@dataclass(frozen=True)
class Arrival:
    """A request as the server met it; ``correlation_id`` as the uint64 or text that was meant."""

    at_ns: int
    stream: int
    request_id: str
    correlation_id: int | str | None
    start: bool | None
    end: bool | None
    tensor: bytes


@dataclass(frozen=True)
class Deed:
    """What the server does with a request: wait, then one of these."""

    wait_s: float = 0.0
    error: str | None = None
    never: bool = False
    abort: grpc.StatusCode | None = None
    end_stream: bool = False
    instance: str = "probe_0_0"


@dataclass
class FakeTriton:
    endpoint: str
    server: grpc.Server
    deed: Callable[[Arrival], Deed] = lambda arrival: Deed()
    arrivals: list[Arrival] = field(default_factory=list)
    replied_ns: dict[str, int] = field(default_factory=dict)
    cancelled: list[int] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    streams: int = 0

    def arrival(self, request_id: str) -> Arrival:
        return next(item for item in self.arrivals if item.request_id == request_id)

    def take(self, body: bytes, stream: int) -> tuple[Arrival, Deed]:
        request = service_pb2.ModelInferRequest.FromString(body)
        parameters = request.parameters
        correlation_id: int | str | None = None
        if "sequence_id" in parameters:
            choice = parameters["sequence_id"]
            if choice.WhichOneof("parameter_choice") == "string_param":
                correlation_id = choice.string_param
            else:
                correlation_id = choice.int64_param % 2**64
        arrival = Arrival(
            at_ns=time.monotonic_ns(),
            stream=stream,
            request_id=request.id,
            correlation_id=correlation_id,
            start=parameters["sequence_start"].bool_param if parameters else None,
            end=parameters["sequence_end"].bool_param if parameters else None,
            tensor=request.raw_input_contents[0],
        )
        with self.lock:
            self.arrivals.append(arrival)
        return arrival, self.deed(arrival)

    def stream_infer(
        self, bodies: Iterator[bytes], context: grpc.ServicerContext
    ) -> Iterator[bytes]:
        with self.lock:
            self.streams += 1
            stream = self.streams
        ended = threading.Event()
        context.add_callback(ended.set)
        for body in bodies:
            arrival, deed = self.take(body, stream)
            if ended.wait(3600 if deed.never else deed.wait_s):
                self.cancelled.append(stream)
                return
            if deed.abort is not None:
                context.abort(deed.abort, "as the test wants it")
            if deed.end_stream:
                return
            self.replied_ns[arrival.request_id] = time.monotonic_ns()
            reply = service_pb2.ModelStreamInferResponse()
            reply.infer_response.id = arrival.request_id
            if deed.error is not None:
                reply.error_message = deed.error
            else:
                fill(reply.infer_response, arrival, deed)
            yield reply.SerializeToString()

    def unary_infer(self, body: bytes, context: grpc.ServicerContext) -> bytes:
        arrival, deed = self.take(body, 0)
        time.sleep(deed.wait_s)
        if deed.error is not None:
            context.abort(deed.abort or grpc.StatusCode.INVALID_ARGUMENT, deed.error)
        response = service_pb2.ModelInferResponse(id=arrival.request_id)
        fill(response, arrival, deed)
        return bytes(response.SerializeToString())


def fill(response: service_pb2.ModelInferResponse, arrival: Arrival, deed: Deed) -> None:
    """Outputs of a model that echoes its input and names its instance."""
    name = deed.instance.encode()
    for output, tensor in (
        ("ECHO", arrival.tensor),
        ("INSTANCE", struct.pack("<I", len(name)) + name),
    ):
        response.outputs.add(name=output)
        response.raw_output_contents.append(tensor)


@dataclass(frozen=True)
class Planned:
    """A plan and its input tensors."""

    plan: Plan
    inputs: tuple[bytes, ...]


def planned(
    lengths: Sequence[int],
    *,
    concurrency: int = 2,
    gap_ns: int = 0,
    ids: Callable[[int], str] | None = lambda session: str(100 + session),
    id_type: str = "uint64",
    after: dict[str, str] | None = None,
) -> Planned:
    """A plan of sessions of these lengths; request IDs are ``<session>.<step>``."""
    rows = [
        {
            "request_id": f"{session}.{step}",
            "session": session,
            "step": step,
            "session_length": length,
            "length_group": "short" if length < 3 else "long",
            "correlation_id": ids(session) if ids else None,
            "correlation_id_type": id_type if ids else None,
            "is_start": ids is not None and step == 0,
            "is_end": ids is not None and step == length - 1,
            "gap_ns": gap_ns,
            "input": bytes([session, step, 0, 7]),
            "after": (after or {}).get(f"{session}.{step}"),
        }
        for session, length in enumerate(lengths)
        for step in range(length)
    ]
    table = pa.Table.from_pylist(rows, schema=PLAN_SCHEMA)
    plan = Plan("talk", "instances=1,concurrency=2,mix=test", concurrency, 7, table)
    return Planned(plan, tuple(row["input"] for row in rows))  # type: ignore[misc]
