"""The server of one run: a workspace of its own, a record of its owner, nothing left at the end."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from types import TracebackType
from typing import Self

from backend.contracts.home import Home
from backend.contracts.run_directory import RunDirectory
from backend.runtime.control import ModelControl
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.owners import register, release, update

READY_DEADLINE_S = 60.0
LOST_GRACE_S = 3.0
"""For a server that no longer serves there is nothing to wait for."""


class OwnedServer:
    """A context: the server ends with it, whatever happens inside."""

    def __init__(self, home: Home, run: RunDirectory, say: Callable[[str], None]) -> None:
        self._home = home
        self._say = say
        self._owner = register(home, run_dir=run.root)
        workspace = self._owner.workspace
        self.server = EmbeddedServer(
            workspace / "models",
            workspace,
            shm_prefix=self._owner.shm_prefix,
            log_path=run.server_log,
            on_start=self._note,
        )

    @property
    def control(self) -> ModelControl:
        """Loads and unloads models on it."""
        return self.server.control()

    def start(self) -> None:
        """Start the server and wait until it is ready.

        Raises:
            EnvironmentMissing: if this machine cannot serve.
            ServerFailed: if it does not become ready.
        """
        self.server.start()
        self.server.wait_ready(READY_DEADLINE_S)

    def start_again(self) -> None:
        """A new server in the place of one that ended, or that a model holds up for ever."""
        self.server.restart(READY_DEADLINE_S, grace_s=LOST_GRACE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        left = self.server.stop()
        try:
            shutil.rmtree(self.server.workspace)
        except FileNotFoundError:
            # the server was never started
            pass
        except OSError as failure:
            left = (*left, f"The folder {self.server.workspace} remains: {failure}")
        for sentence in left:
            self._say(sentence)
        if not left:
            release(self._home, self._owner)

    def _note(self, server: EmbeddedServer) -> None:
        self._owner = update(self._home, self._owner, server)
