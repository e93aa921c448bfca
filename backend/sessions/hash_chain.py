"""Judges the probe: each reply must carry its session's own hash chain, and nothing else's.

Expected states are computed here from the plan's bytes alone, not by the model's code:
``state' = blake2b(state || input, digest_size=16)``, beginning with 16 zero bytes at START.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa

from backend.contracts.errors import InputError
from backend.modelconfig.candidate import Candidate
from backend.sessions.history import context_findings
from backend.sessions.joining import aligned, instances, positions
from backend.sessions.judgement import Judgement, judged_table, requests_frame
from backend.sessions.lineage import FRESH_STATE, Explanation, Step, explain, next_state
from backend.sessions.plan import Plan
from backend.templates.template import Template
from backend.workload.study import Cell

STATE_BEFORE: Final = "STATE_BEFORE"
STATE_AFTER: Final = "STATE_AFTER"
SEEN: Final = "SEEN"
SEEN_BATCH_SIZE: Final = 1
"""Position in ``SEEN``: execution number, batch size, position, start ns, end ns."""

_POSSIBLE_STATES: Final = 64


def judge_hash_chain(
    requests: pa.Table,
    replies: pa.Table,
    plan: Plan,
    *,
    template: Template,
    candidate: Candidate,
    cell: Cell,
    warmup_states: Collection[bytes] = (),
) -> Judgement:
    """Fill the verdicts of one trial of the probe and find what they mean for M21 to M23.

    Args:
        requests: The trial's requests table.
        replies: Its replies table, with the probe's outputs.
        plan: What was sent.
        template: The probe's template.
        candidate: How the model was served.
        cell: In which cell.
        warmup_states: States that warm-up requests left, see ``lineage.states_left_by``: a reply
            computed from one of them used another session's context.

    Raises:
        InputError: if the tables do not belong together.
    """
    frame = judged_frame(requests, replies, plan, warmup_states)
    compared, disagreeing = _batch_sizes(frame, replies)
    return Judgement(
        table=judged_table(requests, frame),
        properties=context_findings(frame, template, candidate, cell),
        batch_sizes_compared=compared,
        batch_size_disagreements=disagreeing,
    )


def context_lanes(
    requests: pa.Table, replies: pa.Table, plan: Plan, warmup_states: Collection[bytes] = ()
) -> pd.DataFrame:
    """One row per sent request for the chart of session lanes.

    Columns: ``session``, ``step``, ``length_group``, ``sent_ns``, ``received_ns``, ``instance``,
    ``verdict``, ``relation`` (null unless it differs), ``context_session``, ``context_step``.
    """
    frame = judged_frame(requests, replies, plan, warmup_states)
    columns = [
        "session",
        "step",
        "length_group",
        "sent_ns",
        "received_ns",
        "instance",
        "verdict",
        "relation",
        "context_session",
        "context_step",
    ]
    sent = frame[frame["sent_ns"].notna()]
    return sent[columns].sort_values(["session", "step"], kind="stable").reset_index(drop=True)


def judged_frame(
    requests: pa.Table, replies: pa.Table, plan: Plan, warmup_states: Collection[bytes] = ()
) -> pd.DataFrame:
    """The requests in their order with verdict, digests, relation and context.

    Raises:
        InputError: if a request is not in the plan, or the plan has no bytes for it.
    """
    frame = requests_frame(requests)
    ids = frame["request_id"].tolist()
    planned = plan.table["request_id"].to_pylist()
    at = positions(ids, planned, "The plan")
    if -1 in at:
        raise InputError(
            f"Request {ids[at.index(-1)]} is not in the plan {plan.file_name}.",
            next_step="Use the plan that this trial was run with.",
        )
    steps = _steps(plan, frame, planned, replies)
    explanations = explain(steps, warmup_states)
    rows = [steps[index] for index in at]
    why = [explanations[index] for index in at]
    frame["verdict"] = [_verdict(step) for step in rows]
    frame["expected"] = [_hex(step.expected) for step in rows]
    frame["observed"] = [_hex(step.after) for step in rows]
    frame["instance"] = instances(ids, replies, frame["instance"].tolist())
    return with_explanations(frame, why)


def with_explanations(frame: pd.DataFrame, why: Sequence[Explanation | None]) -> pd.DataFrame:
    """The frame with ``relation``, ``context_session`` and ``context_step`` (null: none)."""
    contexts = [item.context_of if item else None for item in why]
    frame["relation"] = pd.Series([item.relation if item else None for item in why], dtype=object)
    frame["context_session"] = pd.array([c.session if c else None for c in contexts], dtype="Int64")
    frame["context_step"] = pd.array([c.step if c else None for c in contexts], dtype="Int64")
    return frame


def _steps(
    plan: Plan, frame: pd.DataFrame, planned: Sequence[str], replies: pa.Table
) -> list[Step]:
    """Every planned request, judged against its own session's history."""
    befores = aligned(planned, replies, STATE_BEFORE, "The replies table")
    afters = aligned(planned, replies, STATE_AFTER, "The replies table")
    outcome = dict(zip(frame["request_id"].tolist(), frame["outcome"].tolist(), strict=True))
    columns = ("session", "step", "is_start", "input")
    steps: list[Step] = []
    possible: tuple[bytes, ...] = (FRESH_STATE,)
    last = None
    rows = zip(*(plan.table[name].to_pylist() for name in columns), strict=True)
    for (session, step, is_start, chunk), request_id, before, after in zip(
        rows,
        planned,
        befores,
        afters,
        strict=True,
    ):
        if chunk is None:
            raise InputError(
                f"The plan {plan.file_name} holds no bytes for request {request_id}.",
                why="The probe is judged by inputs that the plan itself carries.",
                next_step="Let the template's samples be of kind 'generated'.",
            )
        if session != last or is_start:
            possible, last = (FRESH_STATE,), session
        result = outcome.get(request_id, "not_sent")
        answered = result == "ok" and before is not None and after is not None
        nexts = tuple(next_state(state, chunk) for state in possible)
        equal = (after in nexts) if answered and nexts else None
        steps.append(
            Step(
                session=session,
                step=step,
                before=before if answered else None,
                after=after if answered else None,
                computed=next_state(before, chunk) if answered and before is not None else None,
                expected=after if equal else next(iter(nexts), None),
                equal=equal,
            )
        )
        possible = _own_states(possible, nexts, after if equal else None, result)
    return steps


