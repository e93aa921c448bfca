"""Two configurations side by side: where they differ in meaning, and what each side then does."""

from __future__ import annotations

import re
from typing import Any, Final

from backend.contracts.values import Value
from backend.modelconfig.defaults import same_meaning
from backend.modelconfig.fields import SET, flat
from backend.modelconfig.lint.release import EMBEDDED, Release
from backend.modelconfig.meaning import meaning

_SPEAKING_SECTIONS: Final = re.compile(
    r"(dynamic_batching|sequence_batching|ensemble_scheduling)"
    r"(\.(oldest|direct|default_queue_policy))?"
)
"""Sections that mean something by being there; any other is told by what it holds."""


class Difference(Value):
    """A field with two values; null where one side does not have it.

    ``effect`` says what Triton does with the left file and with the right one.
    """

    field: str
    left: str | None
    right: str | None
    effect: str


def differences(left: Any, right: Any, release: Release = EMBEDDED) -> tuple[Difference, ...]:
    """Every field in which two configurations differ once Triton's defaults are filled in.

    An absent field equals its default, entries with names are matched by them, and sections that
    set nothing count as absent. In the left one's order; what each does is told for the release.
    """
    first, second = same_meaning(left), same_meaning(right)
    found = field_differences(first, second, release)
    fields = [item.field for item in found]
    return tuple(item for item in found if _tells(item, fields))


def field_differences(left: Any, right: Any, release: Release = EMBEDDED) -> tuple[Difference, ...]:
    """Every field in which two ``ModelConfig`` messages differ as they stand."""
    first, second = flat(left), flat(right)
    return tuple(
        Difference(
            field=path,
            left=first.get(path),
            right=second.get(path),
            effect=f"left: {meaning(left, path, first.get(path), release)}; "
            f"right: {meaning(right, path, second.get(path), release)}.",
        )
        for path in (*first, *(path for path in second if path not in first))
        if first.get(path) != second.get(path)
    )


def _tells(item: Difference, fields: list[str]) -> bool:
    """Whether a row says more than the rows below it."""
    if SET not in (item.left, item.right) or _SPEAKING_SECTIONS.fullmatch(item.field):
        return True
    return not any(path.startswith((f"{item.field}.", f"{item.field}[")) for path in fields)
