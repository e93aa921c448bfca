"""What a finished trial's lanes show: whose context each reply used, what each session was told.

Findings list the first hundred violations; lanes want all of one trial. They are judged again from
the trial's own files, with the same oracle as in the run.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from backend.analysis.cells import cell_parts
from backend.analysis.decisions import DecisionLanes, decision_lanes
from backend.analysis.lanes import SessionLanes, session_lanes
from backend.contracts.errors import InputError
from backend.contracts.findings import ContextOf, Violation
from backend.contracts.run_directory import TrialDirectory
from backend.modelconfig.candidate import Candidate
from backend.sessions.domain import lanes
from backend.sessions.domain_sentences import session_title
from backend.sessions.hash_chain import context_lanes
from backend.studies.reading import read_plan
from backend.studies.reference import read_reference
from backend.studies.results import OpenedRun
from backend.studies.runnable import runnable_template
from backend.studies.trial import warm_up_states
from backend.templates.template import Template
from backend.workload.study import Cell, TrafficClass


@dataclass(frozen=True)
class _Read:
    """A trial's files."""

    item: TrafficClass
    template: Template
    cell: Cell
    candidate: Candidate
    requests: pa.Table
    replies: pa.Table
    reference: pa.Table | None
    warmed: Collection[bytes]


def trial_lanes(run: OpenedRun, trial: TrialDirectory) -> SessionLanes:
    """Whose context each reply of a trial was computed from.

    Raises:
        InputError: if the trial's files do not belong together.
    """
    read = _read(run, trial)
    violations = _violations(run, trial, read)
    frame = read.requests.to_pandas()
    titles = None
    decision = read.template.decision
    if decision is not None:
        titles = {int(n): session_title(decision, int(n)) for n in frame["session"].unique()}
    return session_lanes(frame, trial=trial.number, violations=violations, titles=titles)


def trial_decisions(run: OpenedRun, trial: TrialDirectory) -> DecisionLanes | None:
    """What each session was told alone and interleaved; null where replies are no yes or no.

    Raises:
        InputError: if the trial's files do not belong together.
    """
    read = _read(run, trial)
    decision = read.template.decision
    if decision is None or decision.threshold is None or read.reference is None:
        return None
    told = lanes(read.requests, read.replies, read.reference, read.template)
    decisions = pd.DataFrame(
        {
            "session": told["session"],
            "step": told["step"],
            "reference": _positive(told["reference_decision"], decision.positive),
            "observed": _positive(told["decision"], decision.positive),
        }
    )
    return decision_lanes(
        decisions,
        candidate=read.candidate.name,
        positive=decision.positive,
        negative=decision.negative,
        step_noun=decision.unit,
        step_ms=decision.unit_ms,
        titles=dict(zip(told["session"].tolist(), told["title"].tolist(), strict=True)),
    )


def _positive(decided: pd.Series, positive: str) -> pd.Series:
    """True or False where a decision is known, else null."""
    return pd.Series(
        [None if pd.isna(word) else word == positive for word in decided], dtype=object
    )


def _violations(run: OpenedRun, trial: TrialDirectory, read: _Read) -> tuple[Violation, ...]:
    """Every wrong reply of the trial with the context it used, where the oracle can tell it."""
    if read.template.oracle == "hash_chain":
        plan = read_plan(run.directory.plans / f"{read.item.name}-{read.cell.name}.parquet")
        frame = context_lanes(read.requests, read.replies, plan, read.warmed)
    else:
        frame = read.requests.to_pandas().assign(
            relation="unknown", context_session=None, context_step=None
        )
    wrong = frame[frame["verdict"] == "differs"]
    repeat = int(run.server(trial)["repeat"])
    return tuple(
        Violation(
            trial=trial.number,
            repeat=repeat,
            session=int(row["session"]),
            step=int(row["step"]),
            expected="",
            observed="",
            relation=row["relation"],
            context_of=None
            if pd.isna(row["context_session"])
            else ContextOf(session=int(row["context_session"]), step=int(row["context_step"])),
        )
        for row in wrong.to_dict("records")
    )


def _read(run: OpenedRun, trial: TrialDirectory) -> _Read:
    try:
        about = run.server(trial)
        parts = cell_parts(str(about["cell"]))
        item = run.study.class_named(str(about["class"]))
        template = runnable_template(item)
        cell = Cell(instances=parts.instances, concurrency=parts.concurrency, mix=parts.mix)
        return _Read(
            item=item,
            template=template,
            cell=cell,
            candidate=Candidate.model_validate_json(json.dumps(about["served_as"])),
            requests=pq.read_table(trial.requests),
            replies=pq.read_table(trial.replies),
            reference=read_reference(run.directory, item.name, cell),
            warmed=warm_up_states(
                template, bytes.fromhex(about["warm_up_tensor"]), int(about["warm_up"]["requests"])
            ),
        )
    except (OSError, KeyError, ValueError) as error:
        raise InputError(
            f"Trial {trial.number} of the run {run.directory.name} does not read.",
            why=f"{type(error).__name__}: {error}",
            next_step="The run directory is damaged: take a copy of it, or run again.",
        ) from error
