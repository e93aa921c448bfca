"""Where Interleave keeps things: ``$INTERLEAVE_HOME`` and the places below it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from backend.contracts.errors import EnvironmentMissing

SHM_PREFIX = "interleave-"
"""Every shared-memory region of a server of ours begins with this."""


@dataclass(frozen=True)
class Home:
    """The folders and files below one root."""

    root: Path

    @property
    def runs(self) -> Path:
        """Run directories, one per run."""
        return self.root / "runs"

    @property
    def drafts(self) -> Path:
        """Studies that pages are editing."""
        return self.root / "drafts"

    @property
    def owners(self) -> Path:
        """One file per live worker: who owns which server, folder and shared memory."""
        return self.root / "owners"

    @property
    def work(self) -> Path:
        """Temporary model repositories and server logs of live workers."""
        return self.root / "work"

    @property
    def store(self) -> Path:
        """The SQLite file with the study index and decision records."""
        return self.root / "store.db"

    @property
    def measure_lock(self) -> Path:
        """Locked by the run that measures: one at a time on a machine."""
        return self.root / "measure.lock"

    def ensure(self) -> Home:
        """Make the folders.

        Raises:
            EnvironmentMissing: if the root cannot be written.
        """
        try:
            for folder in (self.root, self.runs, self.drafts, self.owners, self.work):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EnvironmentMissing(
                f"Interleave cannot write its folder {self.root}.",
                why=str(error),
                next_step="Free the disk, or set INTERLEAVE_HOME to a folder that you can write.",
            ) from error
        return self


def home() -> Home:
    """The home of this process: ``$INTERLEAVE_HOME`` or ``~/.local/share/interleave``.

    Raises:
        EnvironmentMissing: if neither says where that is.
    """
    configured = os.environ.get("INTERLEAVE_HOME")
    try:
        root = Path(configured) if configured else Path.home() / ".local/share/interleave"
        return Home(root.expanduser().resolve())
    except (RuntimeError, OSError) as error:
        raise EnvironmentMissing(
            "Interleave does not know where to keep its files.",
            why=f"INTERLEAVE_HOME is {configured!r}: {error}",
            next_step="Set INTERLEAVE_HOME to a folder that you can write.",
        ) from error
