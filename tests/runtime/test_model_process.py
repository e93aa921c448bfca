"""A model's process that died during its load is noticed (M18)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from backend.runtime import model_process
from backend.runtime.model_process import EndedModelProcess

# a parent that starts children named as stubs are, and never collects them
PARENT = """
import os, sys
for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        with open("/proc/self/comm", "w") as name:
            name.write("triton_python_backend_stub")
        what = line.strip()
        if what.startswith("signal"):
            os.kill(os.getpid(), int(what.split()[1]))
        os._exit(int(what))
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    print(pid, flush=True)
"""


class Server:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PARENT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def let_a_stub_end(self, how: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{how}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(model_process, "PATIENCE_S", 0.0)
    server = Server()
    yield server
    server.process.kill()
    server.process.communicate()


@pytest.mark.parametrize(
    ("how", "says"),
    [("3", "ended with exit code 3"), ("signal 9", "was killed by SIGKILL"), ("0", "ended")],
)
def test_how_the_models_process_ended(server: Server, how: str, says: str) -> None:
    watch = EndedModelProcess(lambda: server.process.pid)
    assert watch() is None
    server.let_a_stub_end(how)
    assert watch() == f"The model's process {says} before the model was initialised."


def test_one_that_was_dead_before_the_load_does_not_count(server: Server) -> None:
    server.let_a_stub_end("3")
    assert EndedModelProcess(lambda: server.process.pid)() is None


def test_a_stub_is_given_a_moment_to_be_collected(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_process, "PATIENCE_S", 2.0)
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    watch = EndedModelProcess(lambda: server.process.pid)
    server.let_a_stub_end(f"signal {int(signal.SIGSEGV)}")
    assert watch() is None
    now[0] += 1.9
    assert watch() is None
    now[0] += 0.2
    assert watch() == "The model's process was killed by SIGSEGV before the model was initialised."


def test_children_of_other_processes_do_not_count(server: Server) -> None:
    watch = EndedModelProcess(os.getpid)
    server.let_a_stub_end("3")
    assert watch() is None


def test_a_server_that_ended_is_a_reason_of_its_own() -> None:
    assert EndedModelProcess(lambda: None)() == "The server's own process ended."
