"""What Triton refuses at load, said before the load: the linter's errors on a message.

Triton answers most of these through the repository API with "failed to poll from model repository"
and leaves the reason to its log.
"""

from __future__ import annotations

from typing import Any

from backend.contracts.errors import InputError
from backend.contracts.values import Value
from backend.modelconfig.lint.linter import lint_config
from backend.modelconfig.lint.release import EMBEDDED, Release


class Refusal(Value):
    """One reason why a configuration cannot be served; ``field`` is its path in the file."""

    field: str
    what: str
    next_step: str


def refuse(config: Any, release: Release = EMBEDDED) -> None:
    """Refuse a configuration that a release cannot serve.

    Raises:
        InputError: with the first reason, and the others below it.
    """
    found = refusals(config, release)
    if not found:
        return
    first, *others = found
    raise InputError(
        f"Triton would refuse the configuration of '{config.name}': {first.what}",
        why="\n".join(f"Also: {other.what}" for other in others),
        next_step=first.next_step,
        key=first.field,
    )


def refusals(config: Any, release: Release = EMBEDDED) -> tuple[Refusal, ...]:
    """All reasons why a release would refuse a configuration, or end when it is used."""
    return tuple(
        Refusal(field=item.field, what=item.message, next_step=item.fix)
        for item in lint_config(config, release=release)
        if item.severity == "error"
    )
