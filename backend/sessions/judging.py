"""Picks the oracle for a class and model, and judges one trial with all that applies."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from backend.contracts.errors import InputError
from backend.modelconfig.candidate import Candidate
from backend.sessions.correlation_ids import sends_sequences
from backend.sessions.hash_chain import judge_hash_chain
from backend.sessions.isolated_replay import Repeatability, judge_isolated_replay
from backend.sessions.judgement import Judgement
from backend.sessions.plan import Plan
from backend.sessions.protocol import judge_protocol
from backend.sessions.stateless import judge_stateless
from backend.templates.template import Template
from backend.workload.answers import Answers
from backend.workload.study import Cell


def needs_reference(template: Template, answers: Answers) -> bool:
    """Whether trials are judged against an isolated replay, which must then be run."""
    return template.oracle == "isolated_replay" or not sends_sequences(answers)


def judge_trial(
    requests: pa.Table,
    replies: pa.Table,
    plan: Plan,
    *,
    template: Template,
    answers: Answers,
    candidate: Candidate,
    cell: Cell,
    reference: pa.Table | None = None,
    repeated: Repeatability | None = None,
    warmup_states: Collection[bytes] = (),
) -> Judgement:
    """Judge one trial: M26 for an independent class, else M21 to M24.

    Args:
        requests: The trial's requests table.
        replies: Its replies table.
        plan: What was sent.
        template: The model's template.
        answers: The class's answers.
        candidate: How the model was served.
        cell: In which cell.
        reference: Replies table of the isolated replay, where ``needs_reference`` says so.
        repeated: Two isolated replays compared, if they were run.
        warmup_states: States that warm-up requests left in the probe, if known.

    Raises:
        InputError: if the tables do not belong together, or the reference is missing.
    """
    if not needs_reference(template, answers):
        judgement = judge_hash_chain(
            requests,
            replies,
            plan,
            template=template,
            candidate=candidate,
            cell=cell,
            warmup_states=warmup_states,
        )
        return judgement.with_properties(judge_protocol(requests, cell, plan))
    if reference is None:
        raise InputError(
            f"There is no isolated replay of class '{plan.request_type}' to judge by.",
            next_step="Run the study again: each cell's sessions are replayed alone first.",
        )
    judge = judge_isolated_replay if sends_sequences(answers) else judge_stateless
    judgement = judge(
        requests,
        replies,
        reference,
        template=template,
        candidate=candidate,
        cell=cell,
        repeated=repeated,
    )
    return judgement.with_properties(judge_protocol(requests, cell, plan))
