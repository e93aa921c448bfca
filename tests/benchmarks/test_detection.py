"""What was foretold of the faults, and how it is held against what was seen (M21 to M24)."""

from __future__ import annotations

import pytest

from backend.templates.reader import load_template
from benchmarks.detection.clients import at_fault
from benchmarks.detection.faults import ORACLES, Fault, foretold
from benchmarks.detection.table import disagreements, printed
from benchmarks.detection.trial import Seen, prepared

FAULTS = {fault.name: fault for fault in foretold()}
QUIET = Seen(frozenset(), frozenset(), 100, 0)


def test_every_fault_of_the_probe_is_foretold_and_every_foretold_one_exists() -> None:
    probe = load_template("session_probe")
    (fault,) = [item for item in probe.parameters if item.name == "fault"]
    of_model = {name for name, item in FAULTS.items() if not item.of_client and not item.of_place}
    assert of_model == set(fault.choices) - {"none"}
    assert len(of_model) >= 20


def test_whatever_cannot_be_seen_has_its_reason() -> None:
    assert all(reason for fault in FAULTS.values() for reason in fault.unseen.values())
    # and some oracle sees each of them
    assert all(len(fault.unseen) < len(ORACLES) for fault in FAULTS.values())


@pytest.mark.parametrize(
    ("name", "seen", "says"),
    [
        ("replies_swapped", {"hash_chain": QUIET}, "missed"),
        ("replies_swapped", {"hash_chain": Seen(frozenset({"M24"}), frozenset(), 9, 1)}, "M21 was"),
        (
            "replies_swapped",
            {"hash_chain": Seen(frozenset({"M21"}), frozenset(), 9, 1)},
            "no other session",
        ),
        (
            "off_by_one_step",
            {"isolated_replay": Seen(frozenset({"M21"}), frozenset(), 9, 1)},
            "foretold not to be",
        ),
    ],
)
def test_what_disagrees_is_said(name: str, seen: dict[str, Seen], says: str) -> None:
    fault = FAULTS[name]
    results = {(name, strategy): seen for strategy in fault.strategies}
    found = list(disagreements((fault,), results))
    assert len(found) == len(fault.strategies)
    assert all(says in sentence for sentence in found)


def test_what_was_foretold_and_seen_is_no_disagreement() -> None:
    fault = FAULTS["off_by_one_step"]
    seen = {"hash_chain": Seen(frozenset({"M21"}), frozenset(), 90, 80), "isolated_replay": QUIET}
    results = {(fault.name, strategy): seen for strategy in fault.strategies}
    assert list(disagreements((fault,), results)) == []
    table = "\n".join(printed((fault,), results))
    assert "| `off_by_one_step` | oldest | M21 | 80 of 90: M21 | cannot | not asked |" in table


def rows(fault: Fault) -> list[dict]:
    item = prepared(fault, "oldest")
    (plan,) = item.plans.values()
    return at_fault(fault.name, plan).table.to_pylist()


def test_the_plan_has_what_the_faults_need() -> None:
    plan = rows(FAULTS["race"])
    assert len(plan) >= 1200
    ids = {row["session"]: row["correlation_id"] for row in plan}
    assert len(set(ids.values())) < len(ids)
    assert len({int(number) % 2**32 for number in ids.values()}) < len(set(ids.values()))
    assert any(row["gap_ns"] for row in plan)
    last = [row for row in plan if row["step"] == row["session_length"] - 1]
    assert 0 < sum(not row["is_end"] for row in last) < len(last)


def test_a_client_at_fault_sends_otherwise_than_planned() -> None:
    assert not any(row["is_end"] for row in rows(FAULTS["client_drops_end"]))
    assert not any(row["is_start"] for row in rows(FAULTS["client_omits_start"]))
    plan = rows(FAULTS["race"])
    assert len(rows(FAULTS["client_goes_on_after_end"])) == len(plan) + 2 * 48
    odd = rows(FAULTS["client_sends_under_another_id"])
    changed = [
        a["request_id"]
        for a, b in zip(plan, odd, strict=True)
        if a["correlation_id"] != b["correlation_id"]
    ]
    assert 0 < len(changed) < len(plan) / 4
