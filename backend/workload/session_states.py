"""States, transitions and problems: the parts of a session's state machine."""

from __future__ import annotations

from typing import Final, Literal

from backend.contracts.values import Value

OUTSIDE: Final = "outside"
"""Source or target beyond the machine: the world."""

TransitionStatus = Literal["stated", "unknown", "missing", "doubtful", "contradictory"]
ProblemKind = Literal["unknown", "missing", "contradictory", "doubtful"]


class State(Value):
    """A state of a session; ``holds_slot``: it occupies a place that others may wait for."""

    id: str
    label: str
    about: str
    holds_slot: bool = False


class Transition(Value):
    """A step between two states; ``outside`` as source or target is the world beyond.

    ``guard`` is what must hold for the trigger to have this effect; empty where nothing must.
    ``possible``: by what was said it can be taken at all.
    """

    source: str
    target: str
    trigger: str
    about: str
    guard: str = ""
    status: TransitionStatus = "stated"
    possible: bool = True

    @property
    def id(self) -> str:
        """``source->target``: what contradictions and problems name."""
        return f"{self.source}->{self.target}"


class Problem(Value):
    """Something missing, unknown or contradictory; ``at`` is a state, or a transition's id.

    ``trigger`` tells transitions with the same ends apart.
    """

    number: int
    kind: ProblemKind
    at: str
    trigger: str | None
    sentence: str
    questions: tuple[str, ...]


class StateMachine(Value):
    """States, transitions and the problems attached to them."""

    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    problems: tuple[Problem, ...] = ()
    sessions: bool

    def numbers_at(self, at: str, trigger: str | None = None) -> tuple[int, ...]:
        """The numbers of the problems at a state or transition."""
        return tuple(p.number for p in self.problems if p.at == at and p.trigger == trigger)
