"""One open database: its transactions and its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self

from sqlalchemy import Connection

from backend.store.connection import open_engine, place_of, store_url, transaction
from backend.store.faults import told

WAIT_S: Final = 15.0
"""How long a writer waits for another one."""


class Database:
    """Opens on construction; a context manager, or to be closed."""

    def __init__(self, url: str | None = None, *, wait_s: float = WAIT_S) -> None:
        """Open the store, and make it where there is none yet.

        Args:
            url: ``postgresql://…`` or ``sqlite:///…``; left out: ``$INTERLEAVE_STORE``, or else
                the SQLite file in the home.
            wait_s: How long to wait for another writer, in seconds.

        Raises:
            InputError: if the URL is none, or the file holds something else.
            EnvironmentMissing: if it cannot be reached, read or written, or is of a newer schema.
        """
        chosen = store_url(url)
        self.place = place_of(chosen)
        """How messages call it: a path, or a URL without its password."""
        self._engine = open_engine(chosen, wait_s)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _transaction(self, *, writes: bool) -> Iterator[Connection]:
        with told(self.place), transaction(self._engine, writes=writes) as connection:
            yield connection
