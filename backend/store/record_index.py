"""Decision records by number; every write is checked against what lies there now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Connection, RowMapping, insert, or_, select, update

from backend.contracts.errors import InputError, StoreConflict
from backend.records.lifecycle import accept, check_change, supersede
from backend.records.record import DecisionRecord, RecordStatus
from backend.store.database import Database
from backend.store.entries import RecordSummary, StoredRecord
from backend.store.rows import record_row, stored_of, summary_of
from backend.store.schema import counters, records

LARGEST: Final = 2**31 - 1


class RecordIndex(Database):
    """Records by number."""

    def add_record(self, record: DecisionRecord) -> StoredRecord:
        """Keep a new record and give it the next number.

        Numbers are given one by one under the database's own lock: two writers never get the
        same one, and a failed write leaves no gap.

        Raises:
            StoreConflict: if it has a number already, or the record that it is to replace is not
                accepted (any more).
            InputError: if it is not proposed, or is to replace a record that does not exist.
        """
        if record.number is not None:
            raise StoreConflict(
                f"This is record {record.number} already.",
                next_step="Change that record, or write a new one.",
            )
        if record.status != "proposed":
            raise InputError(
                f"A new record is proposed first; this one is {record.status}.",
                next_step="Save it as proposed, then accept or reject it.",
            )
        with self._transaction(writes=True) as connection:
            if record.supersedes is not None:
                self._replaceable(connection, record.supersedes)
            number = connection.execute(
                update(counters)
                .where(counters.c.name == "record")
                .values(last=counters.c.last + 1)
                .returning(counters.c.last)
            ).scalar_one()
            numbered = record.model_copy(update={"number": number})
            row = record_row(numbered, version=1)
            connection.execute(insert(records).values(row))
        return StoredRecord(record=numbered, version=1, content_sha256=row["content_sha256"])

    def get_record(self, number: int) -> StoredRecord:
        """One record with its version.

        Raises:
            InputError: if there is none of that number, or its text was altered in the database.
        """
        with self._transaction(writes=False) as connection:
            return self._record(connection, number)

    def list_records(
        self,
        *,
        status: RecordStatus | None = None,
        study: str | None = None,
        search: str = "",
        limit: int | None = None,
        offset: int = 0,
    ) -> tuple[RecordSummary, ...]:
        """Records as lines of a list, the highest number first.

        Args:
            status: Only these.
            study: Only records of this study.
            search: Only records whose title, author or decision holds this text, in any case.
            limit: At most so many; all if left out.
            offset: Leave out so many first.
        """
        # without the content: a list of records must not read all their evidence
        columns = [column for column in records.c if column.name != "content"]
        wanted = select(*columns).order_by(records.c.number.desc())
        if status is not None:
            wanted = wanted.where(records.c.status == status)
        if study is not None:
            wanted = wanted.where(records.c.study == study)
        if search.strip():
            texts = (records.c.title, records.c.author, records.c.decision)
            wanted = wanted.where(
                or_(*(text.icontains(search.strip(), autoescape=True) for text in texts))
            )
        # SQLite knows OFFSET only beside LIMIT; SQLAlchemy writes one where there is none
        wanted = wanted.limit(limit).offset(offset or None)
        with self._transaction(writes=False) as connection:
            return tuple(summary_of(row) for row in connection.execute(wanted).mappings())

    def change_record(self, record: DecisionRecord, expected_version: int) -> StoredRecord:
        """Keep a changed record in the place of the one that was read.

        Args:
            record: The changed record.
            expected_version: Version of the record that was read and changed.

        Raises:
            StoreConflict: if somebody else changed it since, or the change is not allowed:
                content of a decided record, a status that may not follow, a rewritten history.
            InputError: if there is no record of that number.
        """
        return self.change_records([(record, expected_version)])[0]

    def change_records(
        self, changes: Sequence[tuple[DecisionRecord, int]]
    ) -> tuple[StoredRecord, ...]:
        """Several changes at once: all of them or, if one is refused, none.

        Args:
            changes: Changed records, each with the version that was read.

        Raises:
            StoreConflict, InputError: as for ``change_record``.
        """
        with self._transaction(writes=True) as connection:
            # in the order of numbers: two writers of the same pair never wait for each other
            ordered = sorted(changes, key=lambda change: change[0].number or 0)
            done = {
                stored.number: stored
                for stored in (self._change(connection, *change) for change in ordered)
            }
        return tuple(done[record.number or 0] for record, _ in changes)

    def accept_record(
        self, number: int, by: str, expected_version: int, *, despite: str = ""
    ) -> StoredRecord:
        """Accept a proposed record; the one that it replaces becomes superseded with it.

        Args:
            number: The record's.
            by: Who decides.
            expected_version: Version of the record that was read.
            despite: Why to accept a choice that its evidence does not support.

        Raises:
            StoreConflict, InputError: as for ``change_record`` and ``lifecycle.accept``.
        """
        stored = self.get_record(number)
        if stored.version != expected_version:
            raise _stale(stored, expected_version)
        now = datetime.now(UTC)
        if stored.record.supersedes is None:
            accepted = accept(stored.record, by, despite=despite, at=now)
            return self.change_record(accepted, expected_version)
        old = self.get_record(stored.record.supersedes)
        replaced, accepted = supersede(old.record, stored.record, by, despite=despite, at=now)
        return self.change_records([(accepted, expected_version), (replaced, old.version)])[0]

    def _change(
        self, connection: Connection, record: DecisionRecord, expected_version: int
    ) -> StoredRecord:
        if record.number is None:
            raise InputError(
                "The record is not stored yet, so that it cannot be changed.",
                next_step="Save it first.",
            )
        old = self._record(connection, record.number)
        if old.version != expected_version:
            raise _stale(old, expected_version)
        check_change(old.record, record)
        row = record_row(record, version=expected_version + 1)
        written = connection.execute(
            update(records)
            .where(records.c.number == record.number, records.c.version == expected_version)
            .values({name: value for name, value in row.items() if name != "number"})
        )
        if written.rowcount != 1:
            # PostgreSQL: another writer came between our reading and our writing
            raise _stale(self._record(connection, record.number), expected_version)
        return StoredRecord(
            record=record, version=expected_version + 1, content_sha256=row["content_sha256"]
        )

    def _record(self, connection: Connection, number: int) -> StoredRecord:
        # a number beyond the column's range is an error to PostgreSQL, not an empty answer
        row = self._row(connection, number) if 1 <= number <= LARGEST else None
        if row is None:
            raise InputError(
                f"There is no record {number}.", next_step="Choose one of the list of records."
            )
        return stored_of(row, self.place)

    def _row(self, connection: Connection, number: int) -> RowMapping | None:
        found = connection.execute(select(records).where(records.c.number == number))
        return found.mappings().one_or_none()

    def _replaceable(self, connection: Connection, number: int) -> None:
        old = self._record(connection, number).record
        if old.status != "accepted":
            raise StoreConflict(
                f"Record {number} is {old.status}; only an accepted record can be replaced.",
                next_step=f"See record {old.superseded_by}."
                if old.superseded_by is not None
                else "Write the new record without replacing one.",
            )


def _stale(now: StoredRecord, expected_version: int) -> StoreConflict:
    return StoreConflict(
        f"Record {now.number} was changed by somebody else since you opened it.",
        why=f"You have version {expected_version}; now it is version {now.version}, "
        f"{now.record.status}.",
        next_step="Open it again, look at what changed, and repeat your change.",
    )
