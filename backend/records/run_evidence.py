"""Reading a run directory for a record: its findings with their digest, study, files tried."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import JsonValue, ValidationError

from backend.contracts.errors import InputError
from backend.contracts.findings import Findings
from backend.contracts.run_directory import RunDirectory
from backend.contracts.values import Value
from backend.records.record import text_sha256
from backend.workload.study import Study
from backend.workload.study_file import study_from_text


class TriedConfig(Value):
    """The exact ``config.pbtxt`` of one class and candidate in one cell."""

    class_name: str
    candidate: str
    cell: str
    text: str

    @property
    def sha256(self) -> str:
        """Digest of the file."""
        return text_sha256(self.text)


class RunEvidence(Value):
    """What a record takes from a run, as plain values."""

    run: str
    run_path: str
    findings: Findings
    findings_sha256: str
    study: Study
    study_yaml: str
    environment: dict[str, JsonValue]
    configs: tuple[TriedConfig, ...]


def read_evidence(run: RunDirectory) -> RunEvidence:
    """What a finished (or interrupted) run offers as evidence.

    Raises:
        InputError: if the folder is no run, its findings are not there yet, or a file of it does
            not read.
    """
    if not run.study.exists():
        raise InputError(
            f"{run.root} is not a run directory: it holds no study.yaml.",
            next_step="Name the folder that 'run --out' wrote, or a run of the list.",
        )
    if not run.findings.exists():
        raise InputError(
            f"The run {run.name} has no findings yet: there is nothing to decide on.",
            next_step=f"Wait until it ends, or judge what it has with: report {run.root}",
        )
    raw = _read(run.findings.read_bytes, str(run.findings))
    try:
        findings = Findings.model_validate_json(raw)
    except ValidationError as error:
        raise InputError(
            f"{run.findings} is not a findings file of this version.",
            why=_first_fault(error),
            next_step=f"Judge the run again with: report {run.root}",
        ) from error
    study_yaml = _read(run.study.read_bytes, str(run.study)).decode("utf-8")
    return RunEvidence(
        run=run.name,
        run_path=str(run.root.resolve()),
        findings=findings,
        findings_sha256=hashlib.sha256(raw).hexdigest(),
        study=study_from_text(study_yaml, str(run.study)),
        study_yaml=study_yaml,
        environment=_json(run.environment) if run.environment.exists() else {},
        configs=_configs(run),
    )


def _configs(run: RunDirectory) -> tuple[TriedConfig, ...]:
    """The files that were loaded, once per class, candidate and cell (repeats load the same)."""
    found: dict[tuple[str, str, str], TriedConfig] = {}
    for trial in run.finished_trials():
        about = _json(trial.server)
        try:
            place = (str(about["class"]), str(about["candidate"]), str(about["cell"]))
        except KeyError as error:
            raise InputError(
                f"{trial.server} does not say which {error} it tried.",
                next_step="The run directory is damaged: take a copy of it, or run again.",
            ) from error
        if place not in found and trial.config.exists():
            text = _read(trial.config.read_bytes, str(trial.config)).decode("utf-8")
            found[place] = TriedConfig(
                class_name=place[0], candidate=place[1], cell=place[2], text=text
            )
    return tuple(found.values())


def _json(path: Any) -> dict[str, JsonValue]:
    try:
        value = json.loads(_read(path.read_bytes, str(path)))
    except ValueError as error:
        raise InputError(
            f"{path} is not JSON.",
            why=str(error),
            next_step="The run directory is damaged: take a copy of it, or run again.",
        ) from error
    if not isinstance(value, dict):
        raise InputError(f"{path} holds no JSON object.")
    return value


def _read(read: Any, name: str) -> bytes:
    try:
        content: bytes = read()
    except OSError as error:
        raise InputError(f"{name} cannot be read.", why=str(error)) from error
    return content


def _first_fault(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
