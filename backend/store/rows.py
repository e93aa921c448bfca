"""Between values and rows: what is written of a run or a record, and what is read back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import RowMapping

from backend.contracts.errors import EnvironmentMissing, InputError
from backend.records.document import choice_words
from backend.records.record import (
    LIFE_FIELDS,
    RECORD_SCHEMA,
    DecisionRecord,
    LifeStep,
    content_text,
    text_sha256,
)
from backend.store.entries import RecordSummary, RunEntry, StoredRecord


def run_row(run: RunEntry) -> dict[str, Any]:
    """The columns of a run."""
    return {
        **run.model_dump(),
        "started_at": _text(run.started_at),
        "finished_at": _text(run.finished_at) if run.finished_at is not None else None,
    }


def run_of(row: RowMapping) -> RunEntry:
    """The run of a row."""
    finished = row["finished_at"]
    return RunEntry.model_validate(
        {
            **row,
            "started_at": datetime.fromisoformat(row["started_at"]),
            "finished_at": datetime.fromisoformat(finished) if finished is not None else None,
        }
    )


def record_row(record: DecisionRecord, version: int) -> dict[str, Any]:
    """The columns of a numbered record: its content as one text, its life beside it."""
    content = content_text(record)
    return {
        "number": record.number,
        "version": version,
        "status": record.status,
        "content": content,
        "content_sha256": text_sha256(content),
        "life": json.dumps(
            record.model_dump(mode="json", include=set(LIFE_FIELDS)),
            sort_keys=True,
            ensure_ascii=False,
        ),
        "title": record.title,
        "study": record.evidence.study,
        "author": record.author,
        "decision": "; ".join(choice_words(choice) for choice in record.decision),
        "created_at": _text(record.created_at),
        "supersedes": record.supersedes,
    }


def stored_of(row: RowMapping, place: str) -> StoredRecord:
    """The record of a row.

    Raises:
        InputError: if its text does not match its digest.
        EnvironmentMissing: if a newer version wrote it.
    """
    number = row["number"]
    if text_sha256(row["content"]) != row["content_sha256"]:
        raise InputError(
            f"Record {number} was altered in the store {place}: its text does not match its "
            "digest.",
            next_step="Restore the store from a copy, or read an exported record.json.",
        )
    try:
        content = json.loads(row["content"])
        schema = content.get("schema_version")
        if schema != RECORD_SCHEMA:
            raise EnvironmentMissing(
                f"Record {number} was written by a newer Interleave.",
                why=f"It has schema {schema}; this version reads {RECORD_SCHEMA}.",
                next_step="Update Interleave.",
            )
        value = {**content, **json.loads(row["life"]), "number": number}
        record = DecisionRecord.model_validate_json(json.dumps(value))
    except ValueError as error:
        # both what is no JSON and what is no record
        raise InputError(
            f"Record {number} in the store {place} does not read as a record.",
            why=str(error).splitlines()[0],
            next_step="Restore the store from a copy, or read an exported record.json.",
        ) from error
    return StoredRecord(record=record, version=row["version"], content_sha256=row["content_sha256"])


def summary_of(row: RowMapping) -> RecordSummary:
    """The list's line of a row; its content is not read."""
    life = json.loads(row["life"])
    steps = [LifeStep.model_validate_json(json.dumps(step)) for step in life["history"]]
    decided = [step for step in steps if step.status in ("accepted", "rejected")]
    return RecordSummary(
        number=row["number"],
        title=row["title"],
        status=row["status"],
        study=row["study"],
        author=row["author"],
        decision=row["decision"],
        created_at=datetime.fromisoformat(row["created_at"]),
        decided_at=decided[-1].at if decided else None,
        deciders=tuple(step.by for step in decided),
        supersedes=row["supersedes"],
        superseded_by=life["superseded_by"],
        version=row["version"],
    )


def _text(at: datetime) -> str:
    """A time as text that sorts by time: UTC, always with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")
