"""What a database's error means for the user, told from its code, never from its text."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy.exc import DBAPIError, OperationalError

from backend.contracts.errors import EnvironmentMissing, InterleaveError, StoreConflict

_COPY: Final = (
    "Move the file away and start again (runs stay in their folders), or put a copy of it back."
)

_SQLITE: Final[dict[int, tuple[str, str]]] = {
    sqlite3.SQLITE_NOTADB: ("is not a SQLite file", _COPY),
    sqlite3.SQLITE_CORRUPT: ("is damaged", _COPY),
    sqlite3.SQLITE_BUSY: (
        "is locked: another process has been writing to it for too long",
        "Wait for that process, or end it, and try again.",
    ),
    sqlite3.SQLITE_LOCKED: (
        "is locked by another part of this process",
        "Try again.",
    ),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", "Free the disk and try again."),
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written",
        "Check the disk: is it full, or failing? Then try again.",
    ),
    sqlite3.SQLITE_READONLY: (
        "cannot be written: it, or its folder, is read-only",
        "Make it writable, or set INTERLEAVE_HOME to a folder that you can write.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened",
        "Check that its folder exists and can be written, or set INTERLEAVE_HOME to another.",
    ),
    sqlite3.SQLITE_PERM: (
        "may not be opened by this user",
        "Change its owner or rights, or set INTERLEAVE_HOME to another folder.",
    ),
}

_UNREACHED: Final = (
    "cannot be reached, or refused the connection",
    "Check address, user, password and database in INTERLEAVE_STORE, and that PostgreSQL runs.",
)
_POSTGRESQL: Final[dict[str, tuple[str, str]]] = {
    "08": _UNREACHED,
    # by class of SQLSTATE (its first two characters), see "PostgreSQL Error Codes"
    "28": ("refused the user or the password", "Check user and password in INTERLEAVE_STORE."),
    "3D": ("has no such database", "Create the database, or correct INTERLEAVE_STORE."),
    "42": (
        "refused a statement: this user lacks a right, or the tables are not Interleave's",
        "Let a user who may create tables in this database open the console once.",
    ),
    "53": (
        "has run out of disk, memory or connections",
        "Free what is missing on the database's machine and try again.",
    ),
    "55": (
        "is locked: another session has been writing for too long",
        "Wait for that session, or end it, and try again.",
    ),
    "57": ("is shutting down or has cancelled the statement", "Try again when it is up."),
    "25": (
        "cannot be written: it is read-only",
        "Use the primary server, not a replica, in INTERLEAVE_STORE.",
    ),
    "58": ("cannot be read or written: a fault of its disk", "Check the database's machine."),
    "XX": ("is damaged", "Restore the database from a backup."),
}

_SQLITE_GUARD: Final = sqlite3.SQLITE_CONSTRAINT_TRIGGER
_POSTGRESQL_GUARD: Final = "23514"


@contextmanager
def told(place: str) -> Iterator[None]:
    """Turn a database's errors into those that a user is meant to read.

    Args:
        place: How messages call the store: a path, or a URL without its password.

    Raises:
        EnvironmentMissing: if the store cannot be reached, read or written.
        StoreConflict: if a trigger refused a change.
    """
    try:
        yield
    except DBAPIError as error:
        fault = _fault(error, place)
        if fault is None:
            raise
        raise fault from error


def _fault(error: DBAPIError, place: str) -> InterleaveError | None:
    """The user's error, or null: a fault of our own statements, which is to be seen as one."""
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", None)
        if code == _SQLITE_GUARD:
            return _refused()
        # the low byte is the primary code, the rest says where it arose
        known = _SQLITE.get(code & 0xFF) if code is not None else None
        return _missing(place, known, str(cause)) if known else None
    state = getattr(cause, "sqlstate", None)
    if state == _POSTGRESQL_GUARD:
        return _refused()
    why = " ".join(str(cause).split())
    if state is None:
        # the connection failed or broke; psycopg has the server's refusal as text only
        known = _UNREACHED if isinstance(error, OperationalError) else None
    else:
        known = _POSTGRESQL.get(state[:2])
    return _missing(place, known, why) if known else None


def _missing(place: str, known: tuple[str, str], why: str) -> EnvironmentMissing:
    return EnvironmentMissing(f"The store {place} {known[0]}.", why=why, next_step=known[1])


def _refused() -> StoreConflict:
    return StoreConflict(
        "The store refused the change: a decided record does not change.",
        next_step="Write a new record that replaces it.",
    )
