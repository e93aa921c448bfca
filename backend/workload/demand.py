"""What is asked of the service, in numbers of real life; null where nothing is known."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from backend.contracts.values import Value
from backend.workload.traffic import Milliseconds, Positive


class Demand(Value):
    """Load and limits of one class as the service will meet them, not as a test plays them."""

    rate_per_s: Annotated[float, Field(gt=0, le=10_000_000)] | None = None
    """Requests per second, at the peak."""
    live_sessions: Positive | None = None
    """Sessions that are live at once, at the peak."""
    execution_ms: Milliseconds | None = None
    """How long one execution of the model takes, with the batch that is expected."""
    deadline_ms: Milliseconds | None = None
    """After this a reply is of no use to the client."""
    when_late: Literal["refuse", "serve_anyway", "unknown"] = "unknown"
    """What is wanted for a request that cannot meet its deadline any more."""
    priority_levels: Annotated[int, Field(ge=0, le=100)] = 0
    """Kinds of callers, of which an earlier one goes first; 0: all alike."""
    cancel_share: Annotated[float, Field(ge=0, le=1)] | None = None
    """The share of sessions that their client cancels or leaves."""
