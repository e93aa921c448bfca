"""``report``: judge a run directory again and print it; repeats the run's exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from backend.analysis.verdict import exit_code
from backend.commands.findings_text import print_findings
from backend.commands.printing import say, show_json
from backend.commands.study_argument import CandidateOption, candidate_named
from backend.contracts.findings import Findings
from backend.contracts.run_directory import RunDirectory, write_json
from backend.studies.judging import judge_opened
from backend.studies.results import open_run


def report(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="What 'run --out' wrote.")],
    candidate: CandidateOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The findings as one JSON value.")
    ] = False,
) -> int:
    """Judge a run directory again, print its findings, repeat the run's exit code."""
    opened = open_run(run_dir, with_findings=False)
    asked = candidate_named(candidate)
    findings = judge_opened(opened, candidate=asked)
    if asked is None:
        _keep(opened.directory, findings)
    if as_json:
        show_json(findings.model_dump(mode="json"))
    else:
        print_findings(findings)
    if opened.progress.message:
        say(opened.progress.message)
    if opened.progress.exit_code is not None and asked is None:
        return opened.progress.exit_code
    code = exit_code(findings)
    if findings.verdict == "no_verdict":
        say("No verdict: " + " ".join(findings.reasons))
    return int(code)


def _keep(run: RunDirectory, findings: Findings) -> None:
    """Write findings where the worker could not: pages and records read them from there."""
    try:
        Findings.model_validate_json(run.findings.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        try:
            write_json(run.findings, findings.model_dump_json(indent=1))
        except OSError as error:
            say(f"{run.findings} could not be written: {error}")
        else:
            say(f"Wrote {run.findings}")
