"""Requests outside a plan, as warm-up sends them: unary calls, all at once, never measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import grpc
from tritonclient.grpc import service_pb2

from backend.load.channel import CHANNEL_OPTIONS

UNARY_METHOD: Final = "/inference.GRPCInferenceService/ModelInfer"


class OutsideCalls:
    """A connection for requests that belong to no plan; use as a context manager."""

    def __init__(self, endpoint: str) -> None:
        self._channel = grpc.insecure_channel(endpoint, options=CHANNEL_OPTIONS)
        self._infer = self._channel.unary_unary(UNARY_METHOD)

    def __enter__(self) -> OutsideCalls:
        """The connection itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it; what is still awaited is cancelled in the server."""
        self._channel.close()

    def all_at_once(
        self, bodies: Sequence[bytes], timeout_s: float
    ) -> list[dict[str, bytes] | grpc.RpcError]:
        """Send all, await all: the output tensors of each, or the error that came instead."""
        calls = [self._infer.future(body, timeout=timeout_s) for body in bodies]
        answers: list[dict[str, bytes] | grpc.RpcError] = []
        for call in calls:
            try:
                response = service_pb2.ModelInferResponse.FromString(call.result())
            except grpc.RpcError as error:
                answers.append(error)
                continue
            names = (output.name for output in response.outputs)
            answers.append(dict(zip(names, response.raw_output_contents, strict=True)))
        return answers
