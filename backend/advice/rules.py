"""The rules that decide: is there state, and what keeps it right.

Facts as in ``facts``. Rules of strategy look also at ``alone`` (yes, no): whether the class stands
alone by the rules before them.
"""

from __future__ import annotations

from typing import Final

from backend.advice.contradiction_rules import CONTRADICTION_RULES
from backend.advice.rule import (
    CORE_DEFAULT,
    CORE_DIRECT,
    CORE_OLDEST,
    GUIDE_DIRECT,
    GUIDE_IMPLICIT,
    GUIDE_OLDEST,
    GUIDE_STATEFUL,
    GUIDE_STATELESS,
    OWN_CAUTION,
    Rule,
    when,
)
from backend.contracts.implicit_state import IMPLICIT_STATE_SINCE, NEVER_WRITERS, STATE_WRITERS
from backend.workload.contradiction import SERVER_STATE

_NOT_IMPLICIT: Final = ("none", *SERVER_STATE, "carried_in_request", "unknown")

ASSOCIATION_RULES: Final = (
    Rule(
        id="session-by-relation",
        when=when(relation="parts_of_a_session"),
        conclusion="stateful",
        says="The requests are parts of sessions: they need the sequence batcher.",
        why="Parts of a session have to reach the same instance; only the sequence batcher routes "
        "by correlation ID.",
        source=GUIDE_STATEFUL,
    ),
    Rule(
        id="order-needed",
        when=when(order="yes"),
        conclusion="stateful",
        says="The order of a session's requests has to be kept: only the sequence batcher does.",
        why="The dynamic batcher may put two requests of a session into one batch, or on two "
        "instances at once. The sequence batcher has at most one of them under way.",
        source=CORE_OLDEST,
    ),
    Rule(
        id="state-kept-by-server",
        when=when(state_kind=SERVER_STATE),
        conclusion="stateful",
        says="Something is remembered between requests: it stays right only on one instance.",
        why="Each instance has a memory of its own. A request that runs on another instance finds "
        "another state, or none.",
        source=GUIDE_STATEFUL,
    ),
    Rule(
        id="state-by-triton",
        when=when(state_kind="implicit_state"),
        conclusion="stateful",
        says="Triton carries the state with the sequence's slot: only the sequence batcher has "
        "slots.",
        why="Triton hands a sequence its own state with each request.",
        source=GUIDE_IMPLICIT,
        since="{}.{:02}".format(*IMPLICIT_STATE_SINCE),
    ),
    Rule(
        id="state-carried",
        when=when(state_kind="carried_in_request"),
        conclusion="treat as stateful",
        says="All state travels in each request: re-evaluate dynamic by measurement. Until then "
        "the sequence batcher is proposed.",
        why="A request then needs no instance, but it needs its predecessor's answer, and no "
        "assertion shows that the model adds nothing of its own.",
        source=GUIDE_STATELESS,
    ),
    Rule(
        id="model-declares-state",
        when=when(model_stateful="yes"),
        conclusion="stateful",
        says="The model itself declares that it keeps state between requests.",
        why="What the model does outweighs what is said of its traffic.",
        source="the model's own description (template.yaml, stateful; declared: keeps_state)",
    ),
    Rule(
        id="relation-unknown",
        when=when(relation="unknown"),
        conclusion="treat as stateful",
        doubt=True,
        unsettles="relation",
        says="Not known whether requests belong together: treated as if they did.",
        why="The sequence batcher for requests that stand alone costs time; the dynamic batcher "
        "for parts of a session mixes up answers.",
        source=OWN_CAUTION,
    ),
    Rule(
        id="order-unknown",
        when=when(order="unknown"),
        conclusion="treat as stateful",
        doubt=True,
        unsettles="state",
        says="Not known whether the order matters: treated as if it did.",
        why="A wrong order is not slow, it is wrong, and nothing reports it.",
        source=OWN_CAUTION,
    ),
    Rule(
        id="state-unknown",
        when=when(state_kind="unknown"),
        conclusion="treat as stateful",
        doubt=True,
        unsettles="state",
        says="Not known whether anything is remembered: treated as if it were.",
        why="A state that nobody knows of is the one that gets mixed up.",
        source=OWN_CAUTION,
    ),
    Rule(
        id="place-unknown",
        when=when(place="unknown", state_kind=("none", *SERVER_STATE, "unknown")),
        conclusion="treat as stateful",
        doubt=True,
        says="Not known whether the model looks a state up anywhere: treated as if it did.",
        why="A model that looks nothing up stands alone; one that does must find its own.",
        source=OWN_CAUTION,
    ),
    *CONTRADICTION_RULES,
)
"""Any of them keeps a class away from the dynamic batcher."""

STANDS_ALONE: Final = Rule(
    id="stands-alone",
    when=when(relation="independent", order="no", state_kind="none", place="none"),
    conclusion="stateless",
    says="Every request stands alone, in any order, with nothing remembered: the dynamic batcher "
    "may merge them.",
    why="A batch of such requests has no history to mix up.",
    source=GUIDE_STATELESS,
)
"""Decides only where no association rule holds."""

BASELINE_RULES: Final = (
    Rule(
        id="batch-mates-forbid-merging",
        when=when(batch_mates="yes"),
        conclusion="no-batching",
        says="Replies depend on the other requests of their batch: nothing is merged.",
        why="Merged, the same request gives another answer beside other requests.",
        source=GUIDE_STATELESS,
    ),
    Rule(
        id="batch-mates-open",
        when=when(batch_mates="unknown"),
        conclusion="note",
        doubt=True,
        says="Not known whether the requests of a batch influence each other: equal results are to "
        "be tested first.",
        why="A model that normalises over its batch, or pads to the longest, gives other answers.",
        source=OWN_CAUTION,
    ),
    Rule(
        id="unbatched-baseline",
        when=when(batch_mates=("no", "unknown")),
        conclusion="note",
        says="No batching is measured beside it, as the baseline.",
        why="Whether merging buys anything shows only against single executions.",
        source=CORE_DEFAULT,
    ),
)
"""Of a class that stands alone."""

