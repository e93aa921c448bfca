"""What a session's state machine lacks: contradictions, unknowns, missing ways in or out."""

from __future__ import annotations

from typing import Final

from backend.workload.answers import Answers
from backend.workload.contradiction import Contradiction
from backend.workload.session_states import ProblemKind, State, Transition
from backend.workload.state_checks import lacks

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


def session_problems(
    answers: Answers,
    states: tuple[State, ...],
    transitions: tuple[Transition, ...],
    uneasy: tuple[Contradiction, ...],
) -> list[Found]:
    """Contradictions first, then what is missing or unknown, then what the graph itself lacks.

    Args:
        answers: What was said of the class.
        states: The machine's states.
        transitions: Its transitions.
        uneasy: Contradictions and doubts.
    """
    found: list[Found] = []
    for item in uneasy:
        step = pointed_at(item, transitions)
        at, trigger = (step.id, step.trigger) if step is not None else ("active", None)
        found.append((item.kind, at, trigger, item.sentence, item.questions))
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
        told = gap is not None and any(sentence == gap[0] for _, _, _, sentence, _ in found)
        if gap and not told and step.status in ("missing", "unknown"):
            kind: ProblemKind = "missing" if step.status == "missing" else "unknown"
            found.append((kind, step.id, step.trigger, gap[0], (gap[1],)))
    said = {(at, trigger) for _, at, trigger, _, _ in found}
    for lack in lacks(states, transitions, "absent"):
        if any((t.id, t.trigger) in said for t in transitions if t.trigger == lack.trigger):
            continue
        found.append(("missing", lack.state, None, lack.sentence, _ASKED[lack.kind]))
    return found


def pointed_at(item: Contradiction, transitions: tuple[Transition, ...]) -> Transition | None:
    """The transition at which a contradiction or doubt is shown; null where it is none's."""
    for step in transitions:
        if step.id == item.transition and item.trigger in (None, step.trigger):
            return step
    return None


_ASKED: Final[dict[str, tuple[str, ...]]] = {
    "unreachable": ("start_marked", "id_type"),
    "no way out": ("end_marked", "ends_on"),
    "no timeout": ("ends_on",),
    "no cancel": ("ends_on",),
    "no error": ("ends_on",),
}
