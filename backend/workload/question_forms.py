"""Short forms in which the wording of the questions is written down."""

from __future__ import annotations

from typing import Final

from backend.workload.question import UNKNOWN, Option


def options_of(*rows: tuple[str, str, str]) -> tuple[Option, ...]:
    """Options from value, label and consequence."""
    return tuple(Option(value=value, label=label, help=text) for value, label, text in rows)


def yes_no(yes: str, no: str, unknown: str) -> tuple[Option, ...]:
    """Yes, no and "I don't know", each with its consequence."""
    return options_of(("yes", "Yes", yes), ("no", "No", no), (UNKNOWN, "I don't know", unknown))


SHAPE_IS_NO_EVIDENCE: Final = (
    "That all requests have tensors of the same shape is no evidence: parts of different sessions "
    "have the same shape too. What counts is whether an answer needs an earlier request."
)
"""Said wherever a user might take equal shapes for "safe to batch" (M02)."""
