"""One trial: serve, judge each reply, write the trial's folder."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from backend.contracts.run_directory import TrialDirectory, write_json
from backend.modelconfig.candidate import Candidate
from backend.sessions.isolated_replay import Repeatability
from backend.sessions.judgement import Judgement
from backend.sessions.judging import judge_trial
from backend.sessions.lineage import states_left_by
from backend.sessions.plan import Plan
from backend.studies.preparation import PreparedClass
from backend.studies.schedule import ScheduledTrial
from backend.studies.serving import Served
from backend.templates.template import Template

SERVER_SCHEMA = 1


def warm_up_states(template: Template, tensor: bytes, requests: int) -> Collection[bytes]:
    """States that warm-up requests can leave in an instance of the probe; none for other models."""
    if template.oracle != "hash_chain":
        return ()
    return states_left_by(tensor, requests)


def judge(
    requests: pa.Table,
    replies: pa.Table,
    plan: Plan,
    prepared: PreparedClass,
    candidate: Candidate,
    scheduled: ScheduledTrial,
    reference: pa.Table | None,
    repeated: Repeatability | None,
    warmed: Collection[bytes],
) -> Judgement:
    """Judge one trial's replies with the oracle of its class."""
    return judge_trial(
        requests,
        replies,
        plan,
        template=prepared.template,
        answers=prepared.item.workload.answers,
        candidate=candidate,
        cell=scheduled.cell,
        reference=reference,
        repeated=repeated,
        warmup_states=warmed,
    )


def void_reason(served: Served) -> str | None:
    """Why the trial's figures say nothing, or null: the generator, or a lost server."""
    if served.server_end is not None:
        return f"The server ended during the trial: {served.server_end}"
    if served.sent.server_lost is not None:
        return f"The server was lost during the trial: {served.sent.server_lost}"
    if served.sent.generator.unfit is not None:
        return f"Load generator: {served.sent.generator.unfit}"
    return None


def write_trial(
    folder: TrialDirectory,
    scheduled: ScheduledTrial,
    candidate: Candidate,
    served: Served,
    judgement: Judgement,
) -> None:
    """Write the trial's files; ``server.json`` last, which makes the trial finished."""
    folder.root.mkdir(parents=True, exist_ok=True)
    folder.config.write_text(served.config_text, encoding="utf-8")
    pq.write_table(judgement.table, folder.requests)
    pq.write_table(served.replies, folder.replies)
    write_json(folder.server, _server_json(scheduled, candidate, served, judgement))


def _server_json(
    scheduled: ScheduledTrial, candidate: Candidate, served: Served, judgement: Judgement
) -> dict[str, Any]:
    reconciliation = served.reconciliation
    return {
        "schema_version": SERVER_SCHEMA,
        "trial": scheduled.number,
        "class": scheduled.request_type,
        "candidate": candidate.name,
        "cell": scheduled.cell.name,
        "repeat": scheduled.repeat,
        "served_as": json.loads(candidate.model_dump_json()),
        "effective_config": served.effective_config,
        "config_differences": list(served.config_differences),
        "clock": {
            "started_monotonic_ns": served.sent.started_monotonic_ns,
            "started_unix_ns": served.sent.started_unix_ns,
        },
        "load_s": served.load_s,
        "duration_s": served.sent.duration_s,
        "warm_up": served.warm_up.model_dump(),
        "warm_up_tensor": served.warm_up_tensor.hex(),
        "generator": served.sent.generator.model_dump(),
        "statistics": None if served.statistics is None else served.statistics.model_dump(),
        "metrics": None if served.metrics is None else served.metrics.model_dump(mode="json"),
        "reconciliation": None if reconciliation is None else reconciliation.model_dump(),
        "trace_problem": served.trace_problem,
        "batch_size_disagreements": judgement.batch_size_disagreements,
        "server_end": served.server_end,
        "void": void_reason(served),
    }