def _own_states(
    possible: tuple[bytes, ...], nexts: tuple[bytes, ...], confirmed: bytes | None, outcome: str
) -> tuple[bytes, ...]:
    """The states that the session may be in by its own history after a request.

    A request without a reply may have been executed or not, and the session's own history is
    honest either way; with too many such requests nothing more is expected (empty).
    """
    if confirmed is not None:
        return (confirmed,)
    if outcome == "ok":
        return nexts
    if outcome == "not_sent":
        return possible
    both = tuple(dict.fromkeys((*nexts, *possible)))
    return both if len(both) <= _POSSIBLE_STATES else ()


def _verdict(step: Step) -> str:
    if step.equal is None:
        return "unjudged"
    return "equal" if step.equal else "differs"


def _hex(state: bytes | None) -> str | None:
    return None if state is None else state.hex()


def _batch_sizes(frame: pd.DataFrame, replies: pa.Table) -> tuple[int, int]:
    """How many batch sizes could be compared (model against trace), and how many disagree."""
    raws = aligned(frame["request_id"].tolist(), replies, SEEN, "The replies table")
    known = np.array([raw is not None for raw in raws]) & frame["batch_size"].notna().to_numpy()
    if not known.any():
        return 0, 0
    seen = np.frombuffer(b"".join(raw for raw in raws if raw is not None), dtype="<i8")
    all_sizes = np.zeros(len(frame), dtype=np.int64)
    all_sizes[[raw is not None for raw in raws]] = seen.reshape(-1, 5)[:, SEEN_BATCH_SIZE]
    traced = frame["batch_size"].fillna(0).to_numpy(dtype=np.int64)
    return int(known.sum()), int((known & (all_sizes != traced)).sum())
