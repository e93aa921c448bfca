"""Plays one fault under one strategy on the real server, and asks every oracle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from backend.contracts.findings import PropertyFinding
from backend.sessions.hash_chain import judge_hash_chain
from backend.sessions.isolated_replay import judge_isolated_replay
from backend.sessions.lineage import states_left_by
from backend.sessions.protocol import judge_protocol
from backend.studies.fresh_replay import replay_fresh
from backend.studies.owned_server import OwnedServer
from backend.studies.preparation import PreparedClass, prepare
from backend.studies.serving import serve
from backend.workload.study import CandidateName
from backend.workload.study_file import study_from_text
from benchmarks.detection.clients import at_fault
from benchmarks.detection.faults import ORACLES, Fault

CANDIDATES: Final[dict[str, CandidateName]] = {
    "oldest": "sequence-oldest",
    "direct": "sequence-direct",
    "dynamic": "dynamic",
}
EVENTS: Final = (
    "{lost_end: 0.1, restart: 0.15, reuse: 0.15, pause: 0.25, pause_ms: 100, alike_ids: true}"
)
_STUDY: Final = """schema: 1
name: detection
seed: SEED
rounds: 1
matrix: {instances: [INSTANCES], concurrency: [8]}
classes:
  - name: calls
    workload:
      answers:
        relation: parts_of_a_session
        order_matters: yes
        state_kind: session_object
        state_place: PLACE
        lifecycle: {start_marked: yes, end_marked: sometimes}
        correlation_id: {type: uint64, unique: yes, reused_after_end: yes}
        serving: {backend: python, hardware: cpu}
      traffic:
        sessions: SESSIONS
        mixes: {usual: MIX}
        longest_gap_ms: 3000
        events: EVENTS
    model:
      template: session_probe
      parameters: {state_place: PLACE, fault: FAULT, service_ms: 1}
"""
USUAL: Final = "[{group: all_alike, share: 1, steps: [12, 44]}]"
"""48 sessions of 28 requests on average: 1,300 a cell."""


@dataclass(frozen=True)
class Seen:
    """What one oracle made of one trial.

    Attributes:
        violated: Rows of the requirements that it found violated.
        foreign: Other sessions that it named as the origin of a state or reply.
        checked: Requests (or sessions) that it judged.
        wrong: Those of them that were wrong.
    """

    violated: frozenset[str]
    foreign: frozenset[int]
    checked: int
    wrong: int

    @property
    def alarm(self) -> bool:
        """Whether it saw anything at all."""
        return bool(self.violated)


def place_of(fault: Fault, strategy: str) -> str:
    """Where the model keeps its state: where the strategy lets it, or where it must not."""
    if fault.of_place:
        return "slot" if "by_slot" in fault.name else "correlation_id"
    return "slot" if strategy == "direct" else "correlation_id"


def prepared(
    fault: Fault,
    strategy: str,
    *,
    seed: int = 1,
    sessions: int = 48,
    instances: int = 2,
    mix: str = USUAL,
    events: str = EVENTS,
) -> PreparedClass:
    """The class of a fault's study, ready to be served under one strategy.

    Args:
        fault: What is wrong.
        strategy: oldest, direct or dynamic.
        seed: Of the study.
        sessions: How many.
        instances: Of the model.
        mix: Its length groups, as in a study file.
        events: What happens in the sessions, as in a study file.
    """
    of_model = not fault.of_client and not fault.of_place
    text = _STUDY
    for word, value in (
        ("SEED", str(seed)),
        ("SESSIONS", str(sessions)),
        ("INSTANCES", str(instances)),
        ("MIX", mix),
        ("EVENTS", events),
        ("PLACE", place_of(fault, strategy)),
        ("FAULT", fault.name if of_model else "none"),
    ):
        text = text.replace(word, value)
    study = prepare(study_from_text(text), only=CANDIDATES[strategy])
    return study.classes[0]


def play(
    owned: OwnedServer, fault: Fault, strategy: str, *, oracles: Iterable[str] = ORACLES, **how: Any
) -> dict[str, Seen]:
    """What each oracle sees of a fault under a strategy."""
    item = prepared(fault, strategy, **how)
    (cell,) = item.cells
    planned = item.plans[cell.name]
    plan = at_fault(fault.name, planned)
    candidate = item.candidate(CANDIDATES[strategy], cell.instances)
    served = serve(
        owned.server, owned.control, item, candidate, plan,
        trial=0, repeat=0, stop=lambda: False, progress=lambda counters: None,
    )  # fmt: skip
    asked = set(oracles)
    found: dict[str, Seen] = {}
    known = {"template": item.template, "candidate": candidate, "cell": cell}
    if "hash_chain" in asked:
        warmed = states_left_by(served.warm_up_tensor, served.warm_up.requests)
        judged = judge_hash_chain(
            served.requests, served.replies, plan, warmup_states=warmed, **known
        )
        found["hash_chain"] = _seen(judged.properties, judged.table)
    if "isolated_replay" in asked:
        reference = replay_fresh(owned.server, owned.control, item, planned, stop=lambda: False)
        judged = judge_isolated_replay(served.requests, served.replies, reference, **known)
        found["isolated_replay"] = _seen(judged.properties, judged.table)
    if "protocol" in asked:
        found["protocol"] = _seen(judge_protocol(served.requests, cell, planned), None)
    return found


def _seen(findings: tuple[PropertyFinding, ...], table: pa.Table | None) -> Seen:
    violated = [finding for finding in findings if finding.verdict == "violated"]
    foreign = {
        violation.context_of.session
        for finding in violated
        for violation in finding.violations
        if violation.context_of is not None and violation.context_of.session != violation.session
    }
    verdicts = [] if table is None else table["verdict"].to_pylist()
    return Seen(
        violated=frozenset(finding.row for finding in violated),
        foreign=frozenset(foreign),
        checked=sum(verdict in ("equal", "differs") for verdict in verdicts)
        if table is not None
        else sum(finding.checked_count for finding in findings),
        wrong=verdicts.count("differs")
        if table is not None
        else sum(finding.violation_count for finding in violated),
    )
