"""Tables of the store, the same on SQLite and PostgreSQL, and the triggers that guard records.

Triggers keep decided records even from somebody who writes past Interleave: content, number and
history of an accepted record cannot change, and it cannot be deleted.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import CheckConstraint, Column, Integer, MetaData, String, Table, Text

SCHEMA_VERSION: Final = 1

metadata: Final = MetaData()

meta: Final = Table(
    "interleave_meta",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

counters: Final = Table(
    "interleave_counters",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("last", Integer, nullable=False),
)
"""The last number given: taken by one UPDATE, so that two writers never get the same."""

runs: Final = Table(
    "interleave_runs",
    metadata,
    Column("id", String(255), primary_key=True),
    Column("study", Text, nullable=False, index=True),
    Column("path", Text, nullable=False),
    Column("status", String(32), nullable=False),
    Column("verdict", String(32)),
    Column("started_at", String(32), nullable=False, index=True),
    Column("finished_at", String(32)),
)

records: Final = Table(
    "interleave_records",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
    Column("status", String(16), nullable=False, index=True),
    Column("content", Text, nullable=False),
    Column("content_sha256", String(64), nullable=False),
    Column("life", Text, nullable=False),
    # copies of content, to list and search by
    Column("title", Text, nullable=False),
    Column("study", Text, nullable=False, index=True),
    Column("author", Text, nullable=False),
    Column("decision", Text, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("supersedes", Integer),
    CheckConstraint("number >= 1", name="interleave_records_number"),
    CheckConstraint(
        "status IN ('proposed', 'accepted', 'rejected', 'superseded')",
        name="interleave_records_status",
    ),
)

_CONTENT: Final = (
    "content",
    "content_sha256",
    "title",
    "study",
    "author",
    "decision",
    "created_at",
)
_CONTENT_CHANGED: Final = " OR ".join(f"OLD.{name} <> NEW.{name}" for name in _CONTENT)
_FORBIDDEN: Final = f"""
    OLD.number <> NEW.number
    OR (OLD.status <> 'proposed' AND ({_CONTENT_CHANGED}))
    OR (OLD.status IN ('rejected', 'superseded') AND OLD.life <> NEW.life)
    OR NOT (
        OLD.status = NEW.status
        OR (OLD.status = 'proposed' AND NEW.status IN ('accepted', 'rejected'))
        OR (OLD.status = 'accepted' AND NEW.status = 'superseded')
    )
"""
_MESSAGE: Final = "a decided record does not change"

SQLITE_TRIGGERS: Final = (
    f"""
    CREATE TRIGGER interleave_records_change BEFORE UPDATE ON interleave_records
    WHEN {_FORBIDDEN}
    BEGIN SELECT RAISE(ABORT, '{_MESSAGE}'); END
    """,
    f"""
    CREATE TRIGGER interleave_records_delete BEFORE DELETE ON interleave_records
    WHEN OLD.status <> 'proposed'
    BEGIN SELECT RAISE(ABORT, '{_MESSAGE}'); END
    """,
)

POSTGRESQL_TRIGGERS: Final = (
    f"""
    CREATE FUNCTION interleave_records_guard() RETURNS trigger LANGUAGE plpgsql AS $guard$
    BEGIN
        IF TG_OP = 'DELETE' THEN
            IF OLD.status <> 'proposed' THEN
                RAISE EXCEPTION '{_MESSAGE}' USING ERRCODE = 'check_violation';
            END IF;
            RETURN OLD;
        END IF;
        IF {_FORBIDDEN} THEN
            RAISE EXCEPTION '{_MESSAGE}' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END
    $guard$
    """,
    """
    CREATE TRIGGER interleave_records_guard BEFORE UPDATE OR DELETE ON interleave_records
    FOR EACH ROW EXECUTE FUNCTION interleave_records_guard()
    """,
)
"""TRUNCATE is a right of the table's owner and stays one: it is how a database is thrown away."""
