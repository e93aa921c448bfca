"""Judges independent requests (M26): replies must not depend on order, batch or instance."""

from __future__ import annotations

from typing import Final

import pandas as pd
import pyarrow as pa

from backend.contracts.findings import PropertyFinding
from backend.modelconfig.candidate import Candidate
from backend.sessions.history import NO_REPLY_JUDGED
from backend.sessions.isolated_replay import Repeatability, compared_frame, unless_unrepeatable
from backend.sessions.judgement import GroupResult, Judgement, group_findings, judged_table
from backend.templates.template import Template
from backend.workload.study import Cell

INDEPENDENT: Final = (
    "M26",
    "Replies are equivalent under other orders, batches and instances",
)

FAILED_PREMISE: Final = (
    "Replies vary with order, batch members or instance: the requests are not independent, and the "
    "class goes back to state modelling."
)


def judge_stateless(
    requests: pa.Table,
    replies: pa.Table,
    reference: pa.Table,
    *,
    template: Template,
    candidate: Candidate,
    cell: Cell,
    repeated: Repeatability | None = None,
) -> Judgement:
    """Fill the verdicts of one trial of an independent class and find what they mean for M26.

    The reference is every request sent alone, one after another, to a single instance. Where the
    candidate may batch but the trace shows that no two requests ever shared an execution, the
    property is not shown: other batches were not tried.

    Args:
        requests: The trial's requests table.
        replies: Its replies table.
        reference: Replies table of the isolated replay.
        template: The model's template, with the rules of comparison.
        candidate: How the model was served.
        cell: In which cell.
        repeated: Two isolated replays compared, see ``judge_isolated_replay``.

    Raises:
        InputError: if a table lacks an output that the rules name.
    """
    frame = compared_frame(requests, replies, reference, template, repeated)
    judged = frame["verdict"].isin(("equal", "differs")).to_numpy()
    differs = (frame["verdict"] == "differs").to_numpy()
    findings = group_findings(*INDEPENDENT, cell, frame, judged, differs, _note)
    if _may_batch(candidate):
        missing = _batches_missing(frame)
        findings = tuple(_without_batches(finding, missing) for finding in findings)
    return Judgement(
        table=judged_table(requests, frame),
        properties=unless_unrepeatable(findings, repeated),
    )


def _note(result: GroupResult) -> str:
    if result.verdict == "not_shown":
        return NO_REPLY_JUDGED
    return FAILED_PREMISE if result.verdict == "violated" else ""


def _may_batch(candidate: Candidate) -> bool:
    return candidate.name != "no-batching" and candidate.max_batch_size > 1


def _batches_missing(frame: pd.DataFrame) -> str:
    """Why other batches were not shown to be harmless; empty where batches are known to form."""
    sizes = frame["batch_size"].dropna()
    if sizes.empty:
        return (
            "The server's trace is missing, so that nobody knows whether requests were ever "
            "executed together."
        )
    if bool((sizes == 1).all()):
        return (
            "No two requests were ever executed together, so other batches were not tried: more "
            "concurrency or a queue delay is needed."
        )
    return ""


def _without_batches(finding: PropertyFinding, missing: str) -> PropertyFinding:
    if finding.verdict != "holds" or not missing:
        return finding
    return finding.model_copy(update={"verdict": "not_shown", "note": missing})
