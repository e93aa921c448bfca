"""What replies mean to the user: decisions read from outputs, and stretches of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.contracts.errors import InputError
from backend.sessions.tensors import NUMPY_TYPES, output_tensor, stack
from backend.templates.samples import load_labels
from backend.templates.template import Decision, Template

LONG_STRETCH: Final = 10
"""Replies in a row that make a stretch worth telling of."""
FIRST_REPLIES: Final = 5
"""The replies at the beginning of a stretch that are its start."""
REPLIES_TO_TELL: Final = 3
"""Changed replies that make a start lost, or a stretch heard where there was none."""
MISSED_SHARE: Final = 0.8
"""Share of a stretch's replies that must have changed for all of it to be missed."""


@dataclass(frozen=True)
class Decisions:
    """The decisions of some replies; arrays have one element per reply.

    Attributes:
        known: The reply is there and can be read.
        choice: 1 positive or 0 negative; for a classifier the index of its label; -1 if unknown.
        value: The number decided on: the output, or the label's probability; NaN if unknown.
    """

    known: NDArray[np.bool_]
    choice: NDArray[np.int64]
    value: NDArray[np.float64]


@dataclass(frozen=True)
class Stretches:
    """How the long stretches of one session came back.

    Attributes:
        missed: Positive stretches of which at least four fifths came back negative.
        lost_start: Other positive stretches of whose first five replies at least three did.
        heard: Negative stretches within which at least three replies in a row came back positive.
    """

    missed: int = 0
    lost_start: int = 0
    heard: int = 0


def decision_of(template: Template) -> Decision:
    """The template's decision.

    Raises:
        InputError: if it declares none.
    """
    if template.decision is None:
        raise InputError(
            f"Template '{template.name}' does not say what its replies mean.",
            next_step="Add 'decision' to its template.yaml.",
        )
    return template.decision


def read_decisions(template: Template, raws: Sequence[bytes | None]) -> Decisions:
    """Decisions from the raw tensors of the decision's output (null: no reply).

    Raises:
        InputError: if the output is text, or a threshold is set for more than one number.
    """
    decision = decision_of(template)
    data_type = output_tensor(template, decision.output).data_type
    if data_type == "BYTES":
        raise InputError(
            f"The decision of template '{template.name}' is made on '{decision.output}', a text.",
            next_step="Name a numeric output under decision.output.",
        )
    item = NUMPY_TYPES[data_type].itemsize
    known = np.array([raw is not None and len(raw) >= item for raw in raws], dtype=bool)
    choice = np.full(len(raws), -1, dtype=np.int64)
    value = np.full(len(raws), np.nan)
    by_size: dict[int, list[int]] = {}
    for row in np.flatnonzero(known):
        by_size.setdefault(len(raws[row] or b""), []).append(int(row))
    for rows in by_size.values():
        numbers = stack([raws[row] or b"" for row in rows], data_type).astype(np.float64)
        if decision.threshold is None:
            choice[rows] = numbers.argmax(axis=1)
            value[rows] = numbers.max(axis=1)
        elif numbers.shape[1] != 1:
            raise InputError(
                f"The decision of template '{template.name}' has a threshold, but "
                f"'{decision.output}' holds {numbers.shape[1]} numbers.",
                next_step="Name an output of one number, or leave the threshold out.",
            )
        else:
            value[rows] = numbers[:, 0]
            choice[rows] = numbers[:, 0] >= decision.threshold
    return Decisions(known=known, choice=choice, value=value)


def decision_names(template: Template) -> tuple[str, ...]:
    """What each choice is called: negative and positive, or the labels (empty: numbers only)."""
    decision = decision_of(template)
    if decision.threshold is not None:
        return (decision.negative or "negative", decision.positive or "positive")
    return load_labels(template)


def named(names: Sequence[str], choice: int) -> str | None:
    """The name of a choice; null for none."""
    if choice < 0:
        return None
    return names[choice] if choice < len(names) else f"label {choice}"


def stretches(right: NDArray[np.bool_], came: NDArray[np.bool_]) -> Stretches:
    """What became of one session's long stretches.

    Args:
        right: The reference decisions in order, true where positive.
        came: The decisions that came back.
    """
    missed = lost = heard = 0
    for start, stop in runs(right):
        if stop - start < LONG_STRETCH:
            continue
        gone = ~came[start:stop]
        if gone.mean() >= MISSED_SHARE:
            missed += 1
        elif gone[:FIRST_REPLIES].sum() >= REPLIES_TO_TELL:
            lost += 1
    for start, stop in runs(~right):
        if stop - start < LONG_STRETCH:
            continue
        false = [end - begin for begin, end in runs(came[start:stop])]
        heard += max(false, default=0) >= REPLIES_TO_TELL
    return Stretches(missed=missed, lost_start=lost, heard=heard)


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and one-past-last index of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
