"""The rules that name risks: what may go wrong with a candidate for this class.

Facts as in ``rules``, and ``batcher`` (sequence, dynamic), what was decided for the class.
"""

from __future__ import annotations

from typing import Final

from backend.advice.rule import (
    CORE_DEFAULT,
    CORE_DIRECT,
    CORE_DYNAMIC,
    CORE_ENQUEUE,
    GUIDE_CANCEL,
    GUIDE_CONTROL,
    GUIDE_DIRECT,
    GUIDE_IMPLICIT,
    GUIDE_OLDEST,
    GUIDE_STATELESS,
    Rule,
    when,
)

RISK_RULES: Final = (
    Rule(
        id="oldest-moves-slots",
        when=when(batcher="sequence", place="slot"),
        conclusion="risk",
        candidate="sequence-oldest",
        says="Wrong for this model: it finds its state by position, and oldest gives a session "
        "another position in each batch. Replies would be computed from another session's state.",
        why="A batch holds the requests that have waited longest, in that order.",
        source=GUIDE_OLDEST,
    ),
    Rule(
        id="oldest-may-move-slots",
        when=when(batcher="sequence", place=("none", "unknown")),
        conclusion="risk",
        candidate="sequence-oldest",
        says="Right only if the model finds its state by correlation ID, which is not known.",
        why="A session's position changes from batch to batch.",
        source=GUIDE_OLDEST,
    ),
    Rule(
        id="direct-pads",
        when=when(batcher="sequence"),
        conclusion="risk",
        candidate="sequence-direct",
        says="Silent slots are padded with rows that are no request: READY false, correlation ID "
        "0, undefined data. A model that ignores READY works on them.",
        why="A batch reaches up to the highest slot that has a request.",
        source=CORE_DIRECT,
    ),
    Rule(
        id="direct-ties-slots-to-batch",
        when=when(batcher="sequence"),
        conclusion="risk",
        candidate="sequence-direct",
        says="The sessions that can be live are instances x max_batch_size; the next one waits "
        "until one ends.",
        why="A slot is a place in the batch, held from START to END.",
        source=GUIDE_DIRECT,
    ),
    Rule(
        id="dynamic-mixes-sessions",
        when=when(batcher="sequence"),
        conclusion="risk",
        candidate="dynamic",
        says="Requests of a session may run on different instances, in one batch, or out of order. "
        "With one instance this can look right by luck.",
        why="The dynamic batcher merges what waits and gives it to any idle instance; correlation "
        "ID and flags play no part.",
        source=CORE_DYNAMIC,
    ),
    Rule(
        id="dynamic-slot-lottery",
        when=when(batcher="sequence", place="slot"),
        conclusion="risk",
        candidate="dynamic",
        says="Even with one instance the position of a session changes with every batch.",
        why="A request's position is its turn in the queue.",
        source=CORE_DYNAMIC,
    ),
    Rule(
        id="baseline-without-affinity",
        when=when(batcher="sequence"),
        conclusion="risk",
        candidate="no-batching",
        says="With several instances a session's requests reach any of them. The baseline shows "
        "what batching costs, not a way to serve this class.",
        why="The default scheduler gives each request to the next idle instance.",
        source=CORE_DEFAULT,
    ),
    Rule(
        id="baseline-one-slot",
        when=when(batcher="sequence", place="slot"),
        conclusion="risk",
        candidate="no-batching",
        says="Every session runs at position 0: they would all share one state.",
        why="Each execution holds one request.",
        source=CORE_DEFAULT,
    ),
    Rule(
        id="batch-members-may-matter",
        when=when(batcher="dynamic"),
        conclusion="risk",
        candidate="dynamic",
        says="Results may still vary with the other requests of a batch (rounding, padding, "
        "normalisation): the test compares batched with lone replies within a tolerance.",
        why="Standing alone is a claim about meaning; equal numbers have to be measured.",
        source=GUIDE_STATELESS,
    ),
    Rule(
        id="id-chosen-by-clients",
        when=when(batcher="sequence", id_assigned_by="client", id_unique=("no", "unknown")),
        conclusion="risk",
        says="Clients choose ids for themselves: two that count from 1 clash at once.",
        why="Nothing on the server's side makes ids unique.",
        source=CORE_ENQUEUE,
    ),
    Rule(
        id="id-is-text",
        when=when(batcher="sequence", id_type="string"),
        conclusion="risk",
        says="No CORRID control input is written: Triton's Python backend cannot be given text ids "
        "there. A model of another backend that needs CORRID takes whole numbers only.",
        why="On release 24.10 ids shorter than 128 characters fail, and a text id for a number "
        "control can end the server.",
        source=GUIDE_CONTROL,
        since="seen on 24.10; types are checked since 25.01",
    ),
    Rule(
        id="model-not-told",
        when=when(batcher="sequence", place="correlation_id"),
        conclusion="risk",
        says="A session that is cancelled or falls silent never gives the model an END: its entry "
        "stays in the model's table until the model evicts it.",
        why="Triton frees the slot, at the cancel or after the idle limit, and tells only the "
        "client, with its next request.",
        source=GUIDE_CANCEL,
        since="23.10 for cancellation",
    ),
    Rule(
        id="implicit-in-python",
        when=when(batcher="sequence", state_kind="implicit_state", model_backend="python"),
        conclusion="risk",
        says="The Python backend never writes the state that Triton carries: the model would see "
        "the first state for ever.",
        why="Only the backends for ONNX Runtime, TensorRT and PyTorch update implicit state.",
        source=GUIDE_IMPLICIT,
    ),
)
