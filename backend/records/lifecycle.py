"""The life of a record: proposed → accepted → superseded, or proposed → rejected.

Content may change only while a record is proposed. Each function returns new values and writes
nothing; the store keeps the same rules again.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from pydantic import ValidationError

from backend.contracts.errors import InputError, StoreConflict
from backend.records.choices import check_choices, unsupported
from backend.records.record import (
    LIFE_FIELDS,
    Choice,
    DecisionRecord,
    LifeStep,
    RecordStatus,
    content_sha256,
)
from backend.records.texts import line, prose, sentences

AMENDABLE: Final = frozenset(
    {"title", "question", "decision", "consequences", "risks", "revisit_when", "supersedes"}
)
"""What its author may still edit on a proposed record (of ``decision``, the reasons); evidence and
configurations never."""

NEXT_STATUS: Final[dict[RecordStatus, frozenset[RecordStatus]]] = {
    "proposed": frozenset({"accepted", "rejected"}),
    "accepted": frozenset({"superseded"}),
    "rejected": frozenset(),
    "superseded": frozenset(),
}


def accept(
    record: DecisionRecord, by: str, *, despite: str = "", at: datetime | None = None
) -> DecisionRecord:
    """The record, accepted: its content can no longer change.

    Args:
        record: A proposed record.
        by: Who decides.
        despite: Why to accept a choice that its own evidence does not support; needed only then.
        at: When; now if left out.

    Raises:
        StoreConflict: if it is not proposed.
        InputError: if nobody is named, if the evidence speaks against the choice and ``despite``
            is empty, or if it replaces another record (then both change: ``supersede``).
    """
    _expect(record, "proposed", "accepted")
    if record.supersedes is not None:
        raise InputError(
            f"{_capital(record.called)} replaces record {record.supersedes}: accepting it changes "
            "both.",
            next_step=f"Accept it together with record {record.supersedes}, as its successor.",
        )
    return _accepted(record, by, despite, at)


def reject(
    record: DecisionRecord, by: str, *, because: str = "", at: datetime | None = None
) -> DecisionRecord:
    """The record, rejected.

    Raises:
        StoreConflict: if it is not proposed.
        InputError: if nobody is named.
    """
    _expect(record, "proposed", "rejected")
    return _moved(record, "rejected", by, because, at)


def supersede(
    old: DecisionRecord,
    new: DecisionRecord,
    by: str,
    *,
    despite: str = "",
    at: datetime | None = None,
) -> tuple[DecisionRecord, DecisionRecord]:
    """Both ends, edited: the new record accepted in the place of the old one.

    Args:
        old: The accepted record that is replaced.
        new: A proposed record (it then names the old one and is accepted).
        by: Who decides.
        despite: As for ``accept``.
        at: When; now if left out.

    Raises:
        StoreConflict: if the old one is not accepted, the new one is not proposed, or the new one
            already replaces another.
        InputError: if one has no number yet, both are one, or as for ``accept``.
    """
    if old.number is None or new.number is None:
        raise InputError(
            "A record must be stored before it replaces another, or is replaced.",
            next_step="Save both records first.",
        )
    if old.number == new.number:
        raise InputError(f"Record {old.number} cannot replace itself.")
    _expect(old, "accepted", "superseded")
    _expect(new, "proposed", "accepted")
    if new.supersedes not in (None, old.number):
        raise StoreConflict(
            f"Record {new.number} already replaces record {new.supersedes}, not {old.number}.",
            next_step=f"Amend record {new.number}, or write a new one.",
        )
    moment = at or datetime.now(UTC)
    named = new.model_copy(update={"supersedes": old.number})
    successor = _accepted(named, by, despite, moment)
    replaced = _moved(old, "superseded", by, f"replaced by record {new.number}", moment)
    return replaced.model_copy(update={"superseded_by": new.number}), successor


def amend(record: DecisionRecord, **changes: Any) -> DecisionRecord:
    """A proposed record with some of its words changed.

    Args:
        record: A proposed record.
        changes: By field name; see ``AMENDABLE``.

    Raises:
        StoreConflict: if it is no longer proposed.
        InputError: if a field may not be edited, or its value does not fit.
    """
    if record.status != "proposed":
        raise StoreConflict(
            f"{_capital(record.called)} is {record.status}; its content can no longer change.",
            next_step="Write a new record that replaces it.",
        )
    for field in changes:
        if field not in AMENDABLE:
            raise InputError(
                f"'{field}' of a record cannot be edited.",
                why=f"Can be edited while proposed: {', '.join(sorted(AMENDABLE))}.",
                next_step="Make a new record from the run.",
                key=field,
            )
    plain = {field: _typed(field, value) for field, value in changes.items()}
    try:
        amended = DecisionRecord.model_validate({**dict(record), **plain})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"The record's {place} does not fit: {first['msg']}.", key=place
        ) from error
    if [_place(choice) for choice in amended.decision] != [_place(c) for c in record.decision]:
        raise InputError(
            "Another choice needs a record of its own: rollback and risks follow from it.",
            next_step="Reject this record and make a new one from the run.",
            key="decision",
        )
    check_choices(amended)
    return amended


def check_change(old: DecisionRecord, new: DecisionRecord) -> None:
    """Refuse what no record may become: the rule that the store keeps at every write.

    Raises:
        StoreConflict: if the status may not follow the old one, or content of a record that is
            no longer proposed has changed, or its history was rewritten.
    """
    if old.number != new.number:
        raise StoreConflict(f"A record keeps its number: {old.number} cannot become {new.number}.")
    if new.status != old.status and new.status not in NEXT_STATUS[old.status]:
        raise StoreConflict(
            f"{_capital(old.called)} is {old.status} and cannot become {new.status}.",
            next_step=_way_on(old),
        )
    if old.status != "proposed" and content_sha256(old) != content_sha256(new):
        raise StoreConflict(
            f"{_capital(old.called)} is {old.status}; its content can no longer change.",
            why=f"Changed: {', '.join(_changed_fields(old, new))}.",
            next_step="Write a new record that replaces it.",
        )
    if new.history[: len(old.history)] != old.history:
        raise StoreConflict(f"The history of {old.called} can only grow.")
    if new.status != old.status and (
        len(new.history) == len(old.history) or new.history[-1].status != new.status
    ):
        raise StoreConflict(f"The change of {old.called} to {new.status} does not say by whom.")


def _accepted(record: DecisionRecord, by: str, despite: str, at: datetime | None) -> DecisionRecord:
    doubts = unsupported(record)
    if doubts and not despite.strip():
        raise InputError(
            f"The evidence of {record.called} does not support its choice.",
            why=" ".join(doubts),
            next_step="Choose another candidate, or say why to accept it despite the evidence.",
            key="despite",
        )
    note = f"despite the evidence: {despite.strip()}" if doubts else despite.strip()
    return _moved(record, "accepted", by, note, at)


def _moved(
    record: DecisionRecord, status: RecordStatus, by: str, note: str, at: datetime | None
) -> DecisionRecord:
    who = line(by, "by")
    if not who:
        raise InputError(
            f"Nobody is named who made {record.called} {status}.",
            next_step="Give the name of the person or group that decides.",
            key="by",
        )
    step = LifeStep(status=status, by=who, at=at or datetime.now(UTC), note=prose(note, "note"))
    return record.model_copy(update={"status": status, "history": (*record.history, step)})


def _typed(field: str, value: Any) -> Any:
    """What a person typed, cleaned as for a new record; other kinds are left to the schema."""
    if field == "title" and isinstance(value, str):
        return line(value, field)
    if isinstance(value, str):
        return prose(value, field)
    if isinstance(value, list | tuple):
        if all(isinstance(item, str) for item in value):
            return sentences(value, field)
        return tuple(value)
    return value


def _place(choice: Choice) -> tuple[str, str, int]:
    return choice.class_name, choice.candidate, choice.instances


def _expect(record: DecisionRecord, status: RecordStatus, wanted: RecordStatus) -> None:
    if record.status != status:
        raise StoreConflict(
            f"{_capital(record.called)} is {record.status} and cannot become {wanted}.",
            next_step=_way_on(record),
        )


def _way_on(record: DecisionRecord) -> str:
    if record.status == "accepted":
        return "Write a new record and accept it in the place of this one."
    if record.status == "superseded":
        return f"See record {record.superseded_by}, which replaced it."
    return "Write a new record." if record.status == "rejected" else "Accept or reject it first."


def _changed_fields(old: DecisionRecord, new: DecisionRecord) -> list[str]:
    fields = (name for name in DecisionRecord.model_fields if name not in LIFE_FIELDS)
    return [name for name in fields if getattr(old, name) != getattr(new, name)]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
