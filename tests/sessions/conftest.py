"""Builders of small studies, and a probe that is driven by hand, for the tests of sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from backend.contracts.replies_table import replies_schema
from backend.contracts.requests_table import SCHEMA
from backend.modelconfig.candidate import Candidate
from backend.sessions.plan import PLAN_SCHEMA, Plan
from backend.templates.template import Decision, OutputRule, Parameter, Samples, Template, Tensor
from backend.workload.answers import Answers, CorrelationId
from backend.workload.study import Cell, ModelChoice, Study, TrafficClass, Workload
from backend.workload.traffic import Gaps, LengthGroup, Traffic

PROBE_OUTPUTS = ("STATE_BEFORE", "STATE_AFTER", "INSTANCE", "SEEN")


def make_study(
    *,
    seed: int = 7,
    sessions: int = 8,
    mixes: Mapping[str, Sequence[tuple[str, float, tuple[int, int]]]] | None = None,
    gaps: Gaps | None = None,
    time_scale: float = 1.0,
    answers: Answers | None = None,
    parameters: Mapping[str, int | float | str] | None = None,
    name: str = "captions",
) -> Study:
    """A study of one class; its sessions have the mix ``short`` (all of 3 to 5 steps)."""
    groups = {"short": [("short", 1.0, (3, 5))]} if mixes is None else mixes
    stateful = Answers(
        relation="parts_of_a_session",
        order_matters="yes",
        state_kind="session_object",
        state_place="correlation_id",
        correlation_id=CorrelationId(type="uint64"),
    )
    traffic = Traffic(
        sessions=sessions,
        mixes={
            mix: tuple(LengthGroup(group=g, share=s, steps=r) for g, s, r in items)
            for mix, items in groups.items()
        },
        gaps=gaps or Gaps(),
        time_scale=time_scale,
    )
    item = TrafficClass(
        name=name,
        workload=Workload(answers=answers or stateful, traffic=traffic),
        model=ModelChoice(template="session_probe", parameters=dict(parameters or {})),
    )
    return Study(schema=1, name="a-study", seed=seed, classes=(item,))


def make_probe(state_place: str = "correlation_id") -> Template:
    """The probe's template, as far as sessions need it."""
    return Template(
        name="session_probe",
        title="Session probe",
        about="",
        stateful=True,
        state_places=("correlation_id", "slot"),
        oracle="hash_chain",
        max_batch_size=16,
        inputs=(Tensor(name="CHUNK", data_type="UINT8", dims=("input_bytes",)),),
        outputs=(
            Tensor(name="STATE_BEFORE", data_type="UINT8", dims=(16,)),
            Tensor(name="STATE_AFTER", data_type="UINT8", dims=(16,)),
            Tensor(name="INSTANCE", data_type="BYTES", dims=(1,)),
            Tensor(name="SEEN", data_type="INT64", dims=(5,)),
        ),
        parameters=(
            Parameter(name="state_place", kind="choice", default=state_place, about=""),
            Parameter(name="input_bytes", kind="integer", default=64, about=""),
        ),
        samples=Samples(kind="generated", input="CHUNK"),
        folder=Path("nowhere"),
    )


def make_detector(**changes: Any) -> Template:
    """A voice-activity-like template: one probability per frame of four numbers."""
    values: dict[str, Any] = {
        "name": "detector",
        "title": "Detector",
        "about": "",
        "stateful": True,
        "state_places": ("correlation_id",),
        "oracle": "isolated_replay",
        "max_batch_size": 8,
        "inputs": (Tensor(name="FRAME", data_type="FP32", dims=(4,)),),
        "outputs": (Tensor(name="SPEECH", data_type="FP32", dims=(1,)),),
        "rules": (OutputRule(output="SPEECH", absolute=0.001, why="rounding"),),
        "decision": Decision(
            output="SPEECH",
            threshold=0.5,
            positive="speech",
            negative="silence",
            unit="frame",
            session="caller",
            stretch="sentence",
        ),
        "samples": Samples(kind="clips", input="FRAME", folder="samples"),
        "folder": Path("nowhere"),
    }
    return Template(**{**values, **changes})


def make_candidate(name: str = "sequence-direct", **changes: Any) -> Candidate:
    values: dict[str, Any] = {
        "name": name,
        "model_name": "captions",
        "template": "session_probe",
        "instances": 1,
        "max_batch_size": 0 if name == "no-batching" else 8,
    }
    return Candidate(**{**values, **changes})


def make_cell(instances: int = 1, concurrency: int = 2, mix: str = "short") -> Cell:
    return Cell(instances=instances, concurrency=concurrency, mix=mix)


