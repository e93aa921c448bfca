"""A contradiction or doubt as a value, and the rule that finds one among the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from backend.contracts.values import Value
from backend.workload.answers import Answers

SERVER_STATE: Final = (
    "recurrent_hidden_state",
    "streaming_decoder_context",
    "cache_across_fragments",
    "session_object",
)
"""Kinds of state that the model itself keeps between requests."""
KEPT_STATE: Final = (*SERVER_STATE, "implicit_state")
"""Kinds of state that the serving side keeps between requests: the model, or Triton."""

KEPT_PLACES: Final = ("slot", "correlation_id")


class Contradiction(Value):
    """Answers that exclude each other; ``transition`` is where the drawing shows it.

    *Doubtful* ones can be true together, and are dangerous or cost something if they are.
    ``trigger`` tells transitions with the same ends apart. ``blocks``: by these answers the
    transition can never be taken.
    """

    id: str
    kind: Literal["contradictory", "doubtful"] = "contradictory"
    questions: tuple[str, ...]
    sentence: str
    transition: str | None = None
    trigger: str | None = None
    blocks: bool = False


@dataclass(frozen=True)
class AnswerRule:
    """When answers contradict each other, and what is then said."""

    id: str
    questions: tuple[str, ...]
    holds: Callable[[Answers], bool]
    sentence: str
    transition: str | None = None
    blocks: bool = False


def sessions(answers: Answers) -> bool:
    """Whether requests are said to be parts of sessions."""
    return answers.relation == "parts_of_a_session"
