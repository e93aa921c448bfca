"""Questions on how a session begins, goes on and ends."""

from __future__ import annotations

from typing import Final

from backend.workload.question import UNKNOWN, Question
from backend.workload.question_forms import options_of, yes_no

LIFE: Final = (
    Question(
        id="start_marked",
        text="Does the first request of a session say that it is the first?",
        why=(
            "The sequence batcher refuses a request of a sequence that it does not know, unless "
            "the request carries the START flag."
        ),
        field=("lifecycle", "start_marked"),
        options=yes_no(
            "START opens the sequence and tells the model to begin afresh.",
            "The sequence batcher would refuse every session: the client has to be changed.",
            "Sessions may be refused; find out before anything is configured.",
        ),
    ),
    Question(
        id="belongs_by",
        text="What tells that a later request belongs to a session?",
        why=(
            "Triton goes by the correlation ID alone: it sees neither connections nor what stands "
            "in a tensor."
        ),
        field=("lifecycle", "belongs_by"),
        options=options_of(
            ("correlation_id", "The correlation ID that is sent with it", "Triton routes by it."),
            (
                "connection",
                "It comes on the same connection",
                "Triton does not look at connections: somebody has to turn each into a "
                "correlation ID.",
            ),
            (
                "payload",
                "A field inside the request says so",
                "Triton does not read it: the client has to send the same value as correlation ID.",
            ),
            (UNKNOWN, "I don't know", "Without a correlation ID no session can be kept together."),
        ),
    ),
    Question(
        id="waits_for_reply",
        text="Does a client wait for each reply before it sends the session's next request?",
        why=(
            "Requests that are under way at the same time may arrive in another order than they "
            "were sent in: of ten unary calls at once, some were seen to swap. On one gRPC stream "
            "they arrive in order."
        ),
        field=("lifecycle", "waits_for_reply"),
        options=options_of(
            ("yes", "Yes, one at a time", "Their order is the order of arrival."),
            (
                "no",
                "No, several are under way",
                "Send each session on one gRPC stream, which keeps their order; unary calls do "
                "not.",
            ),
            (UNKNOWN, "I don't know", "Treated as no: use one gRPC stream per session."),
        ),
    ),
    Question(
        id="end_marked",
        text="Does the last request of a session say that it is the last?",
        why="END frees the sequence slot at once. Without it the slot stays taken until the idle "
        "limit.",
        field=("lifecycle", "end_marked"),
        options=options_of(
            ("yes", "Yes", "END frees the slot, and the model may drop the state."),
            (
                "sometimes",
                "Mostly, but it gets lost at times",
                "Each lost END holds its slot for the whole idle limit: slots are sized for it.",
            ),
            (
                "no",
                "No",
                "Every session holds its slot for the whole idle limit after its last request.",
            ),
            (UNKNOWN, "I don't know", "Counted as no when slots are sized."),
        ),
    ),
    Question(
        id="ends_on",
        text="What else ends a session?",
        why=(
            "Each way to end needs a transition: who notices, who tells the model, and when the "
            "slot is free again."
        ),
        note=(
            "Triton never tells the model that a sequence was cancelled or reached its idle limit: "
            "state that the model keeps itself stays there until the model evicts it."
        ),
        field=("lifecycle", "ends_on"),
        multiple=True,
        options=options_of(
            (
                "error",
                "An error reply",
                "Triton keeps the sequence after an error: the client has to send END or begin "
                "again with START.",
            ),
            (
                "cancel",
                "The client cancels",
                "A cancelled request that still waits in its slot ends the sequence; one that runs "
                "already does not.",
            ),
            (
                "idle_timeout",
                "Nothing is sent for too long",
                "After the idle limit, counted from the arrival of the last request, Triton "
                "forgets the sequence; its next request is refused.",
            ),
            (UNKNOWN, "I don't know", "All three are drawn, because all three happen."),
        ),
    ),
)
