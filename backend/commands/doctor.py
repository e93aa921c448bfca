"""``doctor``: what this machine can run, what is missing, and what to do instead."""

from __future__ import annotations

from typing import Annotated

import typer

from backend.commands.printing import paragraph, show, show_json
from backend.contracts.exit_codes import ExitCode
from backend.contracts.home import home
from backend.runtime.doctor import examine

_MARKS = {"ok": "ok      ", "warning": "warning ", "missing": "missing "}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON value for machines.")] = False,
) -> int:
    """Say what this machine can run, what is missing, and what to do instead."""
    checks = examine(home())
    if as_json:
        show_json([check.model_dump() for check in checks])
    else:
        for check in checks:
            show(paragraph(f"{check.name}: {check.what}", " " * 10, _MARKS[check.status] + "  "))
            if check.next_step:
                show(paragraph(f"Next: {check.next_step}", " " * 10))
    serves = all(check.status != "missing" for check in checks)
    return int(ExitCode.PASS if serves else ExitCode.NO_VERDICT)
