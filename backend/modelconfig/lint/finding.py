"""What the linter found: one rule that one place of a file breaks."""

from __future__ import annotations

from typing import Literal

from backend.contracts.values import Value

Severity = Literal["error", "warning", "info"]


class Finding(Value):
    """One finding; also the entry of the linter's JSON output.

    ``line`` and ``column`` count from 1, in characters; null where the file has no place for it
    (a field that is missing is found at the section that lacks it). ``field`` is the path in the
    message, with indices: ``sequence_batching.control_input[0].control[1].kind``; empty for the
    file as a whole. ``effect`` says what Triton does, ``fix`` what to write instead, ``source``
    where that can be read.
    """

    rule: str
    severity: Severity
    line: int | None
    column: int | None
    field: str
    message: str
    effect: str
    fix: str
    source: str
