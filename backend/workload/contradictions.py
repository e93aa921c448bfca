"""Answers that cannot all be true. A class with one is treated as stateful until it is settled."""

from __future__ import annotations

from typing import Final

from backend.contracts.implicit_state import NEVER_WRITERS
from backend.workload.answers import Answers
from backend.workload.contradiction import (
    KEPT_PLACES,
    KEPT_STATE,
    AnswerRule,
    Contradiction,
    sessions,
)
from backend.workload.contradictions_of_ids import ID_RULES

__all__ = ["KEPT_PLACES", "KEPT_STATE", "Contradiction", "contradictions"]


def contradictions(answers: Answers) -> tuple[Contradiction, ...]:
    """Every pair or group of answers that cannot all be true."""
    return tuple(
        Contradiction(
            id=rule.id,
            questions=rule.questions,
            sentence=rule.sentence,
            transition=rule.transition,
            blocks=rule.blocks,
        )
        for rule in (*_RULES, *ID_RULES)
        if rule.holds(answers)
    )


_RULES: Final = (
    AnswerRule(
        "independent-but-ordered",
        ("relation", "order"),
        lambda a: a.relation == "independent" and a.order_matters == "yes",
        "Requests are said to stand alone, yet an answer is said to depend on requests before it.",
    ),
    AnswerRule(
        "independent-but-state",
        ("relation", "state_kind"),
        lambda a: a.relation == "independent" and a.state_kind not in ("none", "unknown"),
        "Requests are said to stand alone, yet a kind of state is named that ties them.",
    ),
    AnswerRule(
        "independent-but-placed",
        ("relation", "state_place"),
        lambda a: a.relation == "independent" and a.state_place in KEPT_PLACES,
        "Requests are said to stand alone, yet the model is said to look up a session's state.",
    ),
    AnswerRule(
        "independent-but-marked",
        ("relation", "start_marked", "end_marked"),
        lambda a: (
            a.relation == "independent"
            and (
                a.lifecycle.start_marked == "yes" or a.lifecycle.end_marked in ("yes", "sometimes")
            )
        ),
        "Requests are said to stand alone, yet some are marked as the first or last of a session.",
    ),
    AnswerRule(
        "session-without-state",
        ("relation", "order", "state_kind", "state_place"),
        lambda a: (
            sessions(a)
            and a.order_matters == "no"
            and a.state_kind == "none"
            and a.state_place == "none"
        ),
        "Requests are said to be parts of a session, yet nothing ties them: neither their order "
        "nor anything remembered.",
    ),
    AnswerRule(
        "unordered-but-recurrent",
        ("order", "state_kind"),
        lambda a: (
            a.order_matters == "no"
            and a.state_kind in ("recurrent_hidden_state", "streaming_decoder_context")
        ),
        "The order is said not to matter, yet each answer is said to continue the last state; such "
        "a state depends on the order.",
    ),
    AnswerRule(
        "state-without-place",
        ("state_kind", "state_place"),
        lambda a: a.state_kind in KEPT_STATE and a.state_place == "none",
        "Something is said to be remembered, yet there is said to be no place where it is kept.",
    ),
    AnswerRule(
        "place-without-state",
        ("state_kind", "state_place"),
        lambda a: a.state_kind == "none" and a.state_place not in ("none", "unknown"),
        "Nothing is said to be remembered, yet a place is named where it is found again.",
    ),
    AnswerRule(
        "carried-but-kept-by-server",
        ("state_kind", "state_place"),
        lambda a: a.state_kind == "carried_in_request" and a.state_place in KEPT_PLACES,
        "All state is said to travel in each request, yet the model is said to look it up on the "
        "serving side.",
    ),
    AnswerRule(
        "kept-but-carried",
        ("state_kind", "state_place"),
        lambda a: a.state_kind in KEPT_STATE and a.state_place == "request",
        "The serving side is said to keep the state, yet it is said to come with the request.",
    ),
    AnswerRule(
        "implicit-but-keyed",
        ("state_kind", "state_place"),
        lambda a: a.state_kind == "implicit_state" and a.state_place == "correlation_id",
        "Triton is said to carry the state tensors, yet the model is said to look them up by "
        "correlation ID. Triton keeps implicit state with the sequence's slot and hands it over "
        "itself.",
    ),
    AnswerRule(
        "session-without-start",
        ("relation", "start_marked"),
        lambda a: sessions(a) and a.lifecycle.start_marked == "no",
        "Requests are said to be parts of a session, yet the first is not marked. The sequence "
        "batcher refuses an unknown sequence without START, so no session would ever begin.",
        "absent->starting",
        blocks=True,
    ),
    AnswerRule(
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
    AnswerRule(
        "independent-but-belonging",
        ("relation", "belongs_by"),
        lambda a: a.relation == "independent" and a.lifecycle.belongs_by != "unknown",
        "Requests are said to stand alone, yet something is said to tell which session a request "
        "belongs to.",
    ),
    AnswerRule(
        "implicit-never-written",
        ("state_kind", "backend"),
        lambda a: a.state_kind == "implicit_state" and a.serving.backend in NEVER_WRITERS,
        "Triton is said to carry the state, yet this backend never writes it back: the model would "
        "get the same state with every request.",
        "active->idle",
    ),
    AnswerRule(
        "lost-ends-without-timeout",
        ("end_marked", "ends_on"),
        lambda a: (
            a.relation != "independent"
            and a.lifecycle.end_marked in ("no", "sometimes")
            and "idle_timeout" not in a.lifecycle.ends_on
        ),
        "Ends are said to be missing at times, yet silence is said not to end a session. Nothing "
        "would ever free its slot; Triton's idle limit does.",
        "idle->ended",
    ),
)
