"""Starts the console as its users do, on a free port of this machine, with a home of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 60.0


class Console:
    """A running console; a context manager, so that no process outlives its use."""

    def __init__(self, home: Path, log: Path) -> None:
        self.home = home
        self.log = log
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Start it and wait until it answers."""
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port"]
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [*command, str(self.port)],
                cwd=ROOT,
                env={**os.environ, "INTERLEAVE_HOME": str(self.home)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + DEADLINE_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"The console did not start: {self.log.read_text()[-2000:]}")
            time.sleep(0.1)
        return self

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it and wait for its end."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.send_signal(how)
            try:
                self._process.wait(15)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(15)
        self._process = None

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as reply:
                return bool(reply.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
