"""The outermost edge of the command line: errors become messages and exit codes here, once."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from backend.commands.application import application
from backend.commands.printing import say
from backend.contracts.errors import InterleaveError
from backend.contracts.exit_codes import ExitCode
from backend.contracts.home import home


def run_command_line(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code and prints every error as what, why and next."""
    try:
        result = get_command(application).main(
            args=list(arguments), prog_name="python -m backend", standalone_mode=False
        )
    except InterleaveError as error:
        say(error.text())
        return int(error.exit_code)
    except TyperException as error:
        # the command line itself is wrong: unknown command, option or value
        say(f"{error.format_message()}\nNext: see 'python -m backend --help'.")
        return int(ExitCode.INPUT_WRONG)
    except (KeyboardInterrupt, typer.Abort):
        say("Stopped.")
        return int(ExitCode.INTERRUPTED)
    except OSError as error:
        say(
            f"A file could not be read or written: {error}\n"
            "Next: look at its permissions, and at the space on its disk."
        )
        return int(ExitCode.NO_VERDICT)
    except Exception as error:
        return _internal(error)
    if result == ExitCode.INTERRUPTED:
        # typer's own answer to Ctrl-C; a run that was interrupted has told more
        say("Stopped.")
    return result if isinstance(result, int) else int(ExitCode.PASS)


def _internal(error: Exception) -> int:
    """A fault of ours: one line for the user, the trace in a file for us."""
    trace = "".join(traceback.format_exception(error))
    try:
        log = home().root / "internal-errors.log"
        place = f"The trace is in {log}."
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now(UTC).isoformat()} {sys.argv}\n{trace}\n")
    except (OSError, InterleaveError) as failure:
        place = f"The trace could not be saved ({failure}):\n{trace}"
    say(
        f"Interleave itself failed: {type(error).__name__}: {error}\n{place}\n"
        "Next: please report it with that trace."
    )
    return int(ExitCode.INTERNAL)
