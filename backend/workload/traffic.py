"""The shape of a class's traffic: how many sessions, how long, with which gaps and objectives."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from backend.contracts.values import Value
from backend.workload.events import Events
from backend.workload.placed_error import placed_error

MOST_REQUESTS = 5_000_000
"""More requests per cell than this would not fit the plan's memory."""

Positive = Annotated[int, Field(ge=1, le=1_000_000)]
Milliseconds = Annotated[float, Field(gt=0, le=86_400_000)]
"""Up to a day."""
GroupName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]
"""Also names mixes; both become parts of cell and file names."""


class LengthGroup(Value):
    """Sessions of similar length: ``steps`` is the inclusive range of requests per session."""

    group: GroupName
    share: Annotated[float, Field(gt=0, le=1)]
    steps: tuple[Positive, Positive]

    @model_validator(mode="after")
    def _possible(self) -> LengthGroup:
        if self.group == "all":
            raise placed_error(
                "a length group cannot be called 'all': findings call all sessions together so",
                "group",
            )
        if self.steps[0] > self.steps[1]:
            raise placed_error(
                f"steps [{self.steps[0]}, {self.steps[1]}]: the first number must not be larger",
                "steps",
            )
        return self


def _whole(groups: tuple[LengthGroup, ...]) -> tuple[LengthGroup, ...]:
    """A mix whose shares give 1 and whose groups have different names."""
    if not groups:
        raise placed_error("the mix has no length group; it needs at least one")
    seen: set[str] = set()
    for index, group in enumerate(groups):
        if group.group in seen:
            raise placed_error(f"the mix names the length group '{group.group}' twice", index)
        seen.add(group.group)
    total = sum(group.share for group in groups)
    if abs(total - 1) > 1e-6:
        raise placed_error(f"the shares of the mix add up to {total:g}; they must give 1")
    return groups


Mix = Annotated[tuple[LengthGroup, ...], AfterValidator(_whole)]
"""Which lengths the sessions of a cell have."""


class Gaps(Value):
    """Think time between a reply and the session's next request, in milliseconds of real life.

    ``none``: at once; ``fixed``: ``mean_ms``; ``exponential``: drawn with that mean, cut off at
    ten means so that no single draw decides a run.
    """

    kind: Literal["none", "fixed", "exponential"] = "none"
    mean_ms: Annotated[float, Field(ge=0, le=86_400_000)] = 0.0

    @model_validator(mode="after")
    def _meant(self) -> Gaps:
        if self.kind == "none" and self.mean_ms > 0:
            raise placed_error("gaps of kind 'none' have no mean: leave mean_ms out", "mean_ms")
        return self

    @property
    def longest_ms(self) -> float:
        """The longest gap that a plan can draw, in milliseconds of real life."""
        return 10 * self.mean_ms if self.kind == "exponential" else self.mean_ms


class Objectives(Value):
    """What the service promised, in milliseconds of real life; null where nothing is."""

    response_p99_ms: Milliseconds | None = None
    queue_p99_ms: Milliseconds | None = None


class Traffic(Value):
    """How a class's sessions arrive. Closed loop: a session sends its next step after its reply."""

    arrivals: Literal["closed_loop"] = "closed_loop"
    sessions: Positive = 16
    """Sessions per cell (requests, for an independent class)."""
    mixes: dict[GroupName, Mix] = {}
    """Length mixes by name; empty for an independent class, whose sessions are single requests."""
    gaps: Gaps = Gaps()
    time_scale: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Gaps are multiplied by it, so that a long conversation fits a test; 1 is real time."""
    longest_gap_ms: Milliseconds | None = None
    """The longest pause of a live session in real life; decides the idle limit."""
    objectives: Objectives = Objectives()
    events: Events = Events()
    """What goes wrong in the sessions, for the test to play."""

    @model_validator(mode="after")
    def _bounded(self) -> Traffic:
        if self.sessions * self.longest_session > MOST_REQUESTS:
            raise placed_error(
                f"{self.sessions} sessions of up to {self.longest_session} requests may be more "
                f"than {MOST_REQUESTS} requests in one cell",
                "sessions",
            )
        return self

    @property
    def longest_session(self) -> int:
        """Most requests that a session of any mix can have; 1 for an independent class."""
        return max((g.steps[1] for groups in self.mixes.values() for g in groups), default=1)