STRATEGY_RULES: Final = (
    Rule(
        id="implicit-state-suits-oldest",
        when=when(state_kind="implicit_state", model_backend=STATE_WRITERS),
        conclusion="sequence-oldest",
        says="Triton carries the state tensors itself: positions do not matter, oldest needs no "
        "padding.",
        why="Triton hands a sequence its own state with each request, under either strategy.",
        source=GUIDE_IMPLICIT,
        since="{}.{:02}".format(*IMPLICIT_STATE_SINCE),
    ),
    Rule(
        id="implicit-state-kept-by-id",
        when=when(
            state_kind="implicit_state",
            place="correlation_id",
            model_backend=(*NEVER_WRITERS, "custom", "unknown", ""),
        ),
        conclusion="sequence-oldest",
        doubt=True,
        says="Triton is said to carry the state, but the model looks it up by correlation ID: "
        "oldest keeps instance and order.",
        why=(
            "Where the backend does not write the state back, the model's own table is what counts."
        ),
        source=GUIDE_OLDEST,
    ),
    Rule(
        id="implicit-state-not-written",
        when=when(state_kind="implicit_state", model_backend=NEVER_WRITERS),
        conclusion="sequence-direct",
        doubt=True,
        says="Triton is said to carry the state, but this backend never writes it back: wherever "
        "the state really is, direct keeps both instance and position.",
        why="Only the backends for ONNX Runtime, TensorRT and PyTorch update implicit state.",
        source=GUIDE_IMPLICIT,
    ),
    Rule(
        id="implicit-state-backend-open",
        when=when(state_kind="implicit_state"),
        conclusion="sequence-direct",
        doubt=True,
        says="Triton is said to carry the state; whether the backend writes it back is not known.",
        why="Only the backends for ONNX Runtime, TensorRT and PyTorch are known to.",
        source=GUIDE_IMPLICIT,
    ),
    Rule(
        id="places-differ",
        when=when(places_agree="no"),
        conclusion="sequence-direct",
        doubt=True,
        says="The answer and the model disagree on where the state is found: direct is right for "
        "both.",
        why="Direct keeps the instance and the position; a model that goes by correlation ID does "
        "not mind its position.",
        source=CORE_DIRECT,
    ),
    Rule(
        id="slot-state-needs-direct",
        when=when(place="slot", state_kind=_NOT_IMPLICIT),
        conclusion="sequence-direct",
        says="The model finds its state by position: only direct keeps a session in its slot.",
        why="Oldest gives a session another position in each batch, so that the model would "
        "continue another session's state.",
        source=GUIDE_DIRECT,
    ),
    Rule(
        id="id-state-suits-oldest",
        when=when(place="correlation_id", state_kind=_NOT_IMPLICIT),
        conclusion="sequence-oldest",
        says="The model finds its state by correlation ID: oldest keeps the instance and the "
        "order, and batches without padding.",
        why="Direct would be right too, but holds a slot for every silent session and pads it.",
        source=GUIDE_OLDEST,
    ),
    Rule(
        id="carried-state-takes-oldest",
        when=when(state_kind="carried_in_request", place="request"),
        conclusion="sequence-oldest",
        measure=True,
        says="Nothing is looked up on the serving side: oldest keeps the order, and batches "
        "without padding, until a measurement allows dynamic.",
        why="Position and instance do not matter, one request at a time does.",
        source=CORE_OLDEST,
    ),
    Rule(
        id="unknown-place-takes-direct",
        when=when(place="unknown", state_kind=("none", *SERVER_STATE, "unknown")),
        conclusion="sequence-direct",
        doubt=True,
        says="Not known where the model finds its state: direct is proposed, because it keeps "
        "both the instance and the position.",
        why="A model that goes by correlation ID works under direct and under oldest, one that "
        "goes by position under direct only. The price: silent slots are padded, and the batch "
        "size limits the sessions per instance. A model under direct must leave padding alone "
        "(READY false, correlation ID 0).",
        source=CORE_DIRECT,
    ),
    Rule(
        id="carried-place-open",
        when=when(state_kind="carried_in_request", place="unknown"),
        conclusion="sequence-direct",
        doubt=True,
        says="All state is said to travel, but not where the model takes it from: direct is right "
        "wherever that is.",
        why="Whether really all of the state is in the request shows only in a test.",
        source=OWN_CAUTION,
    ),
    Rule(
        id="no-place-takes-direct",
        when=when(place=("none", "request")),
        conclusion="sequence-direct",
        says="No place of the state is named that fits: direct is proposed, because it keeps both "
        "the instance and the position.",
        why="Direct is right for a model that goes by position and for one that goes by ID.",
        source=CORE_DIRECT,
    ),
)
"""The first that holds decides the strategy of a class that needs the sequence batcher."""

SHAPE_RULE: Final = Rule(
    id="shape-is-no-evidence",
    when=when(shapes="fixed"),
    conclusion="note",
    says="All requests have the same shape: that says nothing about whether they may be merged.",
    why="Parts of different sessions have the same shape.",
    source=GUIDE_STATELESS,
)
"""Of a class that does not stand alone (M02)."""
