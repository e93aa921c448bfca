"""The operating-system process of an embedded server, from its start to how it ended."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from backend.contracts.errors import ServerFailed
from backend.runtime.server_log import read_from, size, telling_lines

_KILL_WAIT_S: Final = 5.0


class ServerProcess:
    """One start of a server; its output goes to the end of a log file."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        log: Path,
    ) -> None:
        """Start it in a session of its own, so that Ctrl-C in the terminal does not reach it.

        Raises:
            ServerFailed: if it cannot be executed.
        """
        self._log = log
        self._offset = size(log)
        try:
            # in append mode, so that the file can be cut under the running server
            with log.open("ab") as output:
                self._process = subprocess.Popen(
                    list(command),
                    cwd=folder,
                    env=dict(environment),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except OSError as error:
            raise ServerFailed(
                "The embedded Triton could not be started.",
                why=str(error),
                next_step="Run doctor: it says what this machine lacks.",
            ) from error

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def exit_code(self) -> int | None:
        """How it ended (a negative number is a signal); null while it runs."""
        return self._process.poll()

    def stop(self, grace_s: float) -> None:
        """Ask it to end, and kill it if it has not after so many seconds."""
        if not self.is_alive():
            return
        try:
            if grace_s > 0:
                self._process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    # it hangs, for one, when a model's process died while loading
                    self._process.wait(grace_s)
        finally:
            # also when Ctrl-C ends the wait
            self._process.kill()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_KILL_WAIT_S)

    def log_text(self) -> str:
        """What it has logged since this start, the last part of it."""
        return read_from(self._log, self._offset)

    def end(self) -> str:
        """How it ended, in a few words."""
        code = self.exit_code()
        if code is None:
            return "it runs"
        if code >= 0:
            return f"exit code {code}"
        name = f"signal {-code}"
        with suppress(ValueError):
            name = signal.Signals(-code).name
        return f"killed by {name}"

    def describe_end(self) -> str:
        """How it ended, with the log's last telling lines; empty while it runs."""
        if self.is_alive():
            return ""
        lines = telling_lines(self.log_text(), 3)
        said = f" Its log ends: {' / '.join(lines)}" if lines else ""
        return f"Triton ended: {self.end()}.{said}"

    def failure(
        self, what: str, next_step: str = "See the server's log; doctor says what may be missing."
    ) -> ServerFailed:
        """An error with the log's telling lines as its reason."""
        lines = telling_lines(self.log_text())
        return ServerFailed(
            what, why="\n".join((*lines, f"(log: {self._log})")), next_step=next_step
        )
