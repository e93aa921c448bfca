"""Records as JSON files that another store can read, with digests that tell an edited one."""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import ValidationError

from backend.contracts.errors import InputError
from backend.records.record import (
    RECORD_SCHEMA,
    DecisionRecord,
    content_sha256,
    text_sha256,
)

FORMAT: Final = "interleave-decision-record"


def to_json(record: DecisionRecord) -> str:
    """The record as a JSON text: ``{format, schema, content_sha256, record_sha256, record}``.

    ``content_sha256`` identifies what was decided; ``record_sha256`` covers number and life too.
    """
    value = record.model_dump(mode="json")
    whole = {
        "format": FORMAT,
        "schema": RECORD_SCHEMA,
        "content_sha256": content_sha256(record),
        "record_sha256": _whole_sha256(value),
        "record": value,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def from_json(text: str, *, file: str | None = None) -> DecisionRecord:
    """The record of such a text.

    Args:
        text: What ``to_json`` wrote.
        file: How messages call it.

    Raises:
        InputError: if it is not JSON, not a record, of a newer schema, or was edited since.
    """
    try:
        whole: Any = json.loads(text)
    except ValueError as error:
        raise InputError(
            "This is not JSON.",
            why=str(error),
            file=file,
            line=error.lineno if isinstance(error, json.JSONDecodeError) else None,
        ) from error
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise InputError(
            "This is not a decision record.",
            why=f"Its format is not '{FORMAT}'.",
            next_step="Choose a record.json that was exported from the console.",
            file=file,
        )
    schema = whole.get("schema")
    if schema != RECORD_SCHEMA:
        raise InputError(
            f"The record has schema {schema}; this version reads schema {RECORD_SCHEMA}.",
            next_step="Read it with the version of Interleave that wrote it, or a newer one.",
            file=file,
        )
    try:
        record = DecisionRecord.model_validate_json(json.dumps(whole.get("record")))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"The record does not fit its schema at {place or 'its top'}: {first['msg']}.",
            file=file,
            key=place,
        ) from error
    if whole.get("content_sha256") != content_sha256(record) or whole.get(
        "record_sha256"
    ) != _whole_sha256(record.model_dump(mode="json")):
        raise InputError(
            "The record was edited after it was exported: its text does not match its digest.",
            next_step="Export it again from the store that holds it.",
            file=file,
        )
    return record


def _whole_sha256(value: dict[str, Any]) -> str:
    return text_sha256(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
