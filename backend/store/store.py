"""The store that pages and commands open: runs and records in one database."""

from __future__ import annotations

from backend.store.record_index import RecordIndex
from backend.store.run_index import RunIndex


class Store(RunIndex, RecordIndex):
    """One open store; safe to use from several threads, and beside other processes."""
