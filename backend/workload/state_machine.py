"""The life of a session as a state machine, drawn from the answers before anything is configured.

What the answers leave out or contradict is attached to the state or transition that it concerns.
Transitions follow the sequence batcher: START takes a slot; END or the idle limit frees it.
"""

from __future__ import annotations

from typing import Final

from backend.workload.answers import Answers, EndMarked
from backend.workload.class_doubts import class_doubts
from backend.workload.contradiction import Contradiction
from backend.workload.contradictions import contradictions
from backend.workload.doubts import doubts
from backend.workload.session_states import (
    OUTSIDE,
    Problem,
    State,
    StateMachine,
    Transition,
    TransitionStatus,
)
from backend.workload.state_gaps import Found, pointed_at, session_problems
from backend.workload.study import TrafficClass, Workload

__all__ = ["OUTSIDE", "Problem", "State", "StateMachine", "Transition", "machine", "machine_of"]


def machine(answers: Answers, workload: Workload | None = None) -> StateMachine:
    """The state machine of answers. Unknown relations are drawn as sessions: the careful case.

    Args:
        answers: What was said of the class.
        workload: The whole of it, for what its numbers and answers make doubtful.
    """
    return _drawn(answers, doubts(workload) if workload is not None else ())


def machine_of(item: TrafficClass) -> StateMachine:
    """The state machine of a class, with all that its model and candidates make doubtful."""
    return _drawn(item.workload.answers, class_doubts(item))


def _drawn(answers: Answers, doubtful: tuple[Contradiction, ...]) -> StateMachine:
    uneasy = (*contradictions(answers), *doubtful)
    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    found: list[Found]
    if answers.relation == "independent":
        states, transitions = _ALONE_STATES, _ALONE_TRANSITIONS
        found = [(item.kind, "served", None, item.sentence, item.questions) for item in uneasy]
    else:
        states, transitions = _SESSION_STATES, _marked(_session_transitions(answers), uneasy)
        found = session_problems(answers, states, transitions, uneasy)
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

_MARK: Final[dict[EndMarked, TransitionStatus]] = {
    "yes": "stated",
    "sometimes": "doubtful",
    "no": "missing",
    "unknown": "unknown",
}


def _session_transitions(answers: Answers) -> tuple[Transition, ...]:
    life, ids = answers.lifecycle, answers.correlation_id

    def ends(cause: str) -> TransitionStatus:
        return "stated" if cause in life.ends_on else "missing"

    drawn = [
        Transition(
            source="absent",
            target="starting",
            trigger="START",
            guard="id not 0, not live",
            about="The first request carries the START flag and an id that no live session has.",
            status=_MARK[life.start_marked],
        ),
        Transition(
            source="starting",
            target="active",
            trigger="slot free",
            guard="next in the backlog",
            about="The session is bound to a slot of one instance, for its whole life.",
        ),
        Transition(source="active", target="idle", trigger="reply", about="The reply is sent."),
        Transition(
            source="idle",
            target="active",
            trigger="next request",
            guard="same id, no START",
            about="The same id, without START; it goes to the slot that the session holds.",
        ),
        Transition(
            source="active",
            target="ended",
            trigger="END",
            guard="flag is set",
            about="The last request carries the END flag; the slot is freed.",
            status=_MARK[life.end_marked],
        ),
        Transition(
            source="active",
            target="ended",
            trigger="error",
            guard="then END or START",
            about="Triton keeps the sequence after an error reply: the client sends END, or START "
            "to begin again.",
            status=ends("error"),
        ),
        Transition(
            source="active",
            target="ended",
            trigger="cancel",
            guard="still waiting",
            about="A cancelled request that still waits in the slot ends the sequence. The model "
            "is not told.",
            status=ends("cancel"),
        ),
        Transition(
            source="starting",
            target="ended",
            trigger="timeout",
            guard="no slot yet",
            about="What waits in the backlog past its request timeout is refused, with all of its "
            "session that waits beside it.",
        ),
        Transition(
            source="starting",
            target="ended",
            trigger="cancel",
            guard="no slot yet",
            about="What is found cancelled when a slot is free is dropped, with all of its "
            "session that waits beside it.",
        ),
        Transition(
            source="idle",
            target="ended",
            trigger="idle limit",
            guard="nothing arrived",
            about="Nothing arrived for the idle limit: Triton frees the slot. The model is not "
            "told.",
            status=ends("idle_timeout"),
        ),
        Transition(
            source="active",
            target="ended",
            trigger="idle limit",
            guard="takes longer",
            about="The limit counts from the arrival of the last request: a session whose request "
            "waits and runs for longer is ended in mid-service, and its next request refused.",
            status=ends("idle_timeout"),
        ),
    ]
    if ids.reused_after_end != "no":
        drawn.append(
            Transition(
                source="ended",
                target="starting",
                trigger="START, same id",
                guard="END was accepted",
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
                guard="with the same id",
                about="Another session with the same id takes over the slot.",
            )
        )
    return tuple(drawn)


def _marked(
    transitions: tuple[Transition, ...], uneasy: tuple[Contradiction, ...]
) -> tuple[Transition, ...]:
    """The transitions, with what is said against each."""
    told: dict[int, list[Contradiction]] = {}
    for item in uneasy:
        step = pointed_at(item, transitions)
        if step is not None:
            told.setdefault(transitions.index(step), []).append(item)
    return tuple(_told(step, told.get(number, [])) for number, step in enumerate(transitions))


def _told(step: Transition, against: list[Contradiction]) -> Transition:
    status: TransitionStatus = step.status
    if any(item.kind == "contradictory" for item in against):
        status = "contradictory"
    elif against and status == "stated":
        status = "doubtful"
    possible = step.status != "missing" and not any(item.blocks for item in against)
    return step.model_copy(update={"status": status, "possible": possible})
