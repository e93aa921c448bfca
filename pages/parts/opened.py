"""An opened run with its findings, kept between reruns; judged now where nobody judged it yet."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from backend.analysis.decisions import DecisionLanes
from backend.analysis.lanes import SessionLanes
from backend.contracts.errors import InputError
from backend.contracts.findings import Findings
from backend.contracts.run_directory import TrialDirectory
from backend.studies.judging import judge_opened
from backend.studies.lanes import trial_decisions, trial_lanes
from backend.studies.results import OpenedRun, open_run


def findings(run: OpenedRun) -> tuple[Findings | None, bool]:
    """The run's findings, and whether they were made just now from its finished trials.

    A worker that was killed leaves trials and no findings; nothing is written here.
    """
    if run.findings is not None:
        return run.findings, False
    trials = run.directory.finished_trials()
    if not run.progress.is_over or not trials:
        return None, False
    return _judged(str(run.directory.root), len(trials)), True


@st.cache_data(max_entries=8, show_spinner="Judging the finished trials")
def _judged(root: str, trials: int) -> Findings:
    return judge_opened(open_run(Path(root), with_findings=False))


def lanes(run: OpenedRun, trial: TrialDirectory) -> SessionLanes:
    """Whose context each reply of a trial used."""
    return _lanes(str(run.directory.root), trial.number)


@st.cache_data(max_entries=16, show_spinner="Reading the trial")
def _lanes(root: str, number: int) -> SessionLanes:
    run = open_run(Path(root), with_findings=False)
    return trial_lanes(run, run.directory.trial(number))


def decisions(run: OpenedRun, trial: TrialDirectory) -> DecisionLanes | None:
    """What each session was told alone and interleaved; null where replies are no yes or no."""
    return _decisions(str(run.directory.root), trial.number)


@st.cache_data(max_entries=16, show_spinner="Reading the trial")
def _decisions(root: str, number: int) -> DecisionLanes | None:
    run = open_run(Path(root), with_findings=False)
    return trial_decisions(run, run.directory.trial(number))


def requests(run: OpenedRun, request_type: str, candidate: str) -> pd.DataFrame:
    """The requests tables of a candidate's finished trials, one below the other."""
    trials = run.trials(request_type=request_type, candidate=candidate)
    return _requests(str(run.directory.root), tuple(trial.number for trial in trials))


@st.cache_data(max_entries=12, show_spinner=False)
def _requests(root: str, numbers: tuple[int, ...]) -> pd.DataFrame:
    run = open_run(Path(root), with_findings=False)
    # without a trial there is nothing to read: all of them would be read instead
    trials = [run.directory.trial(number) for number in numbers]
    try:
        return run.requests(*trials) if trials else pd.DataFrame()
    except OSError as error:
        raise InputError(
            f"A requests table of the run {run.directory.name} does not read.",
            why=str(error),
            next_step="The run directory is damaged: take a copy of it, or run again.",
        ) from error
