"""Start a run as its own process, the same command that a user would type; ask it to stop.

The page that starts a run owns nothing of it: the worker lives in its own session, so that a
reload, a second viewer or the end of the web app changes nothing.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

from backend.contracts.errors import EnvironmentMissing, InputError
from backend.contracts.home import Home
from backend.contracts.run_directory import RunDirectory
from backend.workload.study import Study
from backend.workload.study_file import study_to_yaml

PROJECT = Path(__file__).resolve().parents[2]


def new_run_directory(home: Home, study: str) -> RunDirectory:
    """A name for a new run: study, local time, and four letters against a clash."""
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    return RunDirectory(home.runs / f"{study}-{stamp}-{secrets.token_hex(2)}")


def start_run(home: Home, study: Study, *, candidate: str | None = None) -> RunDirectory:
    """Start the worker for a study and return its run directory at once.

    Raises:
        EnvironmentMissing: if the process cannot be started, or ends before its first event.
    """
    home.ensure()
    run = new_run_directory(home, study.name)
    file = home.drafts / f".{run.name}.yaml"
    log = home.work / f"{run.name}.log"
    command = [sys.executable, "-m", "backend", "run", str(file), "--out", str(run.root)]
    if candidate is not None:
        command += ["--candidate", candidate]
    environment = {**os.environ, "INTERLEAVE_HOME": str(home.root), "PYTHONUNBUFFERED": "1"}
    try:
        file.write_text(study_to_yaml(study), encoding="utf-8")
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                cwd=PROJECT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        raise EnvironmentMissing(
            "The run could not be started.", why=str(error), next_step="Look at the disk's space."
        ) from error
    deadline = time.monotonic() + 30
    while not run.read_events():
        if process.poll() is not None:
            tail = log.read_text(encoding="utf-8", errors="replace").strip()
            file.unlink(missing_ok=True)
            log.unlink(missing_ok=True)
            raise EnvironmentMissing(
                f"The run ended at once, with exit code {process.returncode}.",
                why=tail[-2000:],
                next_step="Correct what it names, then start again.",
            )
        if time.monotonic() > deadline:
            raise EnvironmentMissing(
                "The run's worker did not begin within 30 seconds.",
                why=f"Its output is in {log}.",
                next_step="The machine may be overloaded; the run may still begin: see its page.",
            )
        time.sleep(0.05)
    # the worker has read its study; what it prints belongs to the run and moves with it
    file.unlink(missing_ok=True)
    log.replace(run.worker_log)
    return run


def request_stop(run: RunDirectory) -> None:
    """Ask the worker to stop after saving what it measured; asking twice changes nothing."""
    if not run.root.is_dir():
        raise InputError(f"There is no run {run.root}.")
    run.stop_request.touch()


def stop_requested(run: RunDirectory) -> bool:
    """Whether somebody asked the worker to stop."""
    return run.stop_request.exists()
