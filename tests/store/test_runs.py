"""The index of runs, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from backend.contracts.errors import InputError, StoreConflict
from backend.store.entries import RunEntry
from backend.store.store import Store

START = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)


def entry(name: str, minutes: int = 0, **changes: object) -> RunEntry:
    values = {
        "id": name,
        "study": "captions",
        "path": f"/runs/{name}",
        "status": "running",
        "started_at": START + timedelta(minutes=minutes),
    }
    return RunEntry.model_validate({**values, **changes})


def test_a_run_from_start_to_end(store: Store) -> None:
    store.register_run(entry("a"))
    done = store.update_run(
        "a", status="complete", verdict="pass", finished_at=START + timedelta(seconds=90)
    )
    assert store.get_run("a") == done
    assert (done.status, done.verdict) == ("complete", "pass")
    assert done.finished_at == START + timedelta(seconds=90)
    assert done.started_at == START


def test_the_latest_run_comes_first(store: Store) -> None:
    for name, minutes in (("a", 5), ("b", 20), ("c", 10)):
        store.register_run(entry(name, minutes, study="files" if name == "c" else "captions"))
    # the same moment, told in another time zone, sorts by the moment
    east = datetime(2026, 12, 1, 23, 0, tzinfo=UTC).astimezone()
    store.register_run(entry("d", started_at=east))
    assert [run.id for run in store.list_runs()] == ["d", "b", "c", "a"]
    assert [run.id for run in store.list_runs(limit=2)] == ["d", "b"]
    assert [run.id for run in store.list_runs(study="files")] == ["c"]


def test_registering_again_updates_and_another_folder_is_refused(store: Store) -> None:
    store.register_run(entry("a"))
    store.register_run(entry("a", status="interrupted"))
    assert store.get_run("a").status == "interrupted"
    with pytest.raises(StoreConflict, match="another run called 'a': /runs/a"):
        store.register_run(entry("a", path="/elsewhere/a"))


def test_unknown_runs_are_explained(store: Store) -> None:
    for act in (store.get_run, store.forget_run, lambda run: store.update_run(run, status="x")):
        with pytest.raises(InputError, match="no run 'nope'"):
            act("nope")


def test_forgetting_a_run(store: Store) -> None:
    store.register_run(entry("a"))
    store.forget_run("a")
    assert store.list_runs() == ()
