"""The rules that decide: is there state, and which strategy of the sequence batcher keeps it right.

Facts are the answers by question id, and four more: ``contradictory`` (yes, no), ``model_stateful``
(yes, no, empty), ``place`` (where state is found: the answer, or what the model's template
declares, *unknown* where the two disagree) and ``places_agree`` (yes, no).
"""

from __future__ import annotations

from typing import Final

from backend.advice.rule import (
    CORE_DIRECT,
    CORE_OLDEST,
    GUIDE_CONTROL,
    GUIDE_DIRECT,
    GUIDE_IMPLICIT,
    GUIDE_OLDEST,
    GUIDE_STATEFUL,
    GUIDE_STATELESS,
    OWN_CAUTION,
    Rule,
    when,
)
from backend.workload.contradictions import KEPT_STATE

ASSOCIATION_RULES: Final = (
    Rule(
        id="parts-of-a-session",
        when=when(relation="parts_of_a_session"),
        conclusion="stateful",
        says="The requests are parts of sessions: they need the sequence batcher.",
        why="Parts of a session have to reach the same instance; only the sequence batcher routes "
        "by correlation ID.",
        source=GUIDE_STATEFUL,
    ),
    Rule(
        id="order-matters",
        when=when(order="yes"),
        conclusion="stateful",
        says="The order of a session's requests has to be kept: only the sequence batcher does.",
        why="The dynamic batcher may put two requests of a session into one batch, or on two "
        "instances at once. The sequence batcher has at most one of them under way.",
        source=CORE_OLDEST,
    ),
    Rule(
        id="state-is-kept",
        when=when(state_kind=KEPT_STATE),
        conclusion="stateful",
        says="Something is remembered between requests: it stays right only on one instance.",
        why="Each instance has a memory of its own. A request that runs on another instance finds "
        "another state, or none.",
        source=GUIDE_STATEFUL,
    ),
    Rule(
        id="start-is-marked",
        when=when(start_marked="yes"),
        conclusion="stateful",
        says="Requests mean something by being the first: that meaning is the sequence batcher's.",
        why="Without the sequence batcher START is carried along, but nothing acts on it.",
        source=GUIDE_CONTROL,
    ),
    Rule(
        id="end-is-marked",
        when=when(end_marked="yes"),
        conclusion="stateful",
        says="Requests mean something by being the last: that meaning is the sequence batcher's.",
        why="Without the sequence batcher END is carried along, but nothing acts on it.",
        source=GUIDE_CONTROL,
    ),
    Rule(
        id="model-declares-state",
        when=when(model_stateful="yes"),
        conclusion="stateful",
        says="The model itself declares that it keeps state between requests.",
        why="What the model does outweighs what is said of its traffic.",
        source="the model template's own description (template.yaml, stateful)",
    ),
    Rule(
        id="state-travels",
        when=when(state_kind="carried_in_request"),
        conclusion="treat as stateful",
        says="All state travels in each request: the sequence batcher is proposed to begin with, "
        "and the dynamic batcher may be reconsidered only if measuring shows equal results.",
        why="A request then needs no instance, but it needs its predecessor's answer, and no "
        "assertion shows that the model adds nothing of its own.",
        source=GUIDE_STATELESS,
    ),
    Rule(
        id="state-comes-with-request",
        when=when(state_place="request"),
        conclusion="treat as stateful",
        says="The state is found in the request: the dynamic batcher may be reconsidered only by "
        "measuring.",
        why="Whether really all of the state is in the request shows only in a test.",
        source=OWN_CAUTION,
    ),
    Rule(
        id="relation-unknown",
        when=when(relation="unknown"),
        conclusion="treat as stateful",
        says="Not known whether requests belong together: treated as if they did.",
        why="The sequence batcher for requests that stand alone costs time; the dynamic batcher "
        "for parts of a session mixes up answers.",
        source=OWN_CAUTION,
    ),
    Rule(
        id="order-unknown",
        when=when(order="unknown"),
        conclusion="treat as stateful",
        says="Not known whether the order matters: treated as if it did.",
        why="A wrong order is not slow, it is wrong, and nothing reports it.",
        source=OWN_CAUTION,
    ),
    Rule(
        id="state-unknown",
        when=when(state_kind="unknown"),
        conclusion="treat as stateful",
        says="Not known whether anything is remembered: treated as if it were.",
        why="A state that nobody knows of is the one that gets mixed up.",
        source=OWN_CAUTION,
    ),
    Rule(
        id="contradiction",
        when=when(contradictory="yes"),
        conclusion="treat as stateful",
        says="Some answers exclude each other: treated as stateful until that is settled.",
        why="One of them is wrong, and it may be the one that matters.",
        source=OWN_CAUTION,
    ),
)
"""Any of them keeps a class away from the dynamic batcher."""

