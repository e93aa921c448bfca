"""The decision table (M07), filled in for one class: every entry with its reason."""

from __future__ import annotations

from typing import Final

from backend.advice.recommendation import Fit, TableCell, TableRow
from backend.workload.study import CANDIDATE_NAMES, CandidateName, TrafficClass
from backend.workload.traffic import Traffic

RELATION: Final = "Relation of the requests"
ORDER: Final = "Order and instance"
AIM: Final = "What batching aims at"
WAIT: Final = "What a request waits for"
RISK: Final = "Typical risk"
PREFERRED: Final = "When preferred"


def decision_table(
    item: TrafficClass, facts: dict[str, str], fits: dict[CandidateName, Fit]
) -> tuple[TableRow, ...]:
    """Six rows with one cell for every candidate."""
    traffic = item.workload.traffic
    reasons = {
        RELATION: {name: _relation_reason(name, facts) for name in CANDIDATE_NAMES},
        ORDER: {name: _order_reason(name, facts) for name in CANDIDATE_NAMES},
        AIM: {name: _aim_reason(name, traffic) for name in CANDIDATE_NAMES},
        WAIT: {name: _wait_reason(name, traffic) for name in CANDIDATE_NAMES},
        RISK: {name: _risk_reason(name, facts) for name in CANDIDATE_NAMES},
        PREFERRED: {name: _FIT_REASONS[fits[name]] for name in CANDIDATE_NAMES},
    }
    return tuple(
        TableRow(
            aspect=aspect,
            cells=tuple(
                TableCell(candidate=name, text=_TEXTS[aspect][name], reason=reasons[aspect][name])
                for name in CANDIDATE_NAMES
            ),
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

_RELATION_WORDS: Final = {
    "independent": "the requests are said to stand alone",
    "parts_of_a_session": "the requests are said to be parts of sessions",
    "unknown": "it is not known whether the requests belong together",
}
_ORDER_WORDS: Final = {
    "yes": "the order is said to matter",
    "no": "the order is said not to matter",
    "unknown": "it is not known whether the order matters",
}
_PLACE_WORDS: Final = {
    "slot": "the model finds its state by position",
    "correlation_id": "the model finds its state by correlation ID",
    "request": "the state comes with the request",
    "none": "no place of the state is named",
    "unknown": "it is not known where the model finds its state",
}
_FIT_REASONS: Final[dict[Fit, str]] = {
    "right": "Here: keeps the answers right, by what is said of this class.",
    "wrong": "Here: does not keep the answers right, by what is said of this class.",
    "unsure": "Here: too little is known to say that it keeps the answers right.",
    "baseline": "Here: measured beside the others, to show what batching brings.",
}


def _relation_reason(name: CandidateName, facts: dict[str, str]) -> str:
    text = f"Here: {_RELATION_WORDS[facts['relation']]}"
    if facts["contradictory"] == "yes":
        text += ", and some answers contradict each other"
    if facts["model_stateful"] == "yes":
        text += ", and the model declares that it keeps state"
    return text + "."


def _order_reason(name: CandidateName, facts: dict[str, str]) -> str:
    text = f"Here: {_ORDER_WORDS[facts['order']]}"
    if facts["batcher"] == "sequence":
        text += f"; {_PLACE_WORDS[facts['place']]}"
    return text + "."


def _aim_reason(name: CandidateName, traffic: Traffic) -> str:
    gaps = traffic.gaps
    if gaps.kind == "none":
        pause = "requests follow each other without a pause, so that many are ready at once"
    else:
        pause = (
            f"a session pauses {gaps.mean_ms:g} ms "
            f"{'on average ' if gaps.kind == 'exponential' else ''}between a reply and its next "
            "request, so that few of the live sessions are ready at once"
        )
    if name == "sequence-direct":
        return f"Here: {pause}; the other slots are padded."
    if name == "no-batching":
        return "Here: shows what an execution costs by itself."
    return f"Here: {pause}."


def _wait_reason(name: CandidateName, traffic: Traffic) -> str:
    longest = traffic.longest_session
    if name in ("dynamic", "no-batching"):
        return "Here: no request waits for another one of its session."
    if longest == 1:
        return "Here: a session is one request, so a slot is free again after one execution."
    shortest = min(group.steps[0] for groups in traffic.mixes.values() for group in groups)
    if longest >= 5 * shortest:
        return (
            f"Here: a session of up to {longest} requests holds its slot from START to END; one of "
            f"{shortest} that finds no slot waits for that long."
        )
    return (
        f"Here: a session of up to {longest} requests holds its slot from START to END; a newcomer "
        "that finds none waits for that long."
    )


def _risk_reason(name: CandidateName, facts: dict[str, str]) -> str:
    if facts["batcher"] == "dynamic":
        if name in ("sequence-direct", "sequence-oldest"):
            return "Here: order is paid for that nobody needs."
        if name == "dynamic":
            return "Here: nothing is remembered; equal results in any batch are still measured."
        return "Here: nothing is remembered; only throughput is at stake."
    if name == "sequence-oldest":
        return f"Here: {_PLACE_WORDS[facts['place']]}."
    if name == "sequence-direct":
        return "Here: live sessions must not exceed instances x max_batch_size."
    return "Here: with one instance it may look right; with two, sessions meet."
