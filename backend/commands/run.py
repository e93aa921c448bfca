"""``run``: launch Triton, measure, judge; the exit code is the verdict."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from backend.analysis.verdict import exit_code
from backend.commands.findings_text import print_findings
from backend.commands.printing import say, show_json
from backend.commands.study_argument import (
    CandidateOption,
    StudyArgument,
    candidate_named,
    prepared_study,
)
from backend.contracts.errors import InputError, InterleaveError
from backend.contracts.home import home
from backend.contracts.run_directory import RunDirectory
from backend.runtime.cleanup import remove_leftovers
from backend.store.entries import RunEntry
from backend.store.store import Store
from backend.studies.launch import new_run_directory
from backend.studies.progress import read_progress
from backend.studies.worker import run_study


def run(
    study: StudyArgument,
    candidate: CandidateOption = None,
    runtime: Annotated[
        str | None, typer.Option(metavar="WHERE", help="Where Triton runs: embedded.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The run directory; default: a new one in the home."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The findings as one JSON value.")
    ] = False,
) -> int:
    """Launch Triton with every candidate, send interleaved sessions, judge, write it all down."""
    if runtime not in (None, "embedded"):
        raise InputError(
            f"The runtime '{runtime}' is not available.",
            why="This version serves with the embedded Triton only.",
            next_step="Leave --runtime out, or write --runtime embedded.",
        )
    only = candidate_named(candidate)
    prepared = prepared_study(study, only)
    place = home().ensure()
    for sentence in remove_leftovers(place):
        say(sentence)
    for name in prepared.left_out:
        say(f"Left out: {name} carries no correlation ID, so that {only} cannot serve it.")
    with Store() as store:
        directory = (
            RunDirectory(out.resolve())
            if out is not None
            else new_run_directory(place, prepared.study.name)
        ).create()
        entry = RunEntry(
            id=directory.name if out is None else str(directory.root),
            study=prepared.study.name,
            path=str(directory.root),
            status="running",
            started_at=datetime.now(UTC),
        )
        store.register_run(entry)
        try:
            findings = run_study(prepared, directory, place, only=only, say=say)
        finally:
            _note_end(store, entry, directory)
    if as_json:
        show_json(findings.model_dump(mode="json"))
    else:
        print_findings(findings)
    say(f"Run directory: {directory.root}")
    code = exit_code(findings)
    if findings.verdict == "no_verdict":
        say("No verdict: " + " ".join(findings.reasons))
    return int(code)


def _note_end(store: Store, entry: RunEntry, directory: RunDirectory) -> None:
    """Put the run's end into the index; the run itself matters more than the index does."""
    progress = read_progress(directory)
    try:
        store.update_run(
            entry.id,
            status=progress.state,
            verdict=progress.verdict,
            finished_at=datetime.now(UTC),
        )
    except InterleaveError as error:
        say(f"The index of runs was not updated. {error.text()}")
