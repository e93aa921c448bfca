"""A real Triton on this machine without an image: the ``tritonserver`` of the wheel.

It listens on loopback ports only, in a session of its own, so that Ctrl-C in a terminal reaches the
worker alone, which then stops it in order.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final, Literal

from backend.contracts.errors import EnvironmentMissing, ServerFailed
from backend.contracts.home import SHM_PREFIX
from backend.contracts.process_identity import identity
from backend.runtime import shared_memory
from backend.runtime.control import ModelControl
from backend.runtime.launch_command import (
    EXIT_TIMEOUT_S,
    arguments,
    assemble_workspace,
    server_environment,
)
from backend.runtime.model_process import EndedModelProcess
from backend.runtime.ports import LOOPBACK, PortChoice
from backend.runtime.process_table import (
    PREFIX_FORM,
    kill_all,
    pid_of,
    processes_by_prefix,
)
from backend.runtime.server import Endpoints
from backend.runtime.server_log import LogGuard, log_tail
from backend.runtime.server_process import ServerProcess
from backend.runtime.wheel import Wheel, locate

PORT_ATTEMPTS: Final = 5
"""How often other free ports are tried when another process was quicker."""
STOP_GRACE_S: Final = 2.0 * EXIT_TIMEOUT_S + 5.0
"""Triton waits once for models and once for connections before it ends."""
_POLL_S: Final = 0.05


def new_shm_prefix(owner_id: str | None = None) -> str:
    """A shared-memory prefix for one server; ``owner_id`` as ``owners.new_id`` makes it."""
    return f"{SHM_PREFIX}{owner_id or secrets.token_hex(6)}-"


class EmbeddedServer:
    """One server with its workspace; started and stopped any number of times."""

    def __init__(
        self,
        repository: Path,
        workspace: Path,
        *,
        shm_prefix: str | None = None,
        http_port: int | None = None,
        grpc_port: int | None = None,
        metrics_port: int | None = None,
        trace_level: Literal["OFF", "TIMESTAMPS"] = "OFF",
        auto_complete: bool = False,
        log_path: Path | None = None,
        wheel: Wheel | None = None,
        on_start: Callable[[EmbeddedServer], None] | None = None,
    ) -> None:
        """Describe a server; nothing happens yet.

        Args:
            repository: Folder of its models; made if it is not there.
            workspace: Folder of its own for backends, trace and log; made if it is not there.
            shm_prefix: Of its models' shared memory, as ``new_shm_prefix`` makes it (the default).
            http_port: A fixed port; otherwise a free one, as for the two others.
            grpc_port: A fixed port.
            metrics_port: A fixed port.
            trace_level: Whether it traces from the start; switched later through its API.
            auto_complete: Whether Triton asks each model to complete its configuration: costs more
                than a second per load, and complete configurations come out the same.
            log_path: Where its output goes (default: ``server.log`` in the workspace).
            wheel: Its parts, if not those of the installed wheel for this Python.
            on_start: Called whenever a process was started, e.g. to write down its pid and ports.

        Raises:
            InputError: if two of the fixed ports are the same.
        """
        if shm_prefix is not None and not PREFIX_FORM.fullmatch(shm_prefix):
            raise ValueError(f"not a shared-memory prefix of ours: {shm_prefix!r}")
        self._workspace = workspace.absolute()
        self._repository = repository.absolute()
        self._prefix = shm_prefix or new_shm_prefix()
        self._ports = PortChoice({"http": http_port, "grpc": grpc_port, "metrics": metrics_port})
        self._trace_level = trace_level
        self._auto_complete = auto_complete
        self._log = (log_path or self._workspace / "server.log").absolute()
        self._wheel = wheel
        self._on_start = on_start
        self._guard = LogGuard(self._log)
        self._process: ServerProcess | None = None
        self._starts = 0

    @property
    def endpoints(self) -> Endpoints:
        """Where it listens; settled once ``wait_ready`` has returned.

        Raises:
            ServerFailed: if it was never started.
        """
        if not self._ports.ports:
            raise ServerFailed("The embedded Triton was not started yet.")
        return Endpoints(**{name: f"{LOOPBACK}:{port}" for name, port in self._ports.ports.items()})

    @property
    def log_path(self) -> Path:
        """The file with everything that it printed, across restarts."""
        return self._log

    @property
    def repository(self) -> Path:
        """The folder of its models."""
        return self._repository

    @property
    def workspace(self) -> Path:
        """The folder with its backends, libraries and traces."""
        return self._workspace

    @property
    def trace_file(self) -> Path:
        """The file that this start traces to; Triton appends ``.0``, ``.1``, … for each part."""
        return self._workspace / f"trace-{max(self._starts, 1)}.json"

    @property
    def shm_prefix(self) -> str:
        """What the names of its models' shared memory begin with."""
        return self._prefix

    @property
    def ports(self) -> tuple[int, ...]:
        """The ports of HTTP, gRPC and metrics; empty before the first start."""
        return tuple(self._ports.ports.values())

    @property
    def pid(self) -> int | None:
        """The pid of the latest start; null before the first."""
        return None if self._process is None else self._process.pid

    @property
    def process(self) -> str | None:
        """The identity of its process; null while none runs."""
        return identity(self._process.pid) if self._process and self.is_alive() else None

    def start(self) -> None:
        """Begin to start it on free ports; returns at once.

        Raises:
            EnvironmentMissing: if this machine cannot run it, or its folders cannot be written.
            ServerFailed: if it runs already, a fixed port is taken, or it cannot be executed.
        """
        if self.is_alive():
            raise ServerFailed(
                f"This embedded Triton runs already, as process {self.pid}.",
                next_step="Stop it first.",
            )
        if self._wheel is None:
            self._wheel = locate()
        if self._process is not None:
            # it ended by itself, and may have left stubs
            self._remove_leavings()
        self._ports.choose()
        try:
            assemble_workspace(self._workspace, self._wheel, self._repository)
            self._log.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EnvironmentMissing(
                f"The server's folder {self._workspace} cannot be written.",
                why=str(error),
                next_step="Free the disk, or set INTERLEAVE_HOME to a folder that you can write.",
            ) from error
        self._spawn(self._wheel)

    def wait_ready(self, deadline_s: float = 30.0) -> None:
        """Wait until it answers on all three ports.

        A port that another process took in the meantime is replaced, unless it is a fixed one.

        Raises:
            ServerFailed: if it ends, or is not ready in time; ``why`` has the log's telling lines.
        """
        if self._process is None:
            raise ServerFailed("The embedded Triton was not started yet.")
        give_up = time.monotonic() + deadline_s
        attempts = 1
        while True:
            process = self._process
            if not process.is_alive():
                if (
                    self._wheel is None
                    or attempts == PORT_ATTEMPTS
                    or not self._lost_a_port(process)
                ):
                    raise process.failure(
                        f"The embedded Triton ended while starting: {process.end()}."
                    )
                attempts += 1
                self._ports.choose()
                self._spawn(self._wheel)
            elif self._is_ready(process):
                return
            if time.monotonic() > give_up:
                raise process.failure(
                    f"The embedded Triton was not ready after {deadline_s:g} seconds.",
                    next_step="The machine may be overloaded: try again, or see the log.",
                )
            time.sleep(_POLL_S)

    def stop(self, grace_s: float = STOP_GRACE_S) -> tuple[str, ...]:
        """Stop it, its stubs too, and remove its shared memory; any number of times.

        Args:
            grace_s: How long it may take to end by itself, in seconds; with 0 it is killed at once
                (an unload takes Triton about 1.2 s per model instance).

        Returns:
            What could not be stopped or removed, one sentence each; empty if nothing is left.
        """
        try:
            if self._process is not None:
                self._process.stop(grace_s)
        finally:
            # also after Ctrl-C in the wait: then what is left is ended the hard way
            problems = self._remove_leavings()
            self._guard.stop()
        if self._guard.problem:
            problems = (*problems, self._guard.problem)
        return problems

    def restart(self, deadline_s: float = 30.0, grace_s: float = STOP_GRACE_S) -> None:
        """Stop it, start it again (on the same ports where they are free) and wait until ready.

        Raises:
            ServerFailed: as ``start`` and ``wait_ready``, or if something of it cannot be stopped.
        """
        problems = self.stop(grace_s)
        if problems:
            raise ServerFailed("The embedded Triton could not be stopped.", why=" ".join(problems))
        self.start()
        self.wait_ready(deadline_s)

    def is_alive(self) -> bool:
        """Whether its process runs."""
        return self._process is not None and self._process.is_alive()

    def exit_code(self) -> int | None:
        """How its process ended (a negative number is a signal); null while it runs."""
        return None if self._process is None else self._process.exit_code()

    def describe_end(self) -> str:
        """How its process ended, with what the log says of it; empty while it runs."""
        return "" if self._process is None else self._process.describe_end()

    def control(self) -> ModelControl:
        """The model control of this server, which notices when a model's process dies."""
        return ModelControl(
            self.endpoints, log_path=self._log, watch=lambda: EndedModelProcess(self._pid_or_none)
        )

    def log_tail(self, lines: int = 100) -> tuple[str, ...]:
        """The last lines of its log."""
        return log_tail(self._log, lines)

    def _pid_or_none(self) -> int | None:
        return self.pid if self.is_alive() else None

    def _spawn(self, wheel: Wheel) -> None:
        self._starts += 1
        command = arguments(
            wheel,
            self._workspace,
            ports=self._ports.ports,
            shm_prefix=self._prefix,
            trace_file=self.trace_file,
            trace_level=self._trace_level,
            auto_complete=self._auto_complete,
        )
        self._process = ServerProcess(
            command,
            # models have this folder on their path: it must hold no Python files
            folder=self._workspace,
            environment=server_environment(wheel, self._workspace, self._prefix),
            log=self._log,
        )
        self._guard.start()
        if self._on_start is not None:
            self._on_start(self)

    def _is_ready(self, process: ServerProcess) -> bool:
        # the health answer alone could come from another server that was quicker at the port
        if not self._ports.all_held_by(process.pid):
            return False
        connection = HTTPConnection(self.endpoints.http, timeout=2.0)
        try:
            connection.request("GET", "/v2/health/ready")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def _lost_a_port(self, process: ServerProcess) -> bool:
        return "already in use" in process.log_text() or not self._ports.all_free()

    def _remove_leavings(self) -> tuple[str, ...]:
        stuck: tuple[str, ...] = ()
        # looked for again after each round: one may have been started in the meantime
        while known := set(processes_by_prefix().get(self._prefix, ())) - set(stuck):
            stuck += kill_all(known)
        problems = [
            f"Process {pid_of(each)} of the embedded Triton could not be stopped." for each in stuck
        ]
        _, unremoved = shared_memory.remove(shared_memory.regions(self._prefix))
        return (*problems, *unremoved)
