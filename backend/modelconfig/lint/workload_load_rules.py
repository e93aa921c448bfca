"""Whether a configuration fits how the class's requests arrive, and how its sessions end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from backend.modelconfig.durations import milliseconds
from backend.modelconfig.lint.refused_scheduling import sequence
from backend.modelconfig.lint.rule import Context, Hit, LintRule
from backend.modelconfig.lint.warning_dynamic import BATCHER, waiting_sections


def _lone_caller(context: Context) -> Iterator[Hit]:
    item = context.item
    if item is None or item.workload.answers.arrivals != "one_caller":
        return
    for path, delay in waiting_sections(context):
        yield Hit(
            path,
            f"The class '{item.name}' has one caller, which waits for each reply, and a request "
            f"waits {milliseconds(delay)} for others.",
            "Nobody else comes: every request waits the whole time.",
            "Write 0, or leave the delay out.",
        )


def _disconnects(context: Context) -> Iterator[Hit]:
    item = context.item
    if item is None or sequence(context) is None:
        return
    if item.workload.answers.lifecycle.belongs_by == "connection":
        yield Hit(
            "sequence_batching",
            f"The class '{item.name}' tells its sessions apart by connection.",
            "A connection that is closed ends no sequence: it keeps its slot until END, a new "
            "START under its ID, or the idle limit.",
            "Let whoever sees the connection close send END for its correlation ID.",
        )


RULES: Final = (
    LintRule(
        "class-lone-caller",
        "warning",
        "A queue delay for a caller that is alone",
        BATCHER,
        _lone_caller,
    ),
    LintRule(
        "class-disconnect",
        "warning",
        "Sessions that are to end with their connection",
        "Triton server, docs/user_guide/request_cancellation.md",
        _disconnects,
    ),
)
