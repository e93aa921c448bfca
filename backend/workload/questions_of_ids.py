"""Questions on the correlation ID."""

from __future__ import annotations

from typing import Final

from backend.workload.question import UNKNOWN, Question
from backend.workload.question_forms import options_of, yes_no

IDS: Final = (
    Question(
        id="id_type",
        text="Which kind of id ties the requests of a session together?",
        why="Triton knows a sequence by its correlation ID alone.",
        note="0 and the empty text count as no id: the sequence batcher refuses them.",
        field=("correlation_id", "type"),
        options=options_of(
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
        options=options_of(
            ("client", "Each client for itself", "Two clients may count from 1: a likely clash."),
            ("gateway", "A gateway for all clients", "One place sees every live id."),
            ("server", "The serving side", "One place sees every live id."),
            (UNKNOWN, "I don't know", "A clash cannot be ruled out."),
        ),
    ),
    Question(
        id="id_made_as",
        text="How does a new id come about?",
        why=(
            "It decides how likely two sessions get the same one, and whether the id survives in "
            "32 bits."
        ),
        field=("correlation_id", "made_as"),
        options=options_of(
            (
                "counter",
                "Counted up",
                "Unique only if one place counts; two clients that count from 1 clash.",
            ),
            (
                "random",
                "Drawn at random (64 bits)",
                "A clash is unlikely, as long as all 64 bits reach the model.",
            ),
            (
                "hash",
                "A hash of a name or key",
                "A clash is unlikely with 64 bits and likely with 32: the model must not see a "
                "shorter one.",
            ),
            ("uuid_text", "The text of a UUID", "36 characters: a text id."),
            (
                "name",
                "A name (user, device, call)",
                "The same name comes back: the id is used again for every session of its owner.",
            ),
            (UNKNOWN, "I don't know", "A clash cannot be ruled out."),
        ),
    ),
    Question(
        id="id_control",
        text="In which data type does the model read the id?",
        why=(
            "Triton hands the id over in a control input, in the type that the configuration "
            "names. A shorter type cuts it; a type of another kind fails, or worse."
        ),
        field=("correlation_id", "control_type"),
        options=options_of(
            (
                "none",
                "It does not read it",
                "Right for a model that finds its state by position, or has none.",
            ),
            ("uint64", "Unsigned, 64 bits", "All of a numeric id arrives."),
            ("int64", "Signed, 64 bits", "All bits arrive; large ids look negative."),
            ("uint32", "Unsigned, 32 bits", "Only the low half arrives: two ids may look alike."),
            ("int32", "Signed, 32 bits", "Only the low half arrives: two ids may look alike."),
            (
                "string",
                "Text",
                "Cannot be delivered to a Python model up to release 24.12: it reads the id from "
                "the request instead.",
            ),
            (UNKNOWN, "I don't know", "A type that fits the ids is proposed."),
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
        options=yes_no(
            "Sessions can be told apart.",
            "Two sessions will be served as one, under either batcher.",
            "Treated as a risk: make ids unique before the first release.",
        ),
    ),
    Question(
        id="id_scope",
        text="Within which bounds does somebody see to it that ids differ?",
        why="An id that is unique for one client may be in use by another.",
        field=("correlation_id", "unique_scope"),
        options=options_of(
            ("client", "Within one client", "Two clients may use the same id at the same time."),
            ("gateway", "Within one gateway", "Right if all clients of the model come through it."),
            ("service", "For the whole service", "No two live sessions share one."),
            (UNKNOWN, "I don't know", "A clash cannot be ruled out."),
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
        options=yes_no(
            "The model has to begin afresh on START, whatever it kept for the id.",
            "Old and new sessions cannot meet.",
            "Treated as yes.",
        ),
    ),
    Question(
        id="id_empty",
        text="Can an id be 0 or the empty text?",
        why="Both count as no id: the sequence batcher refuses such a request.",
        field=("correlation_id", "may_be_empty"),
        options=options_of(
            ("yes", "Yes", "Sessions with that id are refused: begin to count at 1."),
            ("no", "No", "Every session has an id that Triton accepts."),
            (UNKNOWN, "I don't know", "Check where ids begin."),
        ),
    ),
)
