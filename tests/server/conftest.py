"""A real Triton for a module of tests, where this machine can serve one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.runtime.control import ModelControl
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.wheel import check_wheel


@pytest.fixture(scope="session")
def embedded_triton_possible() -> None:
    """Skips where the wheel cannot serve, saying why and what to do."""
    for check in check_wheel():
        if check.status == "missing":
            pytest.skip(f"no embedded Triton here: {check.what} {check.next_step}")


@pytest.fixture(scope="module")
def triton(
    embedded_triton_possible: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmbeddedServer]:
    """A running server with an empty repository; tests put models there."""
    folder = tmp_path_factory.mktemp("triton")
    server = EmbeddedServer(folder / "models", folder / "work")
    try:
        server.start()
        server.wait_ready(60)
        yield server
    finally:
        assert server.stop() == ()


@pytest.fixture
def control(triton: EmbeddedServer) -> ModelControl:
    """Loads and unloads models on the module's server."""
    return triton.control()
