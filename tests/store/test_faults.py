"""Every way a store can be out of order is told in words, with what to do."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy

from backend.contracts.errors import EnvironmentMissing, InputError, StoreConflict
from backend.contracts.exit_codes import ExitCode
from backend.records.record import DecisionRecord
from backend.store.connection import open_engine, store_url
from backend.store.store import Store

Draft = Callable[..., DecisionRecord]


def test_the_default_is_a_file_in_the_home(
    interleave_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with Store() as store:
        assert store.place == str(interleave_home / "store.db")
        assert (interleave_home / "store.db").exists()
    monkeypatch.setenv("INTERLEAVE_STORE", f"sqlite:///{tmp_path}/deep/er/other.db")
    with Store() as store:
        assert store.place == f"{tmp_path}/deep/er/other.db"


@pytest.mark.parametrize(
    "url", ["no url", "mysql://u:secret@h/db", "sqlite://", "sqlite:///:memory:", "://"]
)
def test_other_addresses_are_refused_without_repeating_a_password(url: str) -> None:
    with pytest.raises(InputError) as caught:
        Store(url)
    assert "INTERLEAVE_STORE" in caught.value.next_step
    assert "secret" not in str(caught.value)


def test_a_newer_schema_is_refused(url: str) -> None:
    Store(url).close()
    engine = open_engine(store_url(url), 5)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("UPDATE interleave_meta SET value = '2'"))
    engine.dispose()
    with pytest.raises(EnvironmentMissing, match="made by a newer Interleave") as caught:
        Store(url)
    assert "Its schema is 2; this version knows up to 1" in caught.value.why
    assert caught.value.exit_code is ExitCode.NO_VERDICT


def test_a_newer_record_is_refused(url: str, draft: Draft) -> None:
    with Store(url) as store:
        store.add_record(draft())
        content = draft().model_dump_json(exclude={"number", "status", "history", "superseded_by"})
        content = content.replace('"schema_version":1', '"schema_version":2')
        digest = hashlib.sha256(content.encode()).hexdigest()
        engine = open_engine(store_url(url), 5)
        with engine.begin() as connection:
            connection.execute(
                sqlalchemy.text("UPDATE interleave_records SET content = :c, content_sha256 = :d"),
                {"c": content, "d": digest},
            )
        engine.dispose()
        with pytest.raises(EnvironmentMissing, match="Record 1 was written by a newer"):
            store.get_record(1)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_text("these are notes, not a database; " * 100)
    with pytest.raises(EnvironmentMissing, match=r"store\.db is not a SQLite file") as caught:
        Store(f"sqlite:///{path}")
    assert "Move the file away" in caught.value.next_step
    assert path.read_text().startswith("these are notes")


def test_a_database_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE albums (name TEXT)")
    connection.close()
    with pytest.raises(InputError, match="not Interleave's") as caught:
        Store(f"sqlite:///{path}")
    assert "albums" in caught.value.why


def test_a_damaged_file(tmp_path: Path, draft: Draft) -> None:
    path = tmp_path / "store.db"
    with Store(f"sqlite:///{path}") as store:
        for _ in range(20):
            store.add_record(draft())
    content = bytearray(path.read_bytes())
    # leave the first page (header, schema) and ruin the rest
    content[4096:] = b"\x5a" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(EnvironmentMissing, match="is damaged"), Store(f"sqlite:///{path}") as store:
        store.list_records()


def test_a_locked_file(tmp_path: Path, draft: Draft) -> None:
    path = tmp_path / "store.db"
    with Store(f"sqlite:///{path}", wait_s=0.1) as store:
        store.add_record(draft())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(EnvironmentMissing, match="is locked: another process"):
            store.add_record(draft())
        # reading goes on beside a writer
        assert len(store.list_records()) == 1
        other.execute("ROLLBACK")
        other.close()
        assert store.add_record(draft()).number == 2


def test_a_full_disk(tmp_path: Path, draft: Draft) -> None:
    """A limit on the size of files stands for the full disk; what was kept before stays."""
    path, record = tmp_path / "store.db", tmp_path / "record.json"
    record.write_text(draft().model_dump_json())
    program = f"""
