"""The index of runs: where each one lies, how it stands, what its verdict was."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from backend.contracts.errors import InputError, StoreConflict
from backend.store.database import Database
from backend.store.entries import RunEntry
from backend.store.rows import run_of, run_row
from backend.store.schema import runs


class RunIndex(Database):
    """Runs by name."""

    def register_run(self, run: RunEntry) -> RunEntry:
        """Put a run into the index; again with the same directory updates it.

        Raises:
            StoreConflict: if another directory has a run of that name.
        """
        with self._transaction(writes=True) as connection:
            there = connection.execute(select(runs.c.path).where(runs.c.id == run.id)).scalar()
            if there is None:
                connection.execute(insert(runs).values(run_row(run)))
            elif there == run.path:
                connection.execute(update(runs).where(runs.c.id == run.id).values(run_row(run)))
            else:
                raise StoreConflict(
                    f"The index has another run called '{run.id}': {there}.",
                    next_step="Rename one of the two folders.",
                )
        return run

    def update_run(
        self,
        run_id: str,
        *,
        status: str,
        verdict: str | None = None,
        finished_at: datetime | None = None,
    ) -> RunEntry:
        """Note a run's new status, and at its end its verdict.

        Raises:
            InputError: if the index has no such run.
        """
        with self._transaction(writes=True) as connection:
            old = self._run(connection, run_id)
            new = old.model_copy(
                update={
                    "status": status,
                    "verdict": verdict if verdict is not None else old.verdict,
                    "finished_at": finished_at if finished_at is not None else old.finished_at,
                }
            )
            connection.execute(update(runs).where(runs.c.id == run_id).values(run_row(new)))
        return new

    def get_run(self, run_id: str) -> RunEntry:
        """One run of the index.

        Raises:
            InputError: if there is none of that name.
        """
        with self._transaction(writes=False) as connection:
            return self._run(connection, run_id)

    def list_runs(
        self, *, study: str | None = None, limit: int | None = None
    ) -> tuple[RunEntry, ...]:
        """Runs of the index, the latest first."""
        wanted = select(runs).order_by(runs.c.started_at.desc(), runs.c.id).limit(limit)
        if study is not None:
            wanted = wanted.where(runs.c.study == study)
        with self._transaction(writes=False) as connection:
            return tuple(run_of(row) for row in connection.execute(wanted).mappings())

    def forget_run(self, run_id: str) -> None:
        """Take a run out of the index; its directory stays.

        Raises:
            InputError: if there is none of that name.
        """
        with self._transaction(writes=True) as connection:
            self._run(connection, run_id)
            connection.execute(delete(runs).where(runs.c.id == run_id))

    def _run(self, connection: Connection, run_id: str) -> RunEntry:
        row = connection.execute(select(runs).where(runs.c.id == run_id)).mappings().one_or_none()
        if row is None:
            raise InputError(
                f"The index has no run '{run_id}'.",
                next_step="Choose one of the list of runs.",
            )
        return run_of(row)
