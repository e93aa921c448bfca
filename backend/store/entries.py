"""What the store hands out: runs, stored records, and lines of a list of records."""

from __future__ import annotations

from typing import Annotated

from pydantic import AwareDatetime, Field

from backend.contracts.values import Value
from backend.records.record import DecisionRecord, RecordStatus


class RunEntry(Value):
    """One run in the index; its data lie in its directory."""

    id: Annotated[str, Field(min_length=1)]
    """The run's name, as links carry it."""
    study: str
    path: str
    """Absolute path of the run directory."""
    status: str
    """``waiting``, ``running``, ``complete``, ``interrupted`` or ``failed``."""
    verdict: str | None = None
    started_at: AwareDatetime
    finished_at: AwareDatetime | None = None


class StoredRecord(Value):
    """A record as it lies in the store; ``version`` is needed to change it."""

    record: DecisionRecord
    version: int
    content_sha256: str

    @property
    def number(self) -> int:
        """The record's number, which the store has given."""
        if self.record.number is None:
            raise ValueError("a stored record has a number")
        return self.record.number


class RecordSummary(Value):
    """One line of the list of records."""

    number: int
    title: str
    status: RecordStatus
    study: str
    author: str
    decision: str
    created_at: AwareDatetime
    decided_at: AwareDatetime | None
    deciders: tuple[str, ...]
    supersedes: int | None
    superseded_by: int | None
    version: int