import resource, signal
from pathlib import Path
from backend.contracts.errors import EnvironmentMissing
from backend.records.record import DecisionRecord
from backend.store.store import Store
record = DecisionRecord.model_validate_json(Path({str(record)!r}).read_text())
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Store("sqlite:///{path}") as store:
    kept = 0
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
    try:
        for _ in range(500):
            store.add_record(record)
            kept += 1
    except EnvironmentMissing as error:
        print(kept, error.what, error.next_step)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    kept, _, message = done.stdout.partition(" ")
    assert "cannot be read or written" in message or "disk is full" in message
    assert "disk" in message
    with Store(f"sqlite:///{path}") as store:
        assert len(store.list_records()) == int(kept) > 0
        # the number of the failed write is given again: no gap
        assert store.add_record(draft()).number == int(kept) + 1


@pytest.mark.parametrize("path", ["/proc/store.db", "/proc/interleave/store.db"])
def test_a_folder_that_nobody_can_write(path: str) -> None:
    with pytest.raises(EnvironmentMissing, match="cannot be") as caught:
        Store(f"sqlite:///{path}")
    assert "INTERLEAVE_HOME" in caught.value.next_step


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "store.db").mkdir()
    with pytest.raises(EnvironmentMissing, match="cannot be opened"):
        Store(f"sqlite:///{tmp_path}/store.db")
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentMissing, match="cannot be made"):
        Store(f"sqlite:///{tmp_path}/file/store.db")


def test_the_guard_of_the_database_is_a_conflict(url: str, draft: Draft) -> None:
    """Even if our own check were passed by, the user reads of a conflict."""
    from backend.store.faults import told

    with Store(url) as store:
        store.add_record(draft())
        store.accept_record(1, "Ben", 1)
        engine = open_engine(store_url(url), 5)
        with (
            pytest.raises(StoreConflict, match="a decided record does not change"),
            told(store.place),
            engine.begin() as connection,
        ):
            connection.execute(sqlalchemy.text("DELETE FROM interleave_records"))
        engine.dispose()


@pytest.mark.postgres
class TestPostgresql:
    def test_a_wrong_password(self, cluster: Any) -> None:
        with pytest.raises(EnvironmentMissing) as caught:
            Store(cluster.url("postgres", password="wrong-one"))
        assert "wrong-one" not in str(caught.value)
        assert cluster.password not in str(caught.value)
        assert "interleave:***@127.0.0.1" in caught.value.what

    def test_a_missing_database(self, cluster: Any) -> None:
        with pytest.raises(EnvironmentMissing) as caught:
            Store(cluster.url("no_such_database"))
        assert "no_such_database" in str(caught.value)

    def test_nobody_at_the_address(self, cluster: Any) -> None:
        url = cluster.url("postgres").replace(str(cluster.port), "1")
        with pytest.raises(EnvironmentMissing, match="cannot be reached") as caught:
            Store(url)
        assert "INTERLEAVE_STORE" in caught.value.next_step

    def test_a_lock_held_by_somebody_else(self, cluster: Any, draft: Draft) -> None:
        with cluster.connect() as connection:
            connection.execute("CREATE DATABASE locked")
        with Store(cluster.url("locked"), wait_s=1) as store:
            store.add_record(draft())
            with cluster.connect("locked") as other, other.transaction():
                other.execute("LOCK TABLE interleave_records IN ACCESS EXCLUSIVE MODE")
                with pytest.raises(EnvironmentMissing, match="is locked"):
                    store.add_record(draft())
            assert store.add_record(draft()).number == 2

    def test_connections_that_the_server_closed_are_replaced(
        self, cluster: Any, draft: Draft
    ) -> None:
        with cluster.connect() as connection:
            connection.execute("CREATE DATABASE restarted")
        with Store(cluster.url("restarted")) as store:
            store.add_record(draft())
            with cluster.connect() as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = 'restarted'"
                )
            assert store.get_record(1).number == 1

    def test_a_user_without_rights(self, cluster: Any) -> None:
        with cluster.connect() as connection:
            connection.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
            connection.execute("CREATE DATABASE guarded")
        url = f"postgresql://guest:guest@127.0.0.1:{cluster.port}/guarded"
        with pytest.raises(EnvironmentMissing, match="lacks a right"):
            Store(url)