STANDS_ALONE: Final = Rule(
    id="stands-alone",
    when=when(relation="independent", order="no", state_kind="none"),
    conclusion="stateless",
    says="Every request stands alone, in any order, with nothing remembered: the dynamic batcher "
    "may merge them.",
    why="A batch of such requests has no history to mix up.",
    source=GUIDE_STATELESS,
)
"""Decides only where no association rule holds."""

STRATEGY_RULES: Final = (
    Rule(
        id="place-slot",
        when=when(place="slot"),
        conclusion="sequence-direct",
        says="The model finds its state by position: only direct keeps a session in its slot.",
        why="Oldest gives a session another position in each batch, so that the model would "
        "continue another session's state.",
        source=GUIDE_DIRECT,
    ),
    Rule(
        id="places-differ",
        when=when(places_agree="no"),
        conclusion="sequence-direct",
        says="The answer and the model disagree on where the state is found: direct is right for "
        "both.",
        why="Direct keeps the instance and the position; a model that goes by correlation ID does "
        "not mind its position.",
        source=CORE_DIRECT,
    ),
    Rule(
        id="state-by-triton",
        when=when(state_kind="implicit_state", place=("none", "unknown")),
        conclusion="sequence-oldest",
        says="Triton carries the state tensors itself: positions do not matter, oldest needs no "
        "padding.",
        why="Triton hands a sequence its own state with each request, under either strategy.",
        source=GUIDE_IMPLICIT,
        since="21.11",
    ),
    Rule(
        id="place-correlation-id",
        when=when(place="correlation_id"),
        conclusion="sequence-oldest",
        says="The model finds its state by correlation ID: oldest keeps the instance and the "
        "order, and batches without padding.",
        why="Direct would be right too, but holds a slot for every silent session and pads it.",
        source=GUIDE_OLDEST,
    ),
    Rule(
        id="place-request",
        when=when(place="request"),
        conclusion="sequence-oldest",
        says="Nothing is looked up on the serving side: oldest keeps the order, and batches "
        "without padding.",
        why="Position and instance do not matter, one request at a time does.",
        source=CORE_OLDEST,
    ),
    Rule(
        id="travels-whole",
        when=when(state_kind="carried_in_request", place=("none", "unknown")),
        conclusion="sequence-oldest",
        says="Nothing is looked up on the serving side: oldest keeps the order, and batches "
        "without padding.",
        why="Position and instance do not matter, one request at a time does.",
        source=CORE_OLDEST,
    ),
    Rule(
        id="place-unknown",
        when=when(place=("none", "unknown")),
        conclusion="sequence-direct",
        says="Not known where the model finds its state: direct is proposed, because it keeps "
        "both the instance and the position.",
        why="A model that goes by correlation ID works under direct and under oldest, one that "
        "goes by position under direct only. The price: silent slots are padded, and the batch "
        "size limits the sessions per instance. A model under direct must leave padding alone "
        "(READY false, correlation ID 0).",
        source=CORE_DIRECT,
    ),
)
"""The first that holds decides the strategy of a class that needs the sequence batcher."""
