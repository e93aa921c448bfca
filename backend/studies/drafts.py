"""Studies that pages are editing: saved on every change, named in the link, never lost unseen.

A draft is a file; its version is a digest of its text. Whoever saves says which version was read:
a stale write is refused, so that two browsers on one link lose nothing silently.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from backend.contracts.errors import EnvironmentMissing, InputError, StoreConflict
from backend.contracts.home import Home
from backend.workload.study import Study
from backend.workload.study_file import study_from_text, study_to_yaml

_ID = re.compile(r"^[a-z0-9][a-z0-9-]{0,63}$")


@dataclass(frozen=True)
class Draft:
    """A study being edited, as it was read."""

    id: str
    version: str
    study: Study


def _path(home: Home, draft_id: str) -> Path:
    if not _ID.fullmatch(draft_id):
        raise InputError(
            f"'{draft_id}' is not the id of a draft.",
            next_step="Open the draft by its link, or begin a new one on the start page.",
        )
    return home.drafts / f"{draft_id}.yaml"


@contextmanager
def _one_writer(home: Home) -> Iterator[None]:
    """Between reading a draft's version and replacing it nobody else may write."""
    home.ensure()
    with (home.drafts / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _version(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise EnvironmentMissing(
            f"The draft could not be saved in {path.parent}.",
            why=str(error),
            next_step="Free the disk, then change the answer again: the page still holds it.",
        ) from error


def create_draft(home: Home, study: Study) -> Draft:
    """Save a new draft under a new id made of the study's name."""
    home.ensure()
    draft_id = f"{study.name[:40].rstrip('-')}-{secrets.token_hex(3)}"
    text = study_to_yaml(study)
    _write(_path(home, draft_id), text)
    return Draft(id=draft_id, version=_version(text), study=study)


def load_draft(home: Home, draft_id: str) -> Draft:
    """Read a draft.

    Raises:
        InputError: if there is none of that id, or its file no longer reads as a study.
    """
    path = _path(home, draft_id)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(
            f"There is no draft '{draft_id}' here.",
            next_step="It may live on another machine; begin a new study on the start page.",
        ) from error
    return Draft(id=draft_id, version=_version(text), study=study_from_text(text, file=str(path)))


def save_draft(home: Home, draft: Draft, study: Study) -> Draft:
    """Save a changed study over the version that was read.

    Raises:
        StoreConflict: if somebody saved the draft in between.
    """
    path = _path(home, draft.id)
    text = study_to_yaml(study)
    with _one_writer(home):
        current = path.read_text(encoding="utf-8") if path.exists() else ""
        if _version(current) != draft.version:
            raise StoreConflict(
                f"The draft '{draft.id}' was changed in another window; your change was not saved.",
                next_step="Reload the page to see the other change, then make yours again.",
            )
        _write(path, text)
    return Draft(id=draft.id, version=_version(text), study=study)


def list_drafts(home: Home) -> tuple[str, ...]:
    """Ids of all drafts, the latest change first."""
    if not home.drafts.is_dir():
        return ()
    files = [path for path in home.drafts.glob("*.yaml") if _ID.fullmatch(path.stem)]
    return tuple(p.stem for p in sorted(files, key=lambda p: p.stat().st_mtime, reverse=True))
