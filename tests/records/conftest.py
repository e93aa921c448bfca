from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from backend.contracts.run_directory import RunDirectory
from backend.records.drafting import new_record
from backend.records.record import DecisionRecord
from backend.records.run_evidence import RunEvidence, read_evidence

WRITTEN = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)


@pytest.fixture
def evidence(captions_run: Path) -> RunEvidence:
    return read_evidence(RunDirectory(captions_run))


@pytest.fixture
def draft(evidence: RunEvidence) -> Callable[..., DecisionRecord]:
    def make(chosen: str = "sequence-oldest", **changes: Any) -> DecisionRecord:
        number = changes.pop("number", None)
        values: dict[str, Any] = {"author": "Ann", "why": "It keeps sessions apart.", "at": WRITTEN}
        record = new_record(evidence, chosen, **{**values, **changes})
        return record.model_copy(update={"number": number})

    return make
