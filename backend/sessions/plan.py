"""A plan: every request of one class and cell, before anything is sent. Candidate-free.

One seed gives the same requests, ids, flags and gaps; the order in which a closed loop realises
them depends on the server and is recorded in the requests table.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

PLAN_SCHEMA: Final[pa.Schema] = pa.schema(
    [
        pa.field("request_id", pa.string(), nullable=False),
        pa.field("session", pa.int32(), nullable=False),
        pa.field("step", pa.int32(), nullable=False),
        pa.field("session_length", pa.int32(), nullable=False),
        pa.field("length_group", pa.string(), nullable=False),
        # null where the class sends no correlation ID (independent requests)
        pa.field("correlation_id", pa.string()),
        pa.field("correlation_id_type", pa.string()),
        pa.field("is_start", pa.bool_(), nullable=False),
        pa.field("is_end", pa.bool_(), nullable=False),
        # wait between the session's previous reply (step 0: the lane's release) and this send
        pa.field("gap_ns", pa.int64(), nullable=False),
        # open loop: time from the trial's start; null in a closed loop
        pa.field("scheduled_ns", pa.int64()),
        # where the bytes come from: a sample of the template and the row in it; null if generated
        pa.field("sample", pa.string()),
        pa.field("sample_row", pa.int32()),
        # the tensor's bytes where generated; null if they are the sample's
        pa.field("input", pa.binary()),
        # lock-step: the request_id whose reply must have arrived; null otherwise
        pa.field("after", pa.string()),
    ],
    metadata={"interleave_plan_schema": "1"},
)


@dataclass(frozen=True)
class Plan:
    """The requests of one class in one cell, ordered by session, then step.

    Attributes:
        request_type: Name of the class.
        cell: Name of the cell.
        concurrency: Sessions that are live at once; the next one starts when one has ended.
        seed: The study's seed.
        table: Rows of ``PLAN_SCHEMA``.
    """

    request_type: str
    cell: str
    concurrency: int
    seed: int
    table: pa.Table

    @property
    def file_name(self) -> str:
        """Name in the run directory's ``plans/``."""
        return f"{self.request_type}-{self.cell}.parquet"

    def digest(self) -> str:
        """SHA-256 over every planned byte, id, flag and gap."""
        digest = hashlib.sha256()
        for batch in self.table.cast(PLAN_SCHEMA).to_batches():
            for row in batch.to_pylist():
                digest.update(repr(sorted(row.items())).encode())
        return digest.hexdigest()

    def write(self, folder: Path) -> Path:
        """Write the plan into a folder; returns the file."""
        path = folder / self.file_name
        metadata = {
            **(PLAN_SCHEMA.metadata or {}),
            b"request_type": self.request_type.encode(),
            b"cell": self.cell.encode(),
            b"concurrency": str(self.concurrency).encode(),
            b"seed": str(self.seed).encode(),
        }
        pq.write_table(self.table.replace_schema_metadata(metadata), path)
        return path

    @staticmethod
    def read(path: Path) -> Plan:
        """Read a plan back."""
        table = pq.read_table(path)
        metadata = table.schema.metadata or {}
        return Plan(
            request_type=metadata[b"request_type"].decode(),
            cell=metadata[b"cell"].decode(),
            concurrency=int(metadata[b"concurrency"]),
            seed=int(metadata[b"seed"]),
            table=table.replace_schema_metadata(PLAN_SCHEMA.metadata),
        )
