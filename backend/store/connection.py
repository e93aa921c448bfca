"""Opening the database: which one, with which waits, and whether its schema is ours."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, func, insert, inspect, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from backend.contracts.errors import EnvironmentMissing, InputError
from backend.contracts.home import home
from backend.store.faults import told
from backend.store.schema import (
    POSTGRESQL_TRIGGERS,
    SCHEMA_VERSION,
    SQLITE_TRIGGERS,
    counters,
    meta,
    metadata,
)

WRITES: Final = "interleave_writes"
"""Execution option of a connection that will write: SQLite then locks before it reads."""

_SET_UP_LOCK: Final = 0x1A7E51EA
"""PostgreSQL advisory lock held while the tables are made; any fixed number of ours does."""


def store_url(url: str | None = None) -> URL:
    """Which database: ``url``, else ``$INTERLEAVE_STORE``, else the SQLite file in the home.

    Raises:
        InputError: if it is no URL, or names another kind of database.
    """
    chosen = url or os.environ.get("INTERLEAVE_STORE") or ""
    if not chosen:
        return URL.create("sqlite", database=str(home().ensure().store))
    hint = (
        "Use postgresql://USER:PASSWORD@HOST:PORT/DATABASE or sqlite:////absolute/path/store.db, "
        "or unset INTERLEAVE_STORE."
    )
    try:
        parsed = make_url(chosen)
    except (ArgumentError, ValueError) as error:
        # the text itself is not repeated: it may hold a password
        raise InputError("The store's address is not a database URL.", next_step=hint) from error
    kind = parsed.drivername.split("+")[0]
    if kind in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if kind == "sqlite" and parsed.database and parsed.database != ":memory:":
        return URL.create("sqlite", database=str(Path(parsed.database).expanduser().resolve()))
    raise InputError(
        f"The store cannot be a '{parsed.drivername}' database"
        + (" without a file." if kind == "sqlite" else "."),
        next_step=hint,
    )


def place_of(url: URL) -> str:
    """How messages call the store; never with its password."""
    if url.drivername == "sqlite":
        return str(url.database)
    return url.set(drivername="postgresql").render_as_string(hide_password=True)


def open_engine(url: URL, wait_s: float) -> Engine:
    """The engine of a database, its tables made or checked.

    Args:
        url: From ``store_url``.
        wait_s: How long to wait for another writer before giving up, in seconds.

    Raises:
        EnvironmentMissing: if it cannot be reached, read or written, or is of a newer schema.
        InputError: if the file holds something else.
    """
    engine = _sqlite(url, wait_s) if url.drivername == "sqlite" else _postgresql(url, wait_s)
    place = place_of(url)
    try:
        with told(place):
            if not _is_ours(engine, place):
                _set_up(engine)
                _is_ours(engine, place)
    except BaseException:
        engine.dispose()
        raise
    return engine


@contextmanager
def transaction(engine: Engine, *, writes: bool) -> Iterator[Connection]:
    """One transaction: committed at the end, rolled back on an error."""
    with engine.connect().execution_options(**{WRITES: writes}) as connection, connection.begin():
        yield connection


def _sqlite(url: URL, wait_s: float) -> Engine:
    folder = Path(str(url.database)).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentMissing(
            f"The folder of the store, {folder}, cannot be made.",
            why=str(error),
            next_step="Choose a folder that you can write: INTERLEAVE_HOME or INTERLEAVE_STORE.",
        ) from error
    engine = create_engine(url, connect_args={"timeout": wait_s})

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
        # transactions begin where we say, not where the driver guesses
        connection.isolation_level = None
        try:
            # readers and one writer at the same time; the mode stays with the file
            connection.execute("PRAGMA journal_mode = WAL").close()
        except sqlite3.OperationalError as error:
            # somebody is writing or switching the mode just now: it is, or will be, set
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # a transaction that reads first and locks later could fail in the middle
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgresql(url: URL, wait_s: float) -> Engine:
    return create_engine(
        url,
        # connections that the server has closed in the meantime are replaced, not failed on
        pool_pre_ping=True,
        connect_args={
            "connect_timeout": max(1, round(wait_s)),
            "options": f"-c lock_timeout={max(1, round(wait_s * 1000))}",
        },
    )


def _is_ours(engine: Engine, place: str) -> bool:
    """Whether the tables are there; refuses a newer schema and, in a file, foreign tables."""
    with transaction(engine, writes=False) as connection:
        names = set(inspect(connection).get_table_names())
        if meta.name not in names:
            if names and engine.dialect.name == "sqlite":
                raise InputError(
                    f"{place} is a database, but not Interleave's.",
                    why=f"It holds {', '.join(sorted(names)[:5])}.",
                    next_step="Name another file in INTERLEAVE_STORE.",
                )
            return False
        found = connection.execute(
            select(meta.c.value).where(meta.c.key == "schema_version")
        ).scalar_one_or_none()
    if found is None or not found.isdigit() or int(found) > SCHEMA_VERSION:
        raise EnvironmentMissing(
            f"The store {place} was made by a newer Interleave.",
            why=f"Its schema is {found or 'not named'}; this version knows up to {SCHEMA_VERSION}.",
            next_step="Update Interleave, or set INTERLEAVE_HOME to another folder.",
        )
    return True


def _set_up(engine: Engine) -> None:
    """Make the tables, once, however many processes start at the same time."""
    with transaction(engine, writes=True) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(_SET_UP_LOCK)))
        if inspect(connection).has_table(meta.name):
            return
        metadata.create_all(connection)
        triggers = SQLITE_TRIGGERS if engine.dialect.name == "sqlite" else POSTGRESQL_TRIGGERS
        for statement in triggers:
            connection.execute(text(statement))
        connection.execute(insert(meta).values(key="schema_version", value=str(SCHEMA_VERSION)))
        connection.execute(insert(counters).values(name="record", last=0))
