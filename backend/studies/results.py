"""Open a run directory: the values that pages, reports and records are made from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import ValidationError

from backend.contracts.errors import InputError
from backend.contracts.findings import Findings
from backend.contracts.home import Home
from backend.contracts.run_directory import RunDirectory, TrialDirectory
from backend.studies.progress import RunProgress, read_progress
from backend.studies.reading import read_json
from backend.workload.study import Study
from backend.workload.study_file import load_study


@dataclass(frozen=True)
class OpenedRun:
    """A run as its directory tells it."""

    directory: RunDirectory
    study: Study
    progress: RunProgress
    findings: Findings | None
    environment: dict[str, Any]

    def trials(
        self, *, request_type: str | None = None, candidate: str | None = None,
        cell: str | None = None,
    ) -> tuple[TrialDirectory, ...]:  # fmt: skip
        """Finished trials that match, in number order."""
        chosen = []
        for trial in self.directory.finished_trials():
            about = self.server(trial)
            if request_type is not None and about["class"] != request_type:
                continue
            if candidate is not None and about["candidate"] != candidate:
                continue
            if cell is not None and about["cell"] != cell:
                continue
            chosen.append(trial)
        return tuple(chosen)

    def server(self, trial: TrialDirectory) -> dict[str, Any]:
        """The trial's ``server.json``."""
        return read_json(trial.server)

    def requests(self, *trials: TrialDirectory) -> pd.DataFrame:
        """Requests tables of some trials (default: all finished ones), one below the other."""
        chosen = trials or self.directory.finished_trials()
        frames = [pd.read_parquet(trial.requests) for trial in chosen]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def open_run(root: Path, *, with_findings: bool = True) -> OpenedRun:
    """Open a run directory, finished or not.

    Args:
        root: The directory.
        with_findings: Whether to read the findings that lie there; not, to judge it again.

    Raises:
        InputError: if the folder is no run, or one of its files does not read.
    """
    run = RunDirectory(root.resolve())
    if not run.study.exists():
        raise InputError(
            f"{root} is not a run directory: it holds no study.yaml.",
            next_step="Name the folder that 'run --out' wrote, or a run of the list.",
        )
    findings = None
    if with_findings and run.findings.exists():
        try:
            findings = Findings.model_validate_json(run.findings.read_text(encoding="utf-8"))
        except (ValidationError, OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"{run.findings} is not a findings file of this version.",
                why=str(error),
                next_step="Judge the run again with 'report'.",
            ) from error
    environment = {}
    if run.environment.exists():
        environment = read_json(run.environment)
    return OpenedRun(
        directory=run,
        study=load_study(run.study),
        progress=read_progress(run),
        findings=findings,
        environment=environment,
    )


def list_runs(home: Home) -> tuple[RunDirectory, ...]:
    """Runs in the home, the latest first."""
    if not home.runs.is_dir():
        return ()
    folders = [path for path in home.runs.iterdir() if (path / "events.jsonl").exists()]
    ordered = sorted(folders, key=lambda path: (path / "events.jsonl").stat().st_mtime)
    return tuple(RunDirectory(path) for path in reversed(ordered))
