"""``cleanup``: remove what dead workers left behind, and nothing else."""

from __future__ import annotations

from typing import Annotated

import typer

from backend.commands.printing import show, show_json
from backend.contracts.home import home
from backend.runtime.cleanup import remove_leftovers


def cleanup(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON value for machines.")] = False,
) -> int:
    """Remove what dead workers left behind: servers, shared memory, folders; nothing else."""
    removed = remove_leftovers(home().ensure())
    if as_json:
        show_json({"removed": list(removed)})
        return 0
    for sentence in removed:
        show(sentence)
    if not removed:
        show("Nothing was left behind.")
    return 0
