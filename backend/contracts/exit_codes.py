"""Exit codes of every command: the verdict of a study, fit for continuous integration."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command's exit status means."""

    PASS = 0
    """The verdict is a pass (or the command did what it was asked)."""
    FAIL = 1
    """The verdict is a fail; also: the proposed candidate cannot load, or ends the server."""
    INPUT_WRONG = 2
    """The input is wrong: study file, option, record; the message says where."""
    NO_VERDICT = 3
    """No verdict: environment, server or load generator; the reason is on stderr."""
    INTERNAL = 4
    """A fault of Interleave itself."""
    INTERRUPTED = 130
    """Stopped by the user; finished trials are kept."""
