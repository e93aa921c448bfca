"""Runs ``python -m backend`` as a user does, and study files cut down to one round."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from backend.contracts.run_directory import RunDirectory

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "studies"


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


class CommandLine:
    """One home; each call is a process of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.runs: list[Path] = []
        self.environment = {**os.environ, "INTERLEAVE_HOME": str(home)}

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """Begin a command."""
        if "--out" in arguments:
            self.runs.append(Path(arguments[arguments.index("--out") + 1]))
        return subprocess.Popen(
            [sys.executable, "-m", "backend", *map(str, arguments)],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def start_limited(self, files: int, *arguments: str | Path) -> subprocess.Popen[str]:
        """Begin a command that may open only so many files, and so may its children."""
        shell = 'ulimit -n "$1"; shift; exec "$@"'
        command = [sys.executable, "-m", "backend", *map(str, arguments)]
        return subprocess.Popen(
            ["/bin/sh", "-c", shell, "sh", str(files), *command],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str | Path, timeout_s: float = 240) -> Ended:
        """Run a command to its end."""
        return end_of(self.start(*arguments), timeout_s)

    def leftovers(self) -> list[str]:
        """Processes and shared memory of this home's workers, dead or alive.

        Shared memory is known by the prefix that each run wrote down when its server started.
        """
        found = [
            f"process {path.parent.name}: {text}"
            for path in Path("/proc").glob("[0-9]*/cmdline")
            if str(self.home) in (text := _command(path))
        ]
        prefixes = [
            event["shm_prefix"]
            for run in self.runs
            for event in RunDirectory(run).read_events()
            if event["event"] == "server_starting"
        ]
        found += [
            f"shared memory {path.name}"
            for path in Path("/dev/shm").iterdir()
            if path.name.startswith(tuple(prefixes))
        ]
        owners = (self.home / "owners").glob("*.json")
        return found + [f"owner {path.name}" for path in owners]


def _command(path: Path) -> str:
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def end_of(process: subprocess.Popen[str], timeout_s: float = 240) -> Ended:
    """Wait for a command's end; one that hangs is killed and fails the test."""
    try:
        out, err = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"still running after {timeout_s} s:\n{out}\n{err}") from None
    return Ended(process.returncode, out, err)


def wait_until(true: Callable[[], bool], what: str, timeout_s: float = 90) -> None:
    """Poll until something holds."""
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline, f"not within {timeout_s} s: {what}"
        time.sleep(0.05)


def one_round(name: str, folder: Path, *changes: tuple[str, str]) -> Path:
    """An example study with one round instead of three; ``changes`` replace further text."""
    text = (STUDIES / f"{name}.yaml").read_text(encoding="utf-8")
    text, count = re.subn(r"(?m)^rounds: \d+$", "rounds: 1", text)
    assert count == 1
    for old, new in changes:
        assert old in text, f"{name}.yaml no longer holds {old!r}"
        text = text.replace(old, new)
    path = folder / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def no_traceback(ended: Ended, words: Sequence[str] = ()) -> None:
    """A message for people: no traceback, and the words it must hold."""
    assert "Traceback" not in ended.err + ended.out
    for word in words:
        assert word in ended.err, ended.err
