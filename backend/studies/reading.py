"""Reads the files of a run directory; a damaged or missing one is named, never a crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from backend.contracts.errors import InputError
from backend.sessions.plan import Plan


def read_table(path: Path) -> pa.Table:
    """A parquet table of a run.

    Raises:
        InputError: if it is missing or damaged.
    """
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise damaged(path, error) from error


def read_plan(path: Path) -> Plan:
    """A plan of a run.

    Raises:
        InputError: if it is missing or damaged.
    """
    try:
        return Plan.read(path)
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise damaged(path, error) from error


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a run.

    Raises:
        InputError: if it is missing or damaged.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise damaged(path, error) from error
    if not isinstance(value, dict):
        raise damaged(path, ValueError("it holds no JSON object"))
    return value


def damaged(path: Path, error: Exception) -> InputError:
    """The error for a file of a run directory that does not read."""
    return InputError(
        f"The run directory is damaged: {path} does not read.",
        why=f"{type(error).__name__}: {error}",
        next_step="Restore the file from a copy, or run the study again.",
    )
