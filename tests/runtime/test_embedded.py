"""How a server that does not come up is told, with stand-ins for its program (M18)."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.contracts.errors import EnvironmentMissing, InputError, ServerFailed
from backend.contracts.process_identity import identity
from backend.runtime.embedded import EmbeddedServer, new_shm_prefix
from backend.runtime.wheel import Wheel

ERROR = 'E1201 03:49:16.958245 5554 main.cc:293] "failed to do something: Unavailable"'


def server(
    folder: Path, script: str, *, http_port: int | None = None, mode: int = 0o755
) -> EmbeddedServer:
    parts = folder / "wheel"
    for name in ("backend", "libs"):
        (parts / name).mkdir(parents=True)
    for name in ("libpython3.11.so.1.0", "triton_python_backend_stub"):
        (parts / name).touch()
    program = parts / "tritonserver"
    program.write_text(f"#!/bin/bash\n{script}\n")
    program.chmod(mode)
    wheel = Wheel(
        version="0.7.0",
        server=program,
        python_backend=parts / "backend",
        stub=parts / "triton_python_backend_stub",
        libraries=parts / "libs",
        libpython=parts / "libpython3.11.so.1.0",
        programs=parts,
    )
    return EmbeddedServer(folder / "w/models", folder / "w", wheel=wheel, http_port=http_port)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken


def test_an_early_end_is_noticed_with_exit_code_and_log(tmp_path: Path) -> None:
    failing = server(tmp_path, f"echo '{ERROR}'; exit 5")
    failing.start()
    with pytest.raises(ServerFailed) as raised:
        failing.wait_ready(60)
    assert raised.value.what == "The embedded Triton ended while starting: exit code 5."
    assert raised.value.why == f"{ERROR}\n(log: {failing.log_path})"
    assert raised.value.exit_code == 3
    assert failing.exit_code() == 5
    assert failing.describe_end() == f"Triton ended: exit code 5. Its log ends: {ERROR}"
    assert failing.stop() == ()


def test_an_end_by_a_signal_is_named(tmp_path: Path) -> None:
    crashing = server(tmp_path, "kill -SEGV $$")
    crashing.start()
    with pytest.raises(ServerFailed, match="killed by SIGSEGV"):
        crashing.wait_ready(60)
    assert crashing.exit_code() == -signal.SIGSEGV


def test_a_server_that_is_not_ready_in_time(tmp_path: Path) -> None:
    slow = server(tmp_path, "exec sleep 60")
    slow.start()
    with pytest.raises(ServerFailed, match="was not ready after 0 seconds"):
        slow.wait_ready(0)
    assert slow.is_alive()
    assert slow.describe_end() == ""
    assert slow.stop() == ()
    assert not slow.is_alive()


def test_one_that_will_not_end_is_killed_and_so_is_what_it_started(tmp_path: Path) -> None:
    stubborn = server(tmp_path, "trap '' TERM; (trap '' TERM; sleep 60) & echo $!; sleep 60 & wait")
    stubborn.start()
    while not stubborn.log_tail():
        pass
    child = int(stubborn.log_tail()[0])
    assert stubborn.stop(grace_s=0.1) == ()
    assert stubborn.exit_code() == -signal.SIGKILL
    assert identity(child) is None
    assert stubborn.stop() == ()


def test_a_second_start_of_a_running_server_is_refused(tmp_path: Path) -> None:
    running = server(tmp_path, "exec sleep 60")
    running.start()
    with pytest.raises(ServerFailed, match=f"as process {running.pid}"):
        running.start()
    assert running.stop() == ()


def test_before_its_first_start_it_has_no_endpoints_and_nothing_to_stop(tmp_path: Path) -> None:
    fresh = server(tmp_path, "exit 0")
    with pytest.raises(ServerFailed, match="not started yet"):
        _ = fresh.endpoints
    with pytest.raises(ServerFailed, match="not started yet"):
        fresh.wait_ready()
    assert fresh.stop() == ()
    assert fresh.exit_code() is None
    assert fresh.pid is None
    assert fresh.process is None
    assert fresh.describe_end() == ""


def test_a_port_lost_to_another_process_is_replaced(tmp_path: Path) -> None:
    """It gives up after a few attempts, each with ports of its own."""
    unlucky = server(
        tmp_path,
        f'echo "$@" >> {tmp_path}/starts; echo "Socket \'127.0.0.1:1\' already in use"; exit 1',
    )
    unlucky.start()
    with pytest.raises(ServerFailed) as raised:
        unlucky.wait_ready(60)
    assert "already in use" in raised.value.why
    assert len((tmp_path / "starts").read_text().splitlines()) == 5


def test_a_fixed_port_that_is_taken_is_told_before_anything_is_started(
    tmp_path: Path, listener: socket.socket
) -> None:
    port = listener.getsockname()[1]
    wanting = server(tmp_path, f"touch {tmp_path}/started", http_port=port)
    with pytest.raises(ServerFailed) as raised:
        wanting.start()
    assert f"The port {port}" in raised.value.what
    assert f"process {os.getpid()} (" in raised.value.why
    assert not (tmp_path / "started").exists()


def test_the_same_fixed_port_twice_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        EmbeddedServer(tmp_path / "m", tmp_path / "w", http_port=9000, grpc_port=9000)


def test_a_program_that_cannot_be_executed(tmp_path: Path) -> None:
    broken = server(tmp_path, "exit 0", mode=0o644)
    with pytest.raises(ServerFailed) as raised:
        broken.start()
    assert "Permission denied" in raised.value.why


def test_a_workspace_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "w").write_text("a file, not a folder")
    with pytest.raises(EnvironmentMissing, match="cannot be written"):
        server(tmp_path, "exit 0").start()


def test_every_start_is_told_and_traces_to_a_file_of_its_own(tmp_path: Path) -> None:
    quick = server(tmp_path, "exec sleep 60")
    told: list[tuple[int | None, str | None, tuple[int, ...]]] = []
    quick._on_start = lambda s: told.append((s.pid, s.process, s.ports))
    quick.start()
    first, trace = quick.ports, quick.trace_file
    quick.stop()
    quick.start()
    assert len(told) == 2
    assert told[0][0] != told[1][0]
    assert told[1][1] is not None
    assert told[1][1].split(":")[1] == str(quick.pid)
    assert quick.ports == first
    assert quick.trace_file != trace
    quick.stop()


def test_prefixes_are_ours_and_differ(tmp_path: Path) -> None:
    assert new_shm_prefix("0123456789ab") == "interleave-0123456789ab-"
    assert new_shm_prefix() != new_shm_prefix()
    with pytest.raises(ValueError, match="not a shared-memory prefix"):
        EmbeddedServer(tmp_path / "m", tmp_path / "w", shm_prefix="other-")
