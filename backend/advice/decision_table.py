"""The decision table (M07), filled in for one class: every entry with its reason."""

from __future__ import annotations

from typing import Final

from backend.advice.cell_rules import Aspect, here_of
from backend.advice.recommendation import TableCell, TableRow
from backend.workload.study import CANDIDATE_NAMES, CandidateName, TrafficClass
from backend.workload.traffic import Traffic

RELATION: Final = "Relation of the requests"
ORDER: Final = "Order and instance"
AIM: Final = "What batching aims at"
WAIT: Final = "What a request waits for"
RISK: Final = "Typical risk"
PREFERRED: Final = "When preferred"
_FAR_APART: Final = 5
"""Steps of a class's longest session for each one of its shortest, from which both are named."""


_IDS: Final[dict[str, Aspect]] = {
    RELATION: "relation",
    ORDER: "order_and_instance",
    AIM: "batching_aim",
    WAIT: "waits_for",
    RISK: "risk",
    PREFERRED: "preferred",
}


def decision_table(item: TrafficClass, facts: dict[str, str]) -> tuple[TableRow, ...]:
    """Six rows with one cell for every candidate."""
    traffic = item.workload.traffic
    more = {
        ORDER: {name: _order_more(name, facts) for name in CANDIDATE_NAMES},
        AIM: {name: _aim_more(name, traffic) for name in CANDIDATE_NAMES},
        WAIT: {name: _wait_more(name, traffic) for name in CANDIDATE_NAMES},
    }

    def cell(aspect: str, name: CandidateName) -> TableCell:
        here, because = here_of(_IDS[aspect], name, facts)
        reason = f"Here: {because}."
        if aspect in more and more[aspect][name]:
            reason += f" {more[aspect][name]}"
        return TableCell(candidate=name, text=_TEXTS[aspect][name], here=here, reason=reason)

    return tuple(
        TableRow(
            id=_IDS[aspect],
            aspect=aspect,
            cells=tuple(cell(aspect, name) for name in CANDIDATE_NAMES),
        )
        for aspect in _TEXTS
    )


_TEXTS: Final[dict[str, dict[CandidateName, str]]] = {
    RELATION: {
        "sequence-direct": "Parts of a session.",
        "sequence-oldest": "Parts of a session.",
        "dynamic": "Requests that stand alone.",
        "no-batching": "Requests that stand alone.",
    },
    ORDER: {
        "sequence-direct": "One at a time, in order, one instance, one slot.",
        "sequence-oldest": "One at a time, in order, one instance, any position.",
        "dynamic": "None kept.",
        "no-batching": "None kept.",
    },
    AIM: {
        "sequence-direct": "One request from each ready slot; silent slots below are padded.",
        "sequence-oldest": "The requests of different sessions that have waited longest.",
        "dynamic": "Whatever waits, up to max_batch_size.",
        "no-batching": "Nothing: each request is an execution.",
    },
    WAIT: {
        "sequence-direct": "Its predecessor, the instance's running batch, and a newcomer for a "
        "slot.",
        "sequence-oldest": "Its predecessor, its own instance, and a newcomer for a slot.",
        "dynamic": "Any idle instance.",
        "no-batching": "Any idle instance, behind every request before it.",
    },
    RISK: {
        "sequence-direct": "Too few slots; padding taken for data.",
        "sequence-oldest": "A model that goes by position reads another session's state.",
        "dynamic": "One session's reply from another's state.",
        "no-batching": "A session spread over instances; low throughput.",
    },
    PREFERRED: {
        "sequence-direct": "State by position, or not known where.",
        "sequence-oldest": "State by correlation ID, many sessions, short ones beside long.",
        "dynamic": "Every request stands alone, and batches are cheaper than single runs.",
        "no-batching": "As the baseline; or where batches bring nothing.",
    },
}

_PLACE_WORDS: Final = {
    "slot": "The model finds its state by position.",
    "correlation_id": "The model finds its state by correlation ID.",
    "request": "The state comes with the request.",
    "none": "No place of the state is named.",
    "unknown": "It is not known where the model finds its state.",
}


def _order_more(name: CandidateName, facts: dict[str, str]) -> str:
    return _PLACE_WORDS[facts["place"]] if facts["batcher"] == "sequence" else ""


def _aim_more(name: CandidateName, traffic: Traffic) -> str:
    gaps = traffic.gaps
    if name == "no-batching" or gaps.kind == "none":
        return ""
    mean = " on average" if gaps.kind == "exponential" else ""
    pause = (
        f"A session pauses {gaps.mean_ms:g} ms{mean} between a reply and its next request, so that "
        "few of the live sessions are ready at once"
    )
    return f"{pause}; the other slots are padded." if name == "sequence-direct" else f"{pause}."


def _wait_more(name: CandidateName, traffic: Traffic) -> str:
    longest = traffic.longest_session
    if name in ("dynamic", "no-batching"):
        return ""
    if longest == 1:
        return "A session is one request, so a slot is free again after one execution."
    shortest = min(group.steps[0] for groups in traffic.mixes.values() for group in groups)
    held = f"A session of up to {longest} requests holds its slot from START to END;"
    if longest >= _FAR_APART * shortest:
        return f"{held} one of {shortest} that finds no slot waits for that long."
    return f"{held} a newcomer that finds none waits for that long."
