"""The shape of a class's traffic: how many sessions, how long, with which gaps and objectives."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from backend.contracts.values import Value

Positive = Annotated[int, Field(ge=1)]


class LengthGroup(Value):
    """Sessions of similar length: ``steps`` is the inclusive range of requests per session."""

    group: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]
    share: Annotated[float, Field(gt=0, le=1)]
    steps: tuple[Positive, Positive]

    @model_validator(mode="after")
    def _ordered(self) -> LengthGroup:
        if self.steps[0] > self.steps[1]:
            raise ValueError(
                f"steps [{self.steps[0]}, {self.steps[1]}]: the first number must not be larger"
            )
        return self


class Gaps(Value):
    """Think time between a reply and the session's next request, in milliseconds of real life.

    ``none``: at once; ``fixed``: ``mean_ms``; ``exponential``: drawn with that mean, cut off at
    ten means so that no single draw decides a run.
    """

    kind: Literal["none", "fixed", "exponential"] = "none"
    mean_ms: Annotated[float, Field(ge=0)] = 0.0


class Objectives(Value):
    """What the service promised, in milliseconds of real life; null where nothing is."""

    response_p99_ms: Annotated[float, Field(gt=0)] | None = None
    queue_p99_ms: Annotated[float, Field(gt=0)] | None = None


class Traffic(Value):
    """How a class's sessions arrive. Closed loop: a session sends its next step after its reply."""

    arrivals: Literal["closed_loop"] = "closed_loop"
    sessions: Positive = 16
    """Sessions per cell (requests, for an independent class)."""
    mixes: dict[str, tuple[LengthGroup, ...]] = {}
    """Length mixes by name; empty for an independent class, whose sessions are single requests."""
    gaps: Gaps = Gaps()
    time_scale: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Gaps are multiplied by it, so that a long conversation fits a test; 1 is real time."""
    longest_gap_ms: Annotated[float, Field(gt=0)] | None = None
    """The longest pause of a live session in real life; decides the idle limit."""
    objectives: Objectives = Objectives()

    @model_validator(mode="after")
    def _shares(self) -> Traffic:
        for name, groups in self.mixes.items():
            total = sum(group.share for group in groups)
            if abs(total - 1) > 1e-6:
                raise ValueError(f"mix '{name}': the shares add up to {total:g}; they must give 1")
            names = [group.group for group in groups]
            if len(set(names)) != len(names):
                raise ValueError(f"mix '{name}' names a length group twice")
        return self
