"""Ports on the loopback interface: free ones, and who holds a taken one (M18)."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from backend.contracts.errors import InputError, ServerFailed
from backend.runtime.ports import PortChoice, describe_owner, free_ports, is_free, listens


@pytest.fixture
def listener() -> socket.socket:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_free_ports_are_different_and_free() -> None:
    ports = free_ports(6)
    assert len(set(ports)) == 6
    assert all(is_free(port) for port in ports)


def test_a_port_that_is_listened_on_is_not_free_and_its_process_is_named(
    listener: socket.socket,
) -> None:
    port = listener.getsockname()[1]
    assert not is_free(port)
    assert listens(os.getpid(), port)
    assert f"process {os.getpid()} (" in describe_owner(port)
    assert not listens(os.getppid(), port)


def test_a_listener_of_another_process_is_named() -> None:
    script = (
        "import socket, sys; s = socket.create_server(('127.0.0.1', 0));"
        "print(s.getsockname()[1], flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        port = int(other.stdout.readline())
        assert f"process {other.pid} ({sys.executable} -c" in describe_owner(port)
        other.communicate("")


def test_nobody_listening_is_said_so() -> None:
    (port,) = free_ports(1)
    assert describe_owner(port).startswith("no listening process")


def test_a_fixed_port_that_is_taken_names_its_owner(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    choice = PortChoice({"http": port, "grpc": None, "metrics": None})
    with pytest.raises(ServerFailed) as raised:
        choice.choose()
    assert raised.value.what == f"The port {port}, asked for as Triton's http port, is taken."
    assert f"process {os.getpid()}" in raised.value.why
    assert raised.value.exit_code == 3


def test_two_fixed_ports_that_are_the_same_are_refused() -> None:
    with pytest.raises(InputError, match="must differ: 9000, 9000"):
        PortChoice({"http": 9000, "grpc": 9000, "metrics": None})


def test_a_second_choice_keeps_free_ports_and_replaces_a_taken_one() -> None:
    choice = PortChoice({"http": None, "grpc": None, "metrics": None})
    choice.choose()
    first = dict(choice.ports)
    with socket.create_server(("127.0.0.1", first["grpc"])):
        assert not choice.all_free()
        choice.choose()
    assert choice.ports["http"] == first["http"]
    assert choice.ports["metrics"] == first["metrics"]
    assert choice.ports["grpc"] != first["grpc"]
    assert len(set(choice.ports.values())) == 3
