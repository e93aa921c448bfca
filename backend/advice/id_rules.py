"""What has to be settled of the correlation ID before sessions are served (M06).

Facts as in ``facts``, and ``batcher``. Each rule raises questions: they are open, or their answers
are dangerous as they stand.
"""

from __future__ import annotations

from typing import Final

from backend.advice.rule import CORE_CONTROLS, CORE_ENQUEUE, GUIDE_CONTROL, OWN_CAUTION, Rule, when

ID_QUESTIONS: Final = (
    "id_type",
    "id_assigned_by",
    "id_made_as",
    "id_control",
    "id_unique",
    "id_scope",
    "id_reused",
    "id_empty",
)
_NUMERIC: Final = ("uint64", "int64", "uint32", "int32")


class IdRule(Rule):
    """A risk of the correlation ID, and the questions that it raises."""

    raises: tuple[str, ...]


def _id(
    rule_id: str,
    raises: str | tuple[str, ...],
    says: str,
    why: str,
    source: str,
    **facts: str | tuple[str, ...],
) -> IdRule:
    return IdRule(
        id=rule_id,
        when=when(batcher="sequence", **facts),
        conclusion="risk",
        says=says,
        why=why,
        source=source,
        raises=(raises,) if isinstance(raises, str) else raises,
    )


ID_RULES: Final = (
    _id(
        "id-missing",
        "id_type",
        "No correlation ID is sent: the sequence batcher refuses every request.",
        "Triton knows a sequence by its ID alone.",
        CORE_ENQUEUE,
        id_type="none",
    ),
    _id(
        "id-answers-open",
        (),
        "Not everything is known of the correlation ID; every open question is listed.",
        "Two sessions with one ID are served as one, and nothing is refused.",
        OWN_CAUTION,
        id_open="yes",
    ),
    _id(
        "id-not-unique",
        "id_unique",
        "Two live sessions may have one ID: START on a live ID is no error, it takes over the "
        "slot, and their states mix.",
        "Triton logs only a warning.",
        CORE_ENQUEUE,
        id_unique="no",
    ),
    _id(
        "id-scope-too-narrow",
        "id_scope",
        "IDs are counted or named, and nobody looks beyond one client: two clients collide.",
        "Nothing on the server's side makes IDs unique.",
        CORE_ENQUEUE,
        id_scope="client",
        id_made_as=("counter", "name"),
    ),
    _id(
        "id-reused",
        "id_reused",
        "IDs are used again: a late request joins the new session, and a new START may run before "
        "the old END. The model must begin afresh on START.",
        "The ID is free as soon as END is accepted, not when it has been executed.",
        CORE_ENQUEUE,
        id_reused="yes",
    ),
    _id(
        "id-may-be-empty",
        "id_empty",
        "An ID may be 0 or empty: it counts as none, and that session is refused.",
        "Triton takes 0 and the empty text for a request without a sequence.",
        CORE_ENQUEUE,
        id_empty="yes",
    ),
    _id(
        "id-control-too-narrow",
        "id_control",
        "The model reads 32 bits of hashed or random IDs: two live sessions may look like one.",
        "The control input carries the low bits only.",
        CORE_CONTROLS,
        id_control=("uint32", "int32"),
        id_made_as=("hash", "random"),
    ),
    _id(
        "id-text-for-number",
        "id_control",
        "Text IDs meet a control input of numbers: garbage, a crash (up to 24.12) or a refusal "
        "(from 25.01).",
        "The text is written over the 8 bytes kept for a number.",
        CORE_CONTROLS,
        id_type="string",
        id_control=_NUMERIC,
    ),
    _id(
        "id-number-for-text",
        "id_control",
        "Numeric IDs meet a control input of text.",
        "From 25.01 on Triton refuses such requests.",
        CORE_CONTROLS,
        id_type="uint64",
        id_control="string",
    ),
    _id(
        "id-control-other-type",
        (),
        "The IDs and the control input that carries them are of different types.",
        "The control input has one type, and every ID must be of it.",
        GUIDE_CONTROL,
        id_types_agree="no",
    ),
    _id(
        "text-control-before-25-01",
        "id_control",
        "Before release 25.01 a text ID shorter than 128 characters cannot be handed to the model "
        "as a control input (seen with the Python backend).",
        "The tensor then has two elements where one is expected.",
        CORE_CONTROLS,
        id_type="string",
        id_control="string",
        release=("before 23.08", "before 25.01"),
    ),
    _id(
        "id-not-given-to-model",
        "id_control",
        "The model finds its state by correlation ID, but is not given it.",
        "Only a control input, or the request object of the Python backend, tells the ID.",
        GUIDE_CONTROL,
        place="correlation_id",
        id_control="none",
    ),
    _id(
        "id-does-not-fit-type",
        "id_made_as",
        "IDs are said to be whole numbers, yet to be made as a UUID's text or a name.",
        "One of the two is wrong.",
        OWN_CAUTION,
        id_type="uint64",
        id_made_as=("uuid_text", "name"),
    ),
)
"""An unknown answer raises its own question as well."""
