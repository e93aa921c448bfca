"""Errors that a user is meant to read.

    InterleaveError
    ├── InputError            the input is wrong                      exit 2
    │   └── StoreConflict     somebody else changed it first          exit 2
    ├── EnvironmentMissing    this machine lacks something            exit 3
    ├── ServerFailed          a Triton did not start, or ended        exit 3
    │   └── ModelLoadFailed   Triton refused the model or its file    exit 3, 1 if proposed
    └── Interrupted           stopped by the user                     exit 130

Each carries *what* went wrong, *why* (the evidence) and *what to do next*. Pages and the command
line print these three. Callers act on the type, never on message text.
"""

from __future__ import annotations

from pathlib import Path

from backend.contracts.exit_codes import ExitCode


class InterleaveError(Exception):
    """Base of all errors with a message for the user."""

    exit_code: ExitCode = ExitCode.INTERNAL

    def __init__(self, what: str, *, why: str = "", next_step: str = "") -> None:
        """Keep the three parts of the message.

        Args:
            what: One sentence: what is wrong, and with which object.
            why: The evidence: log lines, an HTTP status, a field and its value.
            next_step: One action that the user can take.
        """
        super().__init__(what)
        self.what = what
        self.why = why
        self.next_step = next_step

    def text(self) -> str:
        """The message as the command line prints it: one to three paragraphs."""
        parts = [self.what]
        if self.why:
            parts.append(f"Why: {self.why}")
        if self.next_step:
            parts.append(f"Next: {self.next_step}")
        return "\n".join(parts)

    def __str__(self) -> str:
        """The three parts, one per line."""
        return self.text()


class InputError(InterleaveError):
    """The user's input is wrong; names the file and line where there is one."""

    exit_code = ExitCode.INPUT_WRONG

    def __init__(
        self,
        what: str,
        *,
        why: str = "",
        next_step: str = "",
        file: Path | str | None = None,
        line: int | None = None,
        key: str | None = None,
    ) -> None:
        """Keep the place beside the message; ``line`` counts from 1."""
        place = ""
        if file is not None:
            place = f"{file}:{line}: " if line is not None else f"{file}: "
        super().__init__(place + what, why=why, next_step=next_step)
        self.file = file
        self.line = line
        self.key = key


class StoreConflict(InputError):
    """What was to be written has changed since it was read, or can no longer change."""


class EnvironmentMissing(InterleaveError):
    """This machine lacks something that the chosen way needs."""

    exit_code = ExitCode.NO_VERDICT


class ServerFailed(InterleaveError):
    """A Triton server did not become ready, or ended while it was needed."""

    exit_code = ExitCode.NO_VERDICT


class ModelLoadFailed(ServerFailed):
    """Triton refused a model; ``why`` holds Triton's own reason."""


class Interrupted(InterleaveError):
    """The user stopped the work."""

    exit_code = ExitCode.INTERRUPTED
