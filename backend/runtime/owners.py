"""Who owns which server, workspace and shared memory: one file per live worker in ``owners/``.

A record whose worker is dead marks what it left behind. A live worker's things are never touched.
"""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from backend.contracts.errors import EnvironmentMissing
from backend.contracts.home import Home
from backend.contracts.process_identity import identity, is_alive
from backend.contracts.run_directory import write_json
from backend.contracts.values import Value
from backend.runtime.embedded import EmbeddedServer, new_shm_prefix
from backend.runtime.machine import boot_id, machine_name, pid_namespace

ID_FORM: Final = re.compile(r"[0-9a-f]{12}")


class Owner(Value):
    """One worker and what belongs to it; processes as ``contracts.process_identity`` names them."""

    id: str
    machine: str
    pid_namespace: str
    worker: str
    server: str | None = None
    ports: tuple[int, ...] = ()
    workspace: Path
    shm_prefix: str
    run_dir: Path | None = None


def new_id() -> str:
    """An id for a worker: 12 hexadecimal digits, part of its workspace's and memory's names."""
    return secrets.token_hex(6)


def workspace_of(home: Home, owner_id: str) -> Path:
    """The workspace that belongs to an owner."""
    return home.work / owner_id


def register(home: Home, *, run_dir: Path | None = None, owner_id: str | None = None) -> Owner:
    """Write down that this process owns a workspace and a prefix, before it makes anything.

    Raises:
        EnvironmentMissing: if the record cannot be written.
    """
    home.ensure()
    own_id = owner_id or new_id()
    owner = Owner(
        id=own_id,
        machine=machine_name(),
        pid_namespace=pid_namespace(),
        worker=identity() or f"{boot_id()}:{os.getpid()}:0",
        workspace=workspace_of(home, own_id),
        shm_prefix=new_shm_prefix(own_id),
        run_dir=run_dir.absolute() if run_dir is not None else None,
    )
    _write(home, owner)
    return owner


def update(home: Home, owner: Owner, server: EmbeddedServer) -> Owner:
    """Write down the server's process and ports; returns the new record.

    Raises:
        EnvironmentMissing: if the record cannot be written.
    """
    updated = owner.model_copy(update={"server": server.process, "ports": server.ports})
    _write(home, updated)
    return updated


def release(home: Home, owner: Owner) -> None:
    """Remove the record, once nothing of it is left."""
    owner_file(home, owner.id).unlink(missing_ok=True)


def owner_file(home: Home, owner_id: str) -> Path:
    """The file of a record."""
    return home.owners / f"{owner_id}.json"


def list_owners(home: Home) -> tuple[Owner, ...]:
    """All records that can be read, by id."""
    return tuple(owner for _, owner in _read_all(home) if owner is not None)


def unreadable_records(home: Home) -> tuple[Path, ...]:
    """Files in ``owners/`` that are no record of this version; what they own is not touched."""
    return tuple(path for path, owner in _read_all(home) if owner is None)


def is_leftover(owner: Owner) -> bool:
    """Whether its worker is dead for sure.

    A worker on another machine, or in another container that shares the home folder, cannot be seen
    from here: its things are not leftovers.
    """
    boot = boot_id()
    if not boot or owner.machine != machine_name() or is_alive(owner.worker):
        return False
    booted_since = owner.worker.partition(":")[0] != boot
    return booted_since or owner.pid_namespace == pid_namespace()


def _read_all(home: Home) -> list[tuple[Path, Owner | None]]:
    found: list[tuple[Path, Owner | None]] = []
    if not home.owners.is_dir():
        return found
    for path in sorted(home.owners.glob("*.json")):
        try:
            owner = Owner.model_validate_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            # released in the meantime
            continue
        except (ValidationError, UnicodeDecodeError, PermissionError):
            found.append((path, None))
            continue
        sound = ID_FORM.fullmatch(owner.id) is not None and path.stem == owner.id
        found.append((path, owner if sound else None))
    return found


def _write(home: Home, owner: Owner) -> None:
    path = owner_file(home, owner.id)
    try:
        write_json(path, owner.model_dump_json(indent=1))
    except OSError as error:
        raise EnvironmentMissing(
            f"The record {path} cannot be written.",
            why=str(error),
            next_step="Free the disk, or set INTERLEAVE_HOME to a folder that you can write.",
        ) from error
