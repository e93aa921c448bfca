"""What goes wrong, or is unusual, in the life of a class's sessions, for a test to play."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from backend.contracts.values import Value
from backend.workload.placed_error import placed_error

Share = Annotated[float, Field(ge=0, le=1)]
"""Of the sessions of a cell."""


class Events(Value):
    """Which share of the sessions has which event; a session has one of the first three at most.

    ``lost_end``: the last request carries no END. ``restart``: a session begins, with START, under
    the ID of one whose END was lost. ``reuse``: a session begins under the ID of one that has
    ended. ``pause``: a session falls silent once, for ``pause_ms`` of real life. ``alike_ids``:
    IDs come in pairs that agree in their low 32 bits.
    """

    lost_end: Share = 0.0
    restart: Share = 0.0
    reuse: Share = 0.0
    pause: Share = 0.0
    pause_ms: Annotated[float, Field(ge=0, le=86_400_000)] = 0.0
    alike_ids: bool = False

    @model_validator(mode="after")
    def _possible(self) -> Events:
        if 2 * self.restart + 2 * self.reuse + self.lost_end > 1:
            raise placed_error(
                "restart and reuse take two sessions each: twice both and lost_end must not exceed "
                "1 together",
                "restart" if self.restart else "reuse",
            )
        if bool(self.pause) != bool(self.pause_ms):
            raise placed_error(
                "pause and pause_ms belong together: give both or neither",
                "pause" if self.pause else "pause_ms",
            )
        return self

    @property
    def any(self) -> bool:
        """Whether there is an event at all."""
        return bool(self.lost_end or self.restart or self.reuse or self.pause or self.alike_ids)
