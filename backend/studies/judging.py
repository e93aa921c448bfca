"""Findings of a run, from its directory alone: the same at its end, when stopped, and later."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pydantic import ValidationError

from backend.analysis.inputs import CandidateResult, ClassResult, StudyResult
from backend.analysis.report import build_findings
from backend.contracts.errors import InputError
from backend.contracts.findings import DomainFinding, Findings, PropertyFinding
from backend.contracts.requests_table import COLUMNS
from backend.contracts.run_directory import RunDirectory, TrialDirectory
from backend.modelconfig.candidate import Candidate
from backend.sessions.correlation_ids import sends_sequences
from backend.sessions.domain import domain_finding
from backend.sessions.isolated_replay import Repeatability, repeatability
from backend.sessions.judgement import merge_properties
from backend.sessions.promises import unpromised
from backend.studies.preparation import PreparedClass, PreparedStudy, prepare
from backend.studies.progress import read_progress
from backend.studies.reading import damaged, read_json, read_plan, read_table
from backend.studies.reference import read_reference, reference_cells
from backend.studies.results import OpenedRun
from backend.studies.schedule import ScheduledTrial
from backend.studies.trial import judge, warm_up_states
from backend.workload.study import CandidateName, Cell


@dataclass(frozen=True)
class _Trial:
    """A finished trial, read back."""

    folder: TrialDirectory
    about: dict[str, Any]


def class_repeatability(run: RunDirectory, prepared: PreparedClass) -> Repeatability | None:
    """How well a class's model repeats itself: the worst of its pairs of isolated replays.

    One pair speaks for the class: the model is the same in every cell. Null where none was run.
    """
    pairs = []
    for cell in reference_cells(prepared):
        first = read_reference(run, prepared.item.name, cell)
        again = read_reference(run, prepared.item.name, cell, again=True)
        if first is not None and again is not None:
            pairs.append(repeatability(first, again, prepared.template))
    return max(pairs, key=lambda pair: pair.beyond, default=None)


def ran_only(run: RunDirectory) -> CandidateName | None:
    """The candidate that a run was asked to try alone (``--candidate``), or null."""
    for event in run.read_events():
        if event["event"] == "run_started":
            asked: CandidateName | None = event.get("candidate")
            return asked
    return None


def judge_opened(opened: OpenedRun, *, candidate: CandidateName | None = None) -> Findings:
    """Judge a run directory again, as its worker did.

    Args:
        opened: The run.
        candidate: The verdict is this candidate's, instead of the run's own.

    Raises:
        InputError: if the run is still going on, does not have the candidate, or is damaged.
    """
    if not opened.progress.is_over:
        raise InputError(
            f"The run {opened.directory.name} is still going on: "
            f"{opened.progress.trials_done} of {opened.progress.trials_planned} trials.",
            next_step="Wait for its end, or stop it; then ask again.",
        )
    only = ran_only(opened.directory)
    prepared = prepare(opened.study, only=only)
    tried = {choice.name for item in prepared.classes for choice in item.choices}
    if candidate is not None and candidate not in tried:
        raise InputError(
            f"The run {opened.directory.name} did not try {candidate}.",
            next_step=f"It tried {', '.join(sorted(tried))}.",
        )
    return judge_run(opened.directory, prepared, candidate=candidate or only)


def judge_run(
    run: RunDirectory, study: PreparedStudy, *, candidate: CandidateName | None = None
) -> Findings:
    """Judge all finished trials of a run.

    Args:
        run: The run directory.
        study: Its study, prepared.
        candidate: The verdict is then this candidate's (``--candidate``).

    Raises:
        InputError: if the directory's files do not belong together.
    """
    try:
        return _judge_run(run, study, candidate)
    except (KeyError, TypeError, ValidationError) as error:
        # a file that reads, but does not hold what this version writes
        raise damaged(run.root, error) from error


def _judge_run(
    run: RunDirectory, study: PreparedStudy, candidate: CandidateName | None
) -> Findings:
    events = run.read_events()
    progress = read_progress(run)
    trials = [_Trial(folder, read_json(folder.server)) for folder in run.finished_trials()]
    classes = tuple(_class(run, study, prepared, trials, events) for prepared in study.classes)
    started = next((event for event in events if event["event"] == "run_started"), None)
    if started is None:
        raise InputError(
            f"{run.root} holds no run: its events do not say that one was started.",
            next_step="Name the folder that 'run --out' wrote.",
        )
    result = StudyResult(
        study=study.study.name,
        classes=classes,
        trials_planned=int(started["planned"]),
        trials_done=len(trials),
        interrupted=progress.state in ("interrupted", "failed"),
        judged_candidate=candidate,
        notes=tuple(_notes(trials, study)),
    )
    return build_findings(result, seed=study.study.seed)


def _class(
    run: RunDirectory,
    study: PreparedStudy,
    prepared: PreparedClass,
    trials: list[_Trial],
    events: Iterable[dict[str, Any]],
) -> ClassResult:
    name = prepared.item.name
    own = [trial for trial in trials if trial.about["class"] == name]
    refused = {
        event["candidate"]: event["why"]
        for event in events
        if event["event"] == "candidate_refused" and event["class"] == name
    }
    ended = {
        event["candidate"]: event["why"]
        for event in events
        if event["event"] == "server_lost" and event["class"] == name
    }
    planned = len(prepared.cells) * study.study.rounds
    answers = prepared.item.workload.answers
    return ClassResult(
        name=name,
        proposed=prepared.recommendation.proposed,
        stateful=sends_sequences(answers) and answers.state_place != "request",
        cells=prepared.cells,
        candidates=tuple(
            _candidate(
                run,
                prepared,
                choice.name,
                [trial for trial in own if trial.about["candidate"] == choice.name],
                planned,
                refused.get(choice.name),
                ended.get(choice.name),
            )
            for choice in prepared.choices
        ),
        objectives=prepared.item.workload.traffic.objectives,
        time_scale=prepared.item.workload.traffic.time_scale,
    )


def _candidate(
    run: RunDirectory,
    prepared: PreparedClass,
    name: str,
    trials: list[_Trial],
    planned: int,
    load_failure: str | None,
    server_end: str | None,
) -> CandidateResult:
    properties: list[PropertyFinding] = []
    domain: list[DomainFinding] = []
    frames: list[pd.DataFrame] = []
    void: dict[int, str] = {}
    repeated = class_repeatability(run, prepared)
    for cell in prepared.cells:
        inside = [trial for trial in trials if trial.about["cell"] == cell.name]
        if not inside:
            continue
        plan = read_plan(run.plans / prepared.plans[cell.name].file_name)
        reference = read_reference(run, prepared.item.name, cell)
        tables = []
        for trial in inside:
            requests = read_table(trial.folder.requests)
            replies = read_table(trial.folder.replies)
            judgement = judge(
                requests,
                replies,
                plan,
                prepared,
                Candidate.model_validate_json(json.dumps(trial.about["served_as"])),
                _scheduled(trial, cell),
                reference,
                repeated,
                warm_up_states(
                    prepared.template,
                    bytes.fromhex(trial.about["warm_up_tensor"]),
                    int(trial.about["warm_up"]["requests"]),
                ),
            )
            properties.extend(judgement.properties)
            frames.append(judgement.table.to_pandas())
            tables.append((judgement.table, replies))
            if trial.about["void"] is not None:
                void[int(trial.about["trial"])] = str(trial.about["void"])
        if tables and reference is not None and prepared.template.decision is not None:
            domain.append(domain_finding(cell, tables, reference, prepared.template))
    return CandidateResult(
        name=name,
        table=pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=COLUMNS),
        planned=planned,
        properties=merge_properties(properties),
        domain=tuple(domain),
        load_failure=load_failure,
        server_end=server_end,
        unpromised=unpromised(prepared.template, prepared.candidate(name, 1)),
        void=void,
    )


def _scheduled(trial: _Trial, cell: Cell) -> ScheduledTrial:
    return ScheduledTrial(
        number=int(trial.about["trial"]),
        request_type=str(trial.about["class"]),
        candidate=str(trial.about["candidate"]),
        cell=cell,
        repeat=int(trial.about["repeat"]),
    )


def _notes(trials: list[_Trial], study: PreparedStudy) -> Iterable[str]:
    for name in study.left_out:
        yield (
            f"The class '{name}' was left out: its requests carry no correlation ID, so that a "
            "sequence batcher cannot serve it."
        )
    for trial in trials:
        place = f"Trial {trial.about['trial']} ({trial.about['candidate']}, {trial.about['cell']})"
        for difference in trial.about["config_differences"]:
            yield f"{place}: Triton's effective configuration differs: {difference}"
        if trial.about["trace_problem"]:
            yield (
                f"{place}: queue and compute times are missing where the trace is: "
                f"{trial.about['trace_problem']}"
            )
        reconciliation = trial.about["reconciliation"]
        if reconciliation is not None:
            for sentence in reconciliation["sentences"]:
                yield f"{place}: trace and statistics disagree: {sentence}"
        if not trial.about["warm_up"]["complete"]:
            yield f"{place}: not every instance was warm. {trial.about['warm_up']['note']}"
        if trial.about["generator"]["caution"]:
            yield f"{place}: {trial.about['generator']['caution']}"
        if trial.about["batch_size_disagreements"]:
            yield (
                f"{place}: trace and model name different batch sizes for "
                f"{trial.about['batch_size_disagreements']} requests."
            )
