"""Compares replies with a reference, output by output, within a template's tolerances."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.contracts.errors import InputError
from backend.sessions.joining import aligned
from backend.sessions.tensors import NUMPY_TYPES, output_tensor, stack
from backend.templates.template import OutputRule, Template

_ROWS_AT_ONCE: Final = 4096
_DIGEST_LENGTH: Final = 16


@dataclass(frozen=True)
class OutputComparison:
    """One output of every request; arrays have one element per request.

    Attributes:
        output: Name of the output.
        compared: Both sides have it.
        differs: It is further from the reference than the rule allows, or has another label.
        difference: Largest absolute difference of an element; infinite where the shapes differ, or
            only one side is not a number; 0 where it was not compared.
        label_changed: The largest element is another one (only where the rule asks for it).
    """

    output: str
    compared: NDArray[np.bool_]
    differs: NDArray[np.bool_]
    difference: NDArray[np.float64]
    label_changed: NDArray[np.bool_]


def rules_of(template: Template) -> tuple[OutputRule, ...]:
    """The template's rules; without any, its outputs must be equal to the bit.

    The probe says in its other outputs what the instance saw, which no replay repeats: of it only
    the state that a request left is compared.
    """
    if template.rules:
        return template.rules
    if template.oracle == "hash_chain":
        return (OutputRule(output="STATE_AFTER", why="the state holds all of the history"),)
    return tuple(OutputRule(output=item.name, why="no tolerance") for item in template.outputs)


def compare(
    request_ids: Sequence[str], replies: pa.Table, reference: pa.Table, template: Template
) -> tuple[OutputComparison, ...]:
    """Compare the replies to these requests with their reference replies, by the rules.

    Raises:
        InputError: if a table lacks an output, or a rule asks for the label of a text.
    """
    comparisons = []
    for rule in rules_of(template):
        data_type = output_tensor(template, rule.output).data_type
        expected = aligned(request_ids, reference, rule.output, "The reference")
        observed = aligned(request_ids, replies, rule.output, "The replies table")
        comparisons.append(_compare_output(rule, data_type, expected, observed))
    return tuple(comparisons)


def digests(request_ids: Sequence[str], replies: pa.Table, template: Template) -> list[str | None]:
    """Short SHA-256 of the compared outputs' bytes per request; null where one is missing.

    It tells replies apart to the bit; whether two are equal within tolerance is the verdict's.
    """
    outputs = [
        aligned(request_ids, replies, rule.output, "The replies table")
        for rule in rules_of(template)
    ]
    found: list[str | None] = []
    for raws in zip(*outputs, strict=True):
        whole = [raw for raw in raws if raw is not None]
        complete = len(whole) == len(raws)
        digest = hashlib.sha256(b"".join(whole)).hexdigest()[:_DIGEST_LENGTH]
        found.append(digest if complete else None)
    return found


def _compare_output(
    rule: OutputRule,
    data_type: str,
    expected: Sequence[bytes | None],
    observed: Sequence[bytes | None],
) -> OutputComparison:
    compared = np.array(
        [a is not None and b is not None for a, b in zip(expected, observed, strict=True)],
        dtype=bool,
    )
    difference = np.zeros(len(compared), dtype=np.float64)
    label_changed = np.zeros(len(compared), dtype=bool)
    if data_type == "BYTES":
        if rule.label:
            raise InputError(
                f"The rule for output '{rule.output}' asks for a label, but the output is text.",
                next_step="Take 'label' out of the rule in template.yaml.",
            )
        unequal = [a != b for a, b in zip(expected, observed, strict=True)]
        difference[compared & np.array(unequal, dtype=bool)] = np.inf
    else:
        item = NUMPY_TYPES[data_type].itemsize
        for rows, size in _blocks(expected, observed, compared):
            if size is None or size % item:
                difference[rows] = np.inf
                continue
            a = stack([expected[row] or b"" for row in rows], data_type)
            b = stack([observed[row] or b"" for row in rows], data_type)
            difference[rows] = _largest_difference(a, b)
            if rule.label and a.shape[1]:
                label_changed[rows] = a.argmax(axis=1) != b.argmax(axis=1)
    return OutputComparison(
        output=rule.output,
        compared=compared,
        differs=compared & ((difference > rule.absolute) | label_changed),
        difference=difference,
        label_changed=label_changed,
    )


def _blocks(
    expected: Sequence[bytes | None], observed: Sequence[bytes | None], compared: NDArray[np.bool_]
) -> Iterator[tuple[list[int], int | None]]:
    """Rows whose tensors have one size, some thousands at a time; size null where sides differ."""
    by_size: dict[int | None, list[int]] = {}
    for row in np.flatnonzero(compared):
        sizes = (len(expected[row] or b""), len(observed[row] or b""))
        by_size.setdefault(sizes[0] if sizes[0] == sizes[1] else None, []).append(int(row))
    for size, rows in by_size.items():
        for at in range(0, len(rows), _ROWS_AT_ONCE):
            yield rows[at : at + _ROWS_AT_ONCE], size


def _largest_difference(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """Per row; equal elements (also infinite ones, or both not a number) differ by 0."""
    if not a.shape[1]:
        return np.zeros(len(a))
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    same = (a == b) | (np.isnan(wide_a) & np.isnan(wide_b))
    with np.errstate(invalid="ignore"):
        apart = np.abs(wide_a - wide_b)
    # 64-bit integers can differ by less than a double can tell
    apart = np.where(same, 0.0, np.where(apart == 0, np.finfo(np.float64).tiny, apart))
    return np.asarray(np.nan_to_num(apart, nan=np.inf, posinf=np.inf).max(axis=1))
