from __future__ import annotations

from collections.abc import Generator
from concurrent import futures

import grpc
import pytest

from backend.load.interface import ModelInterface
from tests.load.fake_triton import FakeTriton


@pytest.fixture
def triton() -> Generator[FakeTriton]:
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=64))
    fake = FakeTriton(endpoint="", server=server)
    service = "inference.GRPCInferenceService"
    handlers = {
        "ModelStreamInfer": grpc.stream_stream_rpc_method_handler(fake.stream_infer),
        "ModelInfer": grpc.unary_unary_rpc_method_handler(fake.unary_infer),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    fake.endpoint = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    yield fake
    server.stop(0).wait()


@pytest.fixture
def echo() -> ModelInterface:
    """The interface of the fake server's model."""
    return ModelInterface(
        model_name="probe",
        input_name="CHUNK",
        data_type="UINT8",
        shape=(1, 4),
        outputs=("ECHO", "INSTANCE"),
        instance_output="INSTANCE",
        max_batch_size=4,
    )
