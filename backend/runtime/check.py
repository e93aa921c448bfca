"""One thing that was looked at on this machine, and what to do where it is not as it should be."""

from __future__ import annotations

from typing import Literal

from backend.contracts.values import Value

Status = Literal["ok", "warning", "missing"]


class Check(Value):
    """What was found; ``next_step`` is empty where nothing needs to be done."""

    name: str
    status: Status
    what: str
    next_step: str = ""
