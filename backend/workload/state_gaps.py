"""What a session's state machine lacks: contradictions, unknowns, missing ways in or out."""

from __future__ import annotations

from typing import Final

from backend.workload.answers import Answers
from backend.workload.contradictions import contradictions
from backend.workload.session_states import ProblemKind, Transition

Found = tuple[ProblemKind, str, str | None, str, tuple[str, ...]]
"""Kind, state or transition, its trigger, sentence, questions."""

_GAPS: Final[dict[tuple[str, str], tuple[str, str]]] = {
    ("START", "unknown"): (
        "Not said whether the first request carries START; without it no session begins.",
        "start_marked",
    ),
    ("START", "missing"): ("No request carries START: no session can begin.", "start_marked"),
    ("END", "unknown"): (
        "Not said whether the last request carries END; without it the slot stays taken until the "
        "idle limit.",
        "end_marked",
    ),
    ("END", "missing"): (
        "No request carries END: every session holds its slot until the idle limit.",
        "end_marked",
    ),
    ("error", "missing"): (
        "Not said how a session ends after an error reply. Triton keeps the sequence: the client "
        "has to end it or begin again.",
        "ends_on",
    ),
    ("cancel", "missing"): (
        "Not said how a session ends when its client cancels or disappears. A client that is gone "
        "holds its slot until the idle limit.",
        "ends_on",
    ),
    ("idle limit", "missing"): (
        "Not said that silence ends a session. Triton does end it after the idle limit, and "
        "refuses its next request: decide what the client does then.",
        "ends_on",
    ),
    ("START, same id", "unknown"): (
        "Not said whether an id is used again; the model has to begin afresh on START if it is.",
        "id_reused",
    ),
}


def session_problems(answers: Answers, transitions: tuple[Transition, ...]) -> list[Found]:
    """Contradictions first, then what is missing or unknown, then what the graph itself lacks."""
    found: list[Found] = []
    for item in contradictions(answers):
        triggers = [t.trigger for t in transitions if t.id == item.transition]
        at = item.transition if triggers else "active"
        trigger = triggers[0] if triggers else None
        found.append(("contradictory", at or "active", trigger, item.sentence, item.questions))
    if answers.relation == "unknown":
        found.append(
            (
                "unknown",
                "absent",
                None,
                "Not said whether requests belong together: drawn as sessions, the careful case.",
                ("relation",),
            )
        )
    for step in transitions:
        gap = _GAPS.get((step.trigger, step.status))
        if gap and step.status in ("missing", "unknown"):
            kind: ProblemKind = "missing" if step.status == "missing" else "unknown"
            found.append((kind, step.id, step.trigger, gap[0], (gap[1],)))
    found.extend(_graph_problems(transitions))
    return found


def _graph_problems(transitions: tuple[Transition, ...]) -> list[Found]:
    """Whether a session can begin at all, and whether it can ever end."""
    usable = [t for t in transitions if t.status in ("stated", "unknown")]
    reached = _closure("absent", {(t.source, t.target) for t in usable})
    leaving = _closure("ended", {(t.target, t.source) for t in usable})
    found: list[Found] = []
    if "active" not in reached:
        text = "No session can begin: no state after 'no session' can be reached."
        found.append(("missing", "starting", None, text, ("start_marked", "id_type")))
    if "active" not in leaving:
        text = (
            "By these answers nothing leads from a live session to its end; only Triton's idle "
            "limit would free its slot."
        )
        found.append(("missing", "active", None, text, ("end_marked", "ends_on")))
    return found


def _closure(start: str, edges: set[tuple[str, str]]) -> set[str]:
    """All states that edges lead to from one."""
    reached, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        for source, target in edges:
            if source == here and target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached
