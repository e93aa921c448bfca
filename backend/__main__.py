"""The command line: ``python -m backend COMMAND``; exit codes are those of docs/commands.md."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    try:
        from backend.commands.edge import run_command_line
    except KeyboardInterrupt:
        # Ctrl-C while our own modules were still being imported
        sys.exit(130)
    sys.exit(run_command_line(sys.argv[1:]))
