"""What every Triton we talk to has in common, wherever it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from backend.contracts.values import Value


class Endpoints(Value):
    """Where a server listens, each as ``host:port``."""

    http: str
    grpc: str
    metrics: str


class Server(Protocol):
    """A Triton server and its life cycle."""

    @property
    def endpoints(self) -> Endpoints:
        """Where it listens; settled once ``wait_ready`` has returned."""

    @property
    def log_path(self) -> Path:
        """The file with everything that it printed, across restarts."""

    @property
    def repository(self) -> Path:
        """The folder of its models."""

    @property
    def trace_file(self) -> Path:
        """The file that it traces to; Triton appends ``.0``, ``.1``, … for each part."""

    def start(self) -> None:
        """Begin to start it; returns at once."""

    def wait_ready(self, deadline_s: float = 30.0) -> None:
        """Wait until it answers on all endpoints, at most so long."""

    def stop(self) -> tuple[str, ...]:
        """Stop it and remove what it leaves; any number of times.

        Returns:
            What could not be stopped or removed, one sentence each; empty if nothing is left.
        """

    def restart(self, deadline_s: float = 30.0) -> None:
        """Stop it, start it again and wait until it is ready."""

    def is_alive(self) -> bool:
        """Whether its process runs."""

    def exit_code(self) -> int | None:
        """How its process ended (a negative number is a signal); null while it runs."""

    def describe_end(self) -> str:
        """How its process ended, in a sentence; empty while it runs."""
