"""The wording of the questions and of their answers."""

from __future__ import annotations

from typing import Final

from backend.workload.question import UNKNOWN, Option, Question


def _options(*rows: tuple[str, str, str]) -> tuple[Option, ...]:
    return tuple(Option(value=value, label=label, help=text) for value, label, text in rows)


def _yes_no(yes: str, no: str, unknown: str) -> tuple[Option, ...]:
    return _options(("yes", "Yes", yes), ("no", "No", no), (UNKNOWN, "I don't know", unknown))


SHAPE_IS_NO_EVIDENCE: Final = (
    "That all requests have tensors of the same shape is no evidence: parts of different sessions "
    "have the same shape too. What counts is whether an answer needs an earlier request."
)
"""Said wherever a user might take equal shapes for "safe to batch" (M02)."""

QUESTION_TEXTS: Final = (
    Question(
        id="relation",
        text="How do the requests of this class belong together?",
        why=(
            "This is the dividing line. Requests that stand alone may be reordered and mixed by "
            "the dynamic batcher; parts of a session need the sequence batcher, which keeps them "
            "on one instance and in order."
        ),
        note=SHAPE_IS_NO_EVIDENCE,
        field=("relation",),
        options=_options(
            (
                "independent",
                "Each request stands alone",
                "Any request could be answered first, last or by another server, and the answer "
                "would be the same.",
            ),
            (
                "parts_of_a_session",
                "Requests are parts of a session",
                "A call, a stream, a dialogue: later requests continue what earlier ones began.",
            ),
            (
                UNKNOWN,
                "I don't know",
                "Treated as parts of a session until a test shows otherwise: being wrong that way "
                "costs time, being wrong the other way mixes up answers.",
            ),
        ),
    ),
    Question(
        id="order",
        text="Does an answer depend on requests before it, in their order?",
        why=(
            "Two requests sent one after the other may reach the model in either order, or at the "
            "same time on two instances, unless the sequence batcher holds the second back."
        ),
        note=SHAPE_IS_NO_EVIDENCE,
        field=("order_matters",),
        options=_yes_no(
            "The sequence batcher is needed: it runs one request of a session at a time.",
            "Requests may be reordered freely.",
            "Treated as yes.",
        ),
    ),
    Question(
        id="state_kind",
        text="What does the serving side have to remember between requests?",
        why="Each kind of state is lost or mixed up in its own way, and lives in its own place.",
        field=("state_kind",),
        options=_options(
            ("none", "Nothing", "The model forgets a request once it is answered."),
            (
                "recurrent_hidden_state",
                "Hidden state of a recurrent network",
                "LSTM, GRU, state-space models: each answer is computed from the last state.",
            ),
            (
                "streaming_decoder_context",
                "Context of a streaming decoder",
                "Beam, partial transcript, overlap of audio frames.",
            ),
            (
                "cache_across_fragments",
                "A cache that spans fragments",
                "Key-value cache, feature cache: filled by earlier fragments, read by later ones.",
            ),
            (
                "session_object",
                "A session object in the backend",
                "A tracker, a tokenizer, a connection: made at the start, dropped at the end.",
            ),
            (
                "implicit_state",
                "State tensors that Triton carries",
                "The state section of sequence_batching: Triton keeps the tensors per sequence. "
                "Backends for ONNX Runtime, TensorRT and PyTorch write them; Python does not.",
            ),
            (
                "carried_in_request",
                "All of it travels in each request",
                "The client sends the whole state and gets the new one back. Only this kind may be "
                "reconsidered for the dynamic batcher, and only by measuring.",
            ),
            (UNKNOWN, "I don't know", "Treated as if there were state."),
        ),
    ),
    Question(
        id="state_place",
        text="Where does the model find a session's state again?",
        why=(
            "This decides between the two strategies of the sequence batcher: direct gives a "
            "session a fixed position in the batch, oldest does not."
        ),
        field=("state_place",),
        options=_options(
            ("none", "Nowhere: there is none", "Nothing has to be found again."),
            (
                "slot",
                "By position in the batch",
                "The model keeps an array with one place per batch slot. Only direct keeps a "
                "session in its slot; under oldest it would read another session's state.",
            ),
            (
                "correlation_id",
                "By correlation ID",
                "The model keeps a table in the instance. Oldest and direct are both right; oldest "
                "needs no padding.",
            ),
            (
                "request",
                "In the request itself",
                "Nothing stays on the server; the order still has to be kept.",
            ),
            (
                UNKNOWN,
                "I don't know",
                "Direct is proposed: it keeps the instance and the position, so it is right for a "
                "model that looks by position and for one that looks by correlation ID.",
            ),
        ),
    ),
    Question(
        id="start_marked",
        text="Does the first request of a session say that it is the first?",
        why=(
            "The sequence batcher refuses a request of a sequence that it does not know, unless "
            "the request carries the START flag."
        ),
        field=("lifecycle", "start_marked"),
        options=_yes_no(
            "START opens the sequence and tells the model to begin afresh.",
            "The sequence batcher would refuse every session: the client has to be changed.",
            "Sessions may be refused; find out before anything is configured.",
        ),
    ),
    Question(
        id="end_marked",
        text="Does the last request of a session say that it is the last?",
        why="END frees the sequence slot at once. Without it the slot stays taken until the idle "
        "limit.",
        field=("lifecycle", "end_marked"),
        options=_yes_no(
            "END frees the slot, and the model may drop the state.",
            "Every session holds its slot for the whole idle limit after its last request.",
            "Counted as no when slots are sized.",
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
        options=_options(
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
    Question(
        id="id_type",
        text="Which kind of id ties the requests of a session together?",
        why="Triton knows a sequence by its correlation ID alone.",
        note="0 and the empty text count as no id: the sequence batcher refuses them.",
        field=("correlation_id", "type"),
        options=_options(
            (
                "uint64",
                "A whole number (unsigned, 64 bits)",
                "Works with a CORRID control input of every backend.",
            ),
            (
                "string",
                "Text",
                "At most 128 characters. A Python model reads it from the request: a CORRID "
                "control of type string cannot be delivered to it (release 24.10).",
            ),
            (
                "none",
                "None is sent",
                "The sequence batcher refuses requests without one: something has to assign it.",
            ),
            (UNKNOWN, "I don't know", "A whole number is assumed in the proposal."),
        ),
    ),
    Question(
        id="id_assigned_by",
        text="Who assigns the id?",
        why="Whoever assigns it decides whether two clients can choose the same one.",
        field=("correlation_id", "assigned_by"),
        options=_options(
            ("client", "Each client for itself", "Two clients may count from 1: a likely clash."),
            ("gateway", "A gateway for all clients", "One place sees every live id."),
            ("server", "The serving side", "One place sees every live id."),
            (UNKNOWN, "I don't know", "A clash cannot be ruled out."),
        ),
    ),
    Question(
        id="id_unique",
        text="Is an id never used by two live sessions, whichever client they come from?",
        why=(
            "A START on a live id is not refused: it takes over the other session's slot. The "
            "model then serves two sessions as one."
        ),
        field=("correlation_id", "unique"),
        options=_yes_no(
            "Sessions can be told apart.",
            "Two sessions will be served as one, under either batcher.",
            "Treated as a risk: make ids unique before the first release.",
        ),
    ),
    Question(
        id="id_reused",
        text="Is an id used again after its session has ended?",
        why=(
            "Triton forgets an id once END is accepted, even if END has not run yet. A new session "
            "under the id may start on another instance before the old one is done."
        ),
        field=("correlation_id", "reused_after_end"),
        options=_yes_no(
            "The model has to begin afresh on START, whatever it kept for the id.",
            "Old and new sessions cannot meet.",
            "Treated as yes.",
        ),
    ),
)
