"""Questions on what requests mean to each other, and what is remembered between them."""

from __future__ import annotations

from typing import Final

from backend.workload.question import UNKNOWN, Question
from backend.workload.question_forms import SHAPE_IS_NO_EVIDENCE, options_of, yes_no

MEANING: Final = (
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
        options=options_of(
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
        options=yes_no(
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
        options=options_of(
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
        options=options_of(
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
        id="batch_mates",
        text="Does a reply depend on which other requests share its batch?",
        why=(
            "A model that normalises over the batch, pads to the longest member or picks the best "
            "of a batch gives another answer beside other requests. No batcher can make that "
            "right."
        ),
        field=("batch_mates_matter",),
        options=options_of(
            (
                "yes",
                "Yes",
                "No batching is proposed: each request has to run alone. Better: change the model "
                "so that rows do not meet.",
            ),
            (
                "no",
                "No",
                "Rows of a batch do not meet. A test still measures it, within a tolerance.",
            ),
            (UNKNOWN, "I don't know", "The test of equal results under other batches decides it."),
        ),
    ),
    Question(
        id="replies",
        text="How many replies does a request get?",
        why=(
            "A model that streams several replies (tokens, audio) is decoupled: clients need a "
            "gRPC stream, and the next request of a session may run while replies still come."
        ),
        field=("replies",),
        options=options_of(
            ("one", "Exactly one", "The plain case."),
            (
                "many",
                "Several, or none (decoupled)",
                "model_transaction_policy is decoupled. The sequence batcher sends the next "
                "request once the execution returns, not once the last reply is out.",
            ),
            (UNKNOWN, "I don't know", "One reply is assumed in the proposal."),
        ),
    ),
    Question(
        id="shapes",
        text="Do the tensors of all requests have the same shape?",
        why=(
            "The batchers put only requests of equal shape into one batch, unless the model takes "
            "ragged input."
        ),
        note=SHAPE_IS_NO_EVIDENCE,
        field=("shapes",),
        options=options_of(
            (
                "fixed",
                "Always the same",
                "Every waiting request fits every batch. It says nothing about whether they may "
                "share one.",
            ),
            (
                "variable",
                "They differ from request to request",
                "A batch ends at the first request of another shape: pad on the client, or expect "
                "small batches.",
            ),
            (
                "ragged",
                "They differ, and the model takes them unpadded",
                "allow_ragged_batch is set: requests of different lengths share a batch, and the "
                "model is told where each begins.",
            ),
            (UNKNOWN, "I don't know", "Fixed shapes are assumed in the proposal."),
        ),
    ),
)