def requests_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """A requests table; what a row leaves out has an ordinary value, times go up by 1,000."""
    full = []
    for at, row in enumerate(rows):
        values: dict[str, Any] = dict.fromkeys(SCHEMA.names)
        values |= {
            "trial": 0,
            "request_type": "captions",
            "candidate": "dynamic",
            "cell": "instances=1,concurrency=2,mix=short",
            "repeat": 0,
            "request_id": f"{row['session']}.{row['step']}",
            "correlation_id": str(100 + row["session"]),
            "correlation_id_type": "uint64",
            "transport": "grpc_stream",
            "session_length": 1,
            "length_group": "short",
            "is_start": row["step"] == 0,
            "is_end": False,
            "sent_ns": at * 1000,
            "received_ns": at * 1000 + 500,
            "outcome": "ok",
            "verdict": "unjudged",
        }
        values |= row
        full.append(values)
    return pa.Table.from_pylist(full, schema=SCHEMA)


def fp32_replies(values: Mapping[str, Sequence[float] | None], output: str = "SPEECH") -> pa.Table:
    """A replies table with one FP32 output."""
    return pa.Table.from_pylist(
        [
            {
                "request_id": request_id,
                output: None if numbers is None else np.array(numbers, "<f4").tobytes(),
            }
            for request_id, numbers in values.items()
        ],
        schema=replies_schema([output]),
    )


@dataclass
class Trace:
    """A probe driven by hand: which instance and position served which request, in order."""

    lengths: Sequence[int]
    state_place: str = "correlation_id"
    states: dict[tuple[str, Any], bytes] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    replies: list[dict[str, Any]] = field(default_factory=list)

    def chunk(self, session: int, step: int) -> bytes:
        return f"chunk {session} {step}".encode()

    def state(self, *writers: tuple[int, int]) -> bytes:
        """The state after these requests in a row, from a fresh one."""
        state = bytes(16)
        for session, step in writers:
            state = self.next(state, session, step)
        return state

    def next(self, state: bytes, session: int, step: int) -> bytes:
        """What one request makes of any state."""
        return blake2b(state + self.chunk(session, step), digest_size=16).digest()

    def serve(
        self, session: int, step: int, *, instance: str = "i0", position: int = 0, **row: Any
    ) -> Trace:
        """One request served; ``row`` overrides its line in the requests table."""
        place = position if self.state_place == "slot" else session
        before = bytes(16) if step == 0 else self.states.get((instance, place), bytes(16))
        after = self.next(before, session, step)
        self.states[(instance, place)] = after
        return self.answer(session, step, before, after, instance=instance, **row)

    def answer(
        self,
        session: int,
        step: int,
        before: bytes,
        after: bytes,
        *,
        instance: str = "i0",
        **row: Any,
    ) -> Trace:
        """One reply with just these states."""
        length = self.lengths[session]
        self.rows.append(
            {
                "session": session,
                "step": step,
                "session_length": length,
                "is_end": step == length - 1,
                **row,
            }
        )
        name = instance.encode()
        self.replies.append(
            {
                "request_id": f"{session}.{step}",
                "STATE_BEFORE": before,
                "STATE_AFTER": after,
                "INSTANCE": len(name).to_bytes(4, "little") + name,
                "SEEN": np.array([0, 1, 0, 0, 0], "<i8").tobytes(),
            }
        )
        return self

    def failed(self, session: int, step: int, outcome: str, error: str | None = None) -> Trace:
        """One request without a reply."""
        row = {
            "session": session,
            "step": step,
            "session_length": self.lengths[session],
            "is_end": step == self.lengths[session] - 1,
            "outcome": outcome,
            "error": error,
        }
        if outcome == "not_sent":
            row |= {"sent_ns": None, "received_ns": None}
        self.rows.append(row)
        return self

    @property
    def plan(self) -> Plan:
        rows = [
            {
                "request_id": f"{session}.{step}",
                "session": session,
                "step": step,
                "session_length": length,
                "length_group": "short",
                "correlation_id": str(100 + session),
                "correlation_id_type": "uint64",
                "is_start": step == 0,
                "is_end": step == length - 1,
                "gap_ns": 0,
                "input": self.chunk(session, step),
            }
            for session, length in enumerate(self.lengths)
            for step in range(length)
        ]
        return Plan(
            request_type="captions",
            cell="instances=1,concurrency=2,mix=short",
            concurrency=2,
            seed=1,
            table=pa.Table.from_pylist(rows, schema=PLAN_SCHEMA),
        )

    @property
    def requests(self) -> pa.Table:
        return requests_table(self.rows)

    @property
    def reply_table(self) -> pa.Table:
        return pa.Table.from_pylist(self.replies, schema=replies_schema(PROBE_OUTPUTS))


@pytest.fixture
def study_of() -> Callable[..., Study]:
    return make_study


@pytest.fixture
def probe() -> Template:
    return make_probe()


@pytest.fixture
def slot_probe() -> Template:
    return make_probe("slot")


@pytest.fixture
def detector_of() -> Callable[..., Template]:
    return make_detector


@pytest.fixture
def candidate_of() -> Callable[..., Candidate]:
    return make_candidate


@pytest.fixture
def cell_of() -> Callable[..., Cell]:
    return make_cell


@pytest.fixture
def trace_of() -> Callable[..., Trace]:
    return Trace


@pytest.fixture
def requests_of() -> Callable[..., pa.Table]:
    return requests_table


@pytest.fixture
def fp32() -> Callable[..., pa.Table]:
    return fp32_replies
