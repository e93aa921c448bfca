"""A real PostgreSQL of the tests' own, and stores on it and on SQLite."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from backend.contracts.run_directory import RunDirectory
from backend.records.drafting import new_record
from backend.records.record import DecisionRecord
from backend.records.run_evidence import read_evidence
from backend.store.store import Store

PASSWORD = "only-for-tests"


@dataclass(frozen=True)
class Cluster:
    """A running PostgreSQL on loopback."""

    port: int
    password: str = PASSWORD

    def url(self, database: str, password: str = PASSWORD) -> str:
        return f"postgresql://interleave:{password}@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str = "postgres") -> psycopg.Connection[Any]:
        return psycopg.connect(self.url(database), connect_timeout=5, autocommit=True)


def _programs() -> Path | None:
    """The folder of initdb and postgres: on PATH, or where Debian keeps it."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((f for f in folders if (f / "initdb").exists() and (f / "postgres").exists()), None)


def _as_ordinary_user() -> tuple[list[str], pwd.struct_passwd]:
    """How to start PostgreSQL: never as root, and it ends when the tests' process does."""
    user = pwd.getpwuid(os.getuid())
    command = ["setpriv", "--pdeathsig", "INT"]
    if user.pw_uid == 0:
        names = {entry.pw_name for entry in pwd.getpwall()}
        user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
        command += [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    return command, user


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    programs = _programs()
    if programs is None or shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL is not installed (Debian, Ubuntu: apt-get install postgresql)")
    start, user = _as_ordinary_user()
    folder = Path(tempfile.mkdtemp(prefix="interleave-postgresql-"))
    password, log = folder / "password", folder / "log"
    password.write_text(PASSWORD)
    for path in (folder, password):
        os.chown(path, user.pw_uid, user.pw_gid)
    data, port = folder / "data", _free_port()
    subprocess.run(
        [*start, programs / "initdb", "-D", data, "-U", "interleave", "-E", "UTF8", "--no-locale",
         "--no-sync", "--auth=scram-sha-256", f"--pwfile={password}"],
        check=True, capture_output=True, timeout=120, cwd=folder,
    )  # fmt: skip
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": "",
        "fsync": "off",
        "max_connections": 60,
    }
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*start, programs / "postgres", "-D", data, *options],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder,
        )  # fmt: skip
    try:
        running = Cluster(port)
        deadline = time.monotonic() + 60
        while True:
            try:
                running.connect().close()
                break
            except psycopg.OperationalError:
                if server.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"PostgreSQL did not start:\n{log.read_text()}")
                time.sleep(0.1)
        yield running
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    running: Cluster = request.getfixturevalue("cluster")
    name = f"test_{time.monotonic_ns()}"
    with running.connect() as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
    return running.url(name)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store(url) as opened:
        yield opened


@pytest.fixture
def draft(captions_run: Path) -> Callable[..., DecisionRecord]:
    evidence = read_evidence(RunDirectory(captions_run))

    def make(chosen: str = "sequence-oldest", **changes: Any) -> DecisionRecord:
        values: dict[str, Any] = {
            "author": "Ann",
            "why": "It keeps sessions apart.",
            "at": datetime(2026, 12, 1, 10, 0, tzinfo=UTC),
        }
        return new_record(evidence, chosen, **{**values, **changes})

    return make
