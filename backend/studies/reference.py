"""The isolated replay: each session alone, on one freshly loaded instance without batching.

Its replies are what a session gets when nobody else is there. Inputs do not depend on the number
of instances, so cells that differ only in that share a reference; request ids join them.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from backend.contracts.run_directory import RunDirectory
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.propose import propose_candidate
from backend.sessions.judging import needs_reference
from backend.studies.preparation import PreparedClass
from backend.studies.reading import read_table
from backend.workload.study import CandidateChoice, Cell


def reference_name(request_type: str, cell: Cell) -> str:
    """File name without ending: cells with the same requests have the same one."""
    return f"{request_type}-concurrency={cell.concurrency},mix={cell.mix}"


def reference_file(
    run: RunDirectory, request_type: str, cell: Cell, *, again: bool = False
) -> Path:
    """Where the replies of the isolated replay are; ``again`` for the second one."""
    suffix = "-again" if again else ""
    return run.reference / f"{reference_name(request_type, cell)}{suffix}.parquet"


def read_reference(
    run: RunDirectory, request_type: str, cell: Cell, *, again: bool = False
) -> pa.Table | None:
    """The replies of the isolated replay; null where there is none."""
    path = reference_file(run, request_type, cell, again=again)
    return read_table(path) if path.exists() else None


def reference_cells(prepared: PreparedClass) -> tuple[Cell, ...]:
    """The cells to replay for a class: one per set of requests; none if it needs no reference."""
    if not needs_reference(prepared.template, prepared.item.workload.answers):
        return ()
    first: dict[str, Cell] = {}
    for cell in prepared.cells:
        first.setdefault(reference_name(prepared.item.name, cell), cell)
    return tuple(first.values())


def reference_candidate(prepared: PreparedClass) -> Candidate:
    """How the model is served for the replay: one instance, one request per execution."""
    return propose_candidate(
        prepared.item, CandidateChoice(name="no-batching"), 1, 1, prepared.template
    )
