"""The life of a session as a state machine, drawn from the answers before anything is configured.

What the answers leave out or contradict is attached to the state or transition that it concerns.
Transitions follow the sequence batcher: START takes a slot; END or the idle limit frees it.
"""

from __future__ import annotations

from typing import Final

from backend.workload.answers import Answers, YesNo
from backend.workload.contradictions import contradictions
from backend.workload.session_states import (
    OUTSIDE,
    Problem,
    State,
    StateMachine,
    Transition,
    TransitionStatus,
)
from backend.workload.state_gaps import Found, session_problems

__all__ = ["OUTSIDE", "Problem", "State", "StateMachine", "Transition", "machine"]


def machine(answers: Answers) -> StateMachine:
    """The state machine of a class. Unknown relations are drawn as sessions: the careful case."""
    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    found: list[Found]
    if answers.relation == "independent":
        states, transitions = _ALONE_STATES, _ALONE_TRANSITIONS
        found = [
            ("contradictory", "served", None, item.sentence, item.questions)
            for item in contradictions(answers)
        ]
    else:
        states, transitions = _SESSION_STATES, _session_transitions(answers)
        found = session_problems(answers, transitions)
    problems = tuple(
        Problem(
            number=number, kind=kind, at=at, trigger=trigger, sentence=text, questions=questions
        )
        for number, (kind, at, trigger, text, questions) in enumerate(found, start=1)
    )
    return StateMachine(
        states=states,
        transitions=transitions,
        problems=problems,
        sessions=answers.relation != "independent",
    )


_ALONE_STATES: Final = (
    State(id="served", label="request in service", about="Nothing stays behind after the reply."),
)
_ALONE_TRANSITIONS: Final = (
    Transition(
        source=OUTSIDE, target="served", trigger="request", about="Any order, any instance."
    ),
    Transition(source="served", target=OUTSIDE, trigger="reply", about="Nothing is remembered."),
)
_SESSION_STATES: Final = (
    State(id="absent", label="no session", about="The server knows nothing of the id."),
    State(
        id="starting",
        label="waits for a slot",
        about="In the backlog while every sequence slot is taken.",
    ),
    State(
        id="active",
        label="request in service",
        about="A request of the session is queued or runs.",
        holds_slot=True,
    ),
    State(
        id="idle",
        label="idle, holds its slot",
        about="Nothing is under way; the session may go on. The idle limit counts from the "
        "arrival of its last request.",
        holds_slot=True,
    ),
    State(id="ended", label="ended", about="The slot is free; requests of the id are refused."),
)

_MARK: Final[dict[YesNo, TransitionStatus]] = {
    "yes": "stated",
    "no": "missing",
    "unknown": "unknown",
}


def _session_transitions(answers: Answers) -> tuple[Transition, ...]:
    life, ids = answers.lifecycle, answers.correlation_id

    def ends(cause: str) -> TransitionStatus:
        return "stated" if cause in life.ends_on else "missing"

    wrong = {item.transition for item in contradictions(answers)}
    drawn = [
        Transition(
            source="absent",
            target="starting",
            trigger="START",
            about="The first request carries the START flag and an id that no live session has.",
            status=_MARK[life.start_marked],
        ),
        Transition(
            source="starting",
            target="active",
            trigger="slot free",
            about="The session is bound to a slot of one instance, for its whole life.",
        ),
        Transition(source="active", target="idle", trigger="reply", about="The reply is sent."),
        Transition(
            source="idle",
            target="active",
            trigger="next request",
            about="The same id, without START; it goes to the slot that the session holds.",
        ),
        Transition(
            source="active",
            target="ended",
            trigger="END",
            about="The last request carries the END flag; the slot is freed.",
            status=_MARK[life.end_marked],
        ),
        Transition(
            source="active",
            target="ended",
            trigger="error",
            about="Triton keeps the sequence after an error reply: the client sends END, or START "
            "to begin again.",
            status=ends("error"),
        ),
        Transition(
            source="active",
            target="ended",
            trigger="cancel",
            about="A cancelled request that still waits in the slot ends the sequence. The model "
            "is not told.",
            status=ends("cancel"),
        ),
        Transition(
            source="idle",
            target="ended",
            trigger="idle limit",
            about="Nothing arrived for the idle limit: Triton frees the slot. The model is not "
            "told.",
            status=ends("idle_timeout"),
        ),
    ]
    if ids.reused_after_end != "no":
        drawn.append(
            Transition(
                source="ended",
                target="starting",
                trigger="START, same id",
                about="A new session under an old id begins afresh.",
                status="stated" if ids.reused_after_end == "yes" else "unknown",
            )
        )
    if ids.unique == "no":
        drawn.append(
            Transition(
                source="idle",
                target="starting",
                trigger="START by another",
                about="Another session with the same id takes over the slot.",
            )
        )
    return tuple(
        step.model_copy(update={"status": "contradictory"})
        if step.id in wrong and step.trigger not in ("error", "cancel")
        else step
        for step in drawn
    )
