"""The command line: ``python -m backend COMMAND``; exit codes are those of docs/commands.md."""

from __future__ import annotations

import sys

from backend.commands.edge import run_command_line

if __name__ == "__main__":
    sys.exit(run_command_line(sys.argv[1:]))
