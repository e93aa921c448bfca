"""What an oracle hands back: the requests table with its verdicts, and properties found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from backend.contracts.findings import (
    ContextOf,
    PropertyFinding,
    PropertyVerdict,
    Relation,
    Violation,
)
from backend.contracts.requests_table import SCHEMA
from backend.workload.study import Cell

VIOLATIONS_KEPT: Final = 100
"""Of the violations of one property, the first so many in time are kept in findings."""


@dataclass(frozen=True)
class Judgement:
    """One trial, judged.

    Attributes:
        table: The requests table (``requests_table.SCHEMA``, rows in the order given) with
            ``expected``, ``observed``, ``verdict`` and, where the model says so, ``instance``.
        properties: One finding per property and length group, for this trial alone.
        batch_sizes_compared: Requests whose batch size both the model and the trace gave.
        batch_size_disagreements: Those of them where the two differ; anything above 0 means that
            trace and model do not speak of the same executions.
    """

    table: pa.Table
    properties: tuple[PropertyFinding, ...]
    batch_sizes_compared: int = 0
    batch_size_disagreements: int = 0

    def with_properties(self, more: Iterable[PropertyFinding]) -> Judgement:
        """The same with further findings after its own."""
        return replace(self, properties=(*self.properties, *more))


@dataclass(frozen=True)
class GroupResult:
    """What one property came to in one length group; ``note`` is worked out from it."""

    length_group: str
    verdict: PropertyVerdict
    checked: int
    violated: int


def group_findings(
    row: str,
    title: str,
    cell: Cell,
    frame: pd.DataFrame,
    checked: NDArray[np.bool_],
    violated: NDArray[np.bool_],
    note: Callable[[GroupResult], str],
) -> tuple[PropertyFinding, ...]:
    """One finding per length group of a judged frame.

    A group in which nothing was checked is *not shown*.

    Args:
        row: Row of the requirements.
        title: The property in a few plain words.
        cell: Where it was looked at.
        frame: Rows with the columns of ``SCHEMA`` and ``relation``, ``context_session``,
            ``context_step``.
        checked: Which rows say something about the property.
        violated: Which of them break it.
        note: Gives the remark for a group's result.
    """
    findings = []
    groups = frame["length_group"].to_numpy()
    for group in dict.fromkeys(groups):
        inside = groups == group
        count = int((inside & checked).sum())
        wrong = inside & checked & violated
        number = int(wrong.sum())
        verdict: PropertyVerdict = "violated" if number else ("holds" if count else "not_shown")
        result = GroupResult(str(group), verdict, count, number)
        rows = frame[wrong].sort_values("received_ns", kind="stable")
        findings.append(
            PropertyFinding(
                row=row,
                title=title,
                cell=cell.name,
                length_group=str(group),
                verdict=verdict,
                checked_count=count,
                violation_count=number,
                relations=dict(sorted(Counter(rows["relation"].dropna()).items())),
                violations=tuple(
                    _violation(item) for item in rows.head(VIOLATIONS_KEPT).to_dict("records")
                ),
                note=note(result),
            )
        )
    return tuple(findings)


def not_shown(
    row: str, title: str, cell: Cell, length_groups: Iterable[str], note: str
) -> tuple[PropertyFinding, ...]:
    """Findings for a property that the trial could not look at; ``note`` says what is missing."""
    return tuple(
        PropertyFinding(
            row=row,
            title=title,
            cell=cell.name,
            length_group=group,
            verdict="not_shown",
            checked_count=0,
            violation_count=0,
            note=note,
        )
        for group in dict.fromkeys(length_groups)
    )


def merge_properties(many: Iterable[PropertyFinding]) -> tuple[PropertyFinding, ...]:
    """Findings of one candidate's trials as one finding per property, cell and length group.

    One violated trial makes the property violated; else one that holds makes it hold. Counts add
    up, the first 100 violations are kept in the order given, notes are those of the trials whose
    verdict is the merged one.
    """
    by_key: dict[tuple[str, str, str, str], list[PropertyFinding]] = {}
    for finding in many:
        key = (finding.row, finding.title, finding.cell, finding.length_group)
        by_key.setdefault(key, []).append(finding)
    return tuple(_merged(same) for same in by_key.values())


def requests_frame(requests: pa.Table) -> pd.DataFrame:
    """A requests table as a data frame; whole numbers stay whole where values are missing."""
    return requests.cast(SCHEMA).to_pandas(types_mapper=_NULLABLE.get)


def judged_table(requests: pa.Table, frame: pd.DataFrame) -> pa.Table:
    """The requests table with the columns that oracles fill taken from a frame of its rows."""
    table = requests.cast(SCHEMA)
    for name in ("expected", "observed", "verdict", "instance"):
        index = SCHEMA.get_field_index(name)
        values = pa.array(frame[name], from_pandas=True)
        table = table.set_column(index, SCHEMA.field(name), values.cast(pa.string()))
    return table


_NULLABLE: Final = {pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype()}


def _merged(same: list[PropertyFinding]) -> PropertyFinding:
    verdicts = {finding.verdict for finding in same}
    verdict: PropertyVerdict = "not_shown"
    if "violated" in verdicts:
        verdict = "violated"
    elif "holds" in verdicts:
        verdict = "holds"
    relations: Counter[Relation] = Counter()
    for finding in same:
        relations.update(finding.relations)
    violations = [violation for finding in same for violation in finding.violations]
    notes = dict.fromkeys(f.note for f in same if f.verdict == verdict and f.note)
    return same[0].model_copy(
        update={
            "verdict": verdict,
            "checked_count": sum(finding.checked_count for finding in same),
            "violation_count": sum(finding.violation_count for finding in same),
            "relations": dict(sorted(relations.items())),
            "violations": tuple(violations[:VIOLATIONS_KEPT]),
            "note": " ".join(notes),
        }
    )


def _violation(item: dict[str, object]) -> Violation:
    session, step = item["context_session"], item["context_step"]
    known = not pd.isna(session)
    return Violation.model_validate(
        {
            "trial": int(str(item["trial"])),
            "repeat": int(str(item["repeat"])),
            "session": int(str(item["session"])),
            "step": int(str(item["step"])),
            "expected": item["expected"],
            "observed": item["observed"],
            "relation": None if pd.isna(item["relation"]) else item["relation"],
            "context_of": (
                ContextOf(session=int(str(session)), step=int(str(step))) if known else None
            ),
        }
    )
