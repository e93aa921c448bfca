"""Answers that cannot all be true. A class with one is treated as stateful until it is settled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from backend.contracts.values import Value
from backend.workload.answers import Answers

KEPT_STATE: Final = (
    "recurrent_hidden_state",
    "streaming_decoder_context",
    "cache_across_fragments",
    "session_object",
    "implicit_state",
)
"""Kinds of state that the serving side keeps between requests."""

KEPT_PLACES: Final = ("slot", "correlation_id")


class Contradiction(Value):
    """Answers that exclude each other; ``transition`` is where the drawing shows it."""

    id: str
    questions: tuple[str, ...]
    sentence: str
    transition: str | None = None


@dataclass(frozen=True)
class _Rule:
    id: str
    questions: tuple[str, ...]
    holds: Callable[[Answers], bool]
    sentence: str
    transition: str | None = None


def contradictions(answers: Answers) -> tuple[Contradiction, ...]:
    """Every pair or group of answers that cannot all be true."""
    return tuple(
        Contradiction(
            id=rule.id,
            questions=rule.questions,
            sentence=rule.sentence,
            transition=rule.transition,
        )
        for rule in _RULES
        if rule.holds(answers)
    )


def _sessions(a: Answers) -> bool:
    return a.relation == "parts_of_a_session"


_RULES: Final = (
    _Rule(
        "independent-but-ordered",
        ("relation", "order"),
        lambda a: a.relation == "independent" and a.order_matters == "yes",
        "Requests are said to stand alone, yet an answer is said to depend on requests before it.",
    ),
    _Rule(
        "independent-but-stateful",
        ("relation", "state_kind"),
        lambda a: a.relation == "independent" and a.state_kind in KEPT_STATE,
        "Requests are said to stand alone, yet something is said to be remembered between them.",
    ),
    _Rule(
        "independent-but-placed",
        ("relation", "state_place"),
        lambda a: a.relation == "independent" and a.state_place in KEPT_PLACES,
        "Requests are said to stand alone, yet the model is said to look up a session's state.",
    ),
    _Rule(
        "independent-but-marked",
        ("relation", "start_marked", "end_marked"),
        lambda a: (
            a.relation == "independent"
            and "yes" in (a.lifecycle.start_marked, a.lifecycle.end_marked)
        ),
        "Requests are said to stand alone, yet some are marked as the first or last of a session.",
    ),
    _Rule(
        "session-without-relation",
        ("relation", "order", "state_kind"),
        lambda a: _sessions(a) and a.order_matters == "no" and a.state_kind == "none",
        "Requests are said to be parts of a session, yet nothing ties them: neither their order "
        "nor anything remembered.",
    ),
    _Rule(
        "unordered-but-recurrent",
        ("order", "state_kind"),
        lambda a: (
            a.order_matters == "no"
            and a.state_kind in ("recurrent_hidden_state", "streaming_decoder_context")
        ),
        "The order is said not to matter, yet each answer is said to continue the last state; such "
        "a state depends on the order.",
    ),
    _Rule(
        "state-without-place",
        ("state_kind", "state_place"),
        lambda a: a.state_kind in KEPT_STATE and a.state_place == "none",
        "Something is said to be remembered, yet there is said to be no place where it is kept.",
    ),
    _Rule(
        "place-without-state",
        ("state_kind", "state_place"),
        lambda a: a.state_kind == "none" and a.state_place not in ("none", "unknown"),
        "Nothing is said to be remembered, yet a place is named where it is found again.",
    ),
    _Rule(
        "carried-but-kept",
        ("state_kind", "state_place"),
        lambda a: a.state_kind == "carried_in_request" and a.state_place in KEPT_PLACES,
        "All state is said to travel in each request, yet the model is said to look it up on the "
        "serving side.",
    ),
    _Rule(
        "kept-but-carried",
        ("state_kind", "state_place"),
        lambda a: a.state_kind in KEPT_STATE and a.state_place == "request",
        "The serving side is said to keep the state, yet it is said to come with the request.",
    ),
    _Rule(
        "implicit-but-keyed",
        ("state_kind", "state_place"),
        lambda a: a.state_kind == "implicit_state" and a.state_place == "correlation_id",
        "Triton is said to carry the state tensors, yet the model is said to look them up by "
        "correlation ID. Triton keeps implicit state with the sequence's slot and hands it over "
        "itself.",
    ),
    _Rule(
        "session-without-start",
        ("relation", "start_marked"),
        lambda a: _sessions(a) and a.lifecycle.start_marked == "no",
        "Requests are said to be parts of a session, yet the first is not marked. The sequence "
        "batcher refuses an unknown sequence without START, so no session would ever begin.",
        "absent->starting",
    ),
    _Rule(
        "session-without-id",
        ("relation", "id_type"),
        lambda a: _sessions(a) and a.correlation_id.type == "none",
        "Requests are said to be parts of a session, yet no id is sent. The sequence batcher "
        "refuses requests without a correlation ID.",
        "absent->starting",
    ),
    _Rule(
        "keyed-without-id",
        ("state_place", "id_type"),
        lambda a: (
            a.state_place == "correlation_id"
            and a.correlation_id.type == "none"
            and not _sessions(a)
        ),
        "The model is said to look up state by correlation ID, yet no id is sent.",
        "absent->starting",
    ),
    _Rule(
        "shared-id",
        ("relation", "id_unique"),
        lambda a: _sessions(a) and a.correlation_id.unique == "no",
        "Requests are said to be parts of one session each, yet two live sessions may have one id. "
        "The second START takes over the first session's slot.",
        "idle->starting",
    ),
    _Rule(
        "reused-but-never-ended",
        ("id_reused", "end_marked"),
        lambda a: (
            a.relation != "independent"
            and a.correlation_id.reused_after_end == "yes"
            and a.lifecycle.end_marked == "no"
        ),
        "An id is said to be used again after its session's end, yet no request marks the end. "
        "Until the idle limit passes, the new session continues the old one's slot.",
        "ended->starting",
    ),
    _Rule(
        "end-mark-does-not-end",
        ("end_marked", "ends_on"),
        lambda a: (
            a.relation != "independent"
            and a.lifecycle.end_marked == "yes"
            and "end_mark" not in a.lifecycle.ends_on
        ),
        "The last request is said to be marked, yet the mark is said not to end the session. END "
        "always frees the slot.",
        "active->ended",
    ),
)
