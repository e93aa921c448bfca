"""Only processes of a server of ours are found and signalled (M18)."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from backend.contracts.process_identity import identity
from backend.runtime.process_table import (
    PREFIX_VARIABLE,
    kill_all,
    prefix_of,
    processes_by_prefix,
    send_signal,
    wait_gone,
)


@pytest.fixture
def prefix() -> str:
    return f"interleave-{secrets.token_hex(6)}-"


def sleeper(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        ["sh", "-c", "echo; exec sleep 60"],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    return process


@pytest.fixture
def bearer(prefix: str) -> Iterator[subprocess.Popen[bytes]]:
    process = sleeper({PREFIX_VARIABLE: prefix})
    yield process
    process.kill()
    process.wait()


def test_a_process_started_with_the_prefix_in_its_environment_is_ours(
    bearer: subprocess.Popen[bytes], prefix: str
) -> None:
    assert prefix_of(bearer.pid) == prefix
    assert processes_by_prefix()[prefix] == (identity(bearer.pid),)


WAIT = "import sys; print(flush=True); sys.stdin.read()"


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        # as 24.10 starts them
        ("triton_python_backend_stub", "PREFIXf66239d1-f7a3-4f9c-95c8-84204ae31b68"),
        ("tritonserver", "--backend-config=python,shm-region-prefix-name=PREFIX"),
    ],
)
def test_a_stub_and_a_server_are_known_by_their_arguments(
    prefix: str, name: str, argument: str
) -> None:
    with subprocess.Popen(
        [f"/somewhere/{name}", "-c", WAIT, "model.py", argument.replace("PREFIX", prefix)],
        executable=sys.executable,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert prefix_of(process.pid) == prefix
        process.communicate(b"")


def test_a_process_that_merely_mentions_the_prefix_is_not_ours(prefix: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WAIT, f"/dev/shm/{prefix}x"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert prefix_of(process.pid) is None
        process.communicate(b"")


@pytest.mark.parametrize("value", ["interleave-", "interleave-abc-", "other-0123456789ab-", ""])
def test_a_prefix_of_another_form_is_not_ours(value: str) -> None:
    process = sleeper({PREFIX_VARIABLE: value})
    try:
        assert prefix_of(process.pid) is None
    finally:
        process.kill()
        process.wait()


def test_killing_waits_until_it_is_gone_and_a_second_time_does_nothing(
    bearer: subprocess.Popen[bytes],
) -> None:
    known = identity(bearer.pid)
    assert known is not None
    assert kill_all((known,)) == ()
    assert bearer.wait() == -signal.SIGKILL
    assert kill_all((known,)) == ()
    assert wait_gone((known,), 0.0) == ()


def test_a_pid_that_now_belongs_to_another_process_is_not_signalled(
    bearer: subprocess.Popen[bytes],
) -> None:
    known = identity(bearer.pid)
    assert known is not None
    boot, pid, start = known.split(":")
    earlier = f"{boot}:{pid}:{int(start) - 1}"
    assert not send_signal(earlier, signal.SIGKILL)
    assert kill_all((earlier,)) == ()
    assert bearer.poll() is None
