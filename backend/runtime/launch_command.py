"""The command line, environment and backend folder that an embedded server is started with."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from backend.runtime.ports import LOOPBACK
from backend.runtime.process_table import PREFIX_VARIABLE
from backend.runtime.wheel import Wheel

LOG_FREQUENCY: Final = 1_000_000_000
"""Above any number of requests: switching the trace off then writes one complete file at once."""
EXIT_TIMEOUT_S: Final = 5
"""How long Triton waits for open connections and models when it ends; its default is 30."""
_SHELL_SAFE: Final = re.compile(r"[A-Za-z0-9_./+@%-]+")
_NOT_FOR_THE_SERVER: Final = (
    "PYTHONHOME",  # would send the stub to another standard library
    "PYTHONPATH",  # the stub ignores it; what a model starts would not
    "AIP_MODE",  # would open Vertex AI's endpoint on all interfaces
)


def assemble_workspace(workspace: Path, wheel: Wheel, repository: Path) -> None:
    """Make the folders that the command line names.

    ``backends/python`` holds the parts of the Python backend with the stub for this Python; ``lib``
    holds libpython alone, so that nothing else of its folder shadows a system library; ``models``
    leads to a repository that is elsewhere.
    """
    backend = workspace / "backends/python"
    for folder in (backend, workspace / "lib"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for part in wheel.python_backend.iterdir():
        if part.is_file():
            (backend / part.name).symlink_to(part)
    # a copy: Triton sets the mode of the stub that it starts, through a link that of the wheel's,
    # which another user of the same environment could then no longer read
    shutil.copyfile(wheel.stub, backend / wheel.stub.name)
    (backend / wheel.stub.name).chmod(0o755)
    (workspace / "lib" / wheel.libpython.name).symlink_to(wheel.libpython)
    repository.mkdir(parents=True, exist_ok=True)
    models = workspace / "models"
    if repository != models:
        models.unlink(missing_ok=True)
        models.symlink_to(repository)


def arguments(
    wheel: Wheel,
    workspace: Path,
    *,
    ports: Mapping[str, int],
    shm_prefix: str,
    trace_file: Path,
    trace_level: str,
    auto_complete: bool,
) -> list[str]:
    """The command line of the server, to be run in the workspace.

    Args:
        wheel: Where the parts are.
        workspace: Made by ``assemble_workspace``.
        ports: By endpoint: ``http``, ``grpc``, ``metrics``.
        shm_prefix: Of the shared memory of its models.
        trace_file: Where the trace goes; it cannot be named later.
        trace_level: ``OFF`` or ``TIMESTAMPS`` at first.
        auto_complete: Whether Triton asks each model to complete its configuration, which takes
            a second or so per load.
    """
    # Triton starts the stub through a shell without quoting its paths: a space in one of them
    # makes the load hang for ever, so such a workspace is named from inside it
    safe = _SHELL_SAFE.fullmatch(str(workspace)) is not None
    base = f"{workspace}/" if safe else ""
    return [
        str(wheel.server),
        f"--model-repository={base}models",
        f"--backend-directory={base}backends",
        "--model-control-mode=explicit",
        f"--exit-timeout-secs={EXIT_TIMEOUT_S}",
        *(f"--{endpoint}-address={LOOPBACK}" for endpoint in ports),
        *(f"--{endpoint}-port={port}" for endpoint, port in ports.items()),
        "--trace-config=mode=triton",
        f"--trace-config=triton,file={trace_file}",
        f"--trace-config=triton,log-frequency={LOG_FREQUENCY}",
        f"--trace-config=level={trace_level}",
        "--trace-config=rate=1",
        "--trace-config=count=-1",
        "--metrics-config=summary_latencies=true",
        f"--backend-config=python,shm-region-prefix-name={shm_prefix}",
        *([] if auto_complete else ["--disable-auto-complete-config"]),
    ]


def server_environment(
    wheel: Wheel, workspace: Path, shm_prefix: str, own: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment of the server: this process's, with what finds libraries and packages."""
    environment = dict(os.environ if own is None else own)
    for name in _NOT_FOR_THE_SERVER:
        environment.pop(name, None)
    environment["PATH"] = os.pathsep.join(
        part for part in (str(wheel.programs), environment.get("PATH", os.defpath)) if part
    )
    environment["LD_LIBRARY_PATH"] = os.pathsep.join(
        part
        for part in (
            str(workspace / "lib"),
            str(wheel.libraries),
            environment.get("LD_LIBRARY_PATH", ""),
        )
        if part
    )
    environment[PREFIX_VARIABLE] = shm_prefix
    return environment
