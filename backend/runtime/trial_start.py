"""Lets the dynamic loader decide whether the server and the stub find all their libraries."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Final

from backend.runtime.check import Check
from backend.runtime.launch_command import assemble_workspace, server_environment
from backend.runtime.wheel import Wheel, locate

TIMEOUT_S: Final = 20.0
_LOADER_FAILED: Final = 127
"""Exit status of the dynamic loader when a library is not found or too old."""


def check_start(wheel: Wheel | None = None) -> Check:
    """Whether both programs begin to run, which needs every library that they are linked to.

    Raises:
        EnvironmentMissing: if the wheel cannot serve here at all; see ``check_wheel``.
    """
    name = "triton start"
    parts = wheel or locate()
    try:
        with tempfile.TemporaryDirectory(prefix="interleave-doctor-") as folder:
            workspace = Path(folder)
            assemble_workspace(workspace, parts, workspace / "models")
            environment = server_environment(parts, workspace, "")
            # asked for help, and without the arguments that it must have: neither opens a port
            for command in ([str(parts.server), "--help"], [str(parts.stub)]):
                ended = subprocess.run(
                    command,
                    env=environment,
                    cwd=workspace,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=TIMEOUT_S,
                    check=False,
                )
                if ended.returncode == _LOADER_FAILED or ended.returncode < 0:
                    return _refused(name, command[0], ended)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check(
            name=name,
            status="missing",
            what=f"The embedded Triton cannot be started: {error}.",
            next_step="Let the folders of the environment and for temporary files run programs"
            " (they may be mounted noexec).",
        )
    return Check(name=name, status="ok", what="The server and its stub find all their libraries.")


def _refused(name: str, program: str, ended: subprocess.CompletedProcess[bytes]) -> Check:
    said = ended.stderr.decode("utf-8", errors="replace").strip().splitlines()
    if ended.returncode < 0:
        said.append(f"killed by signal {-ended.returncode}")
    return Check(
        name=name,
        status="missing",
        what=f"{Path(program).name} does not start: {said[0] if said else 'no reason given'}.",
        next_step="Install the library that is named (on Debian and Ubuntu: apt install libstdc++6"
        " zlib1g), or use a newer system.",
    )
