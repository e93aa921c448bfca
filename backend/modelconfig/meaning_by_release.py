"""What a field makes Triton do on releases that differ from the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from backend.modelconfig.lint.release import Release
from backend.modelconfig.queue_policy import ORDER_LOST, PREFETCH_OFF, SLEEPS_SINCE
from backend.modelconfig.release_support import ORDER_KEPT


def _order(release: Release, value: str | None) -> str:
    first, last = ORDER_LOST
    if value == "true" and first <= release <= last:
        return f"no order is kept on release {release} ({first} to {last} ignore it)"
    return ""


def _order_under_oldest(release: Release, value: str | None) -> str:
    if value == "true" and release < ORDER_KEPT:
        return f"release {release} ignores it: it has an effect from {ORDER_KEPT} on"
    return _order(release, value)


def _levels(release: Release, value: str | None) -> str:
    if value is not None and release < PREFETCH_OFF:
        return f"{value} levels of priority, level 1 always first"
    return ""


def _policy(release: Release, value: str | None) -> str:
    if value is None or release >= SLEEPS_SINCE:
        return ""
    if release < PREFETCH_OFF:
        return "a queue policy; batches are prepared ahead while instances are busy all the same"
    return "no batch is prepared ahead while instances are busy"


BY_RELEASE: Final[dict[str, Callable[[Release, str | None], str]]] = {
    "dynamic_batching.preserve_ordering": _order,
    "sequence_batching.oldest.preserve_ordering": _order_under_oldest,
    "dynamic_batching.priority_levels": _levels,
    "dynamic_batching.default_queue_policy": _policy,
}
"""Empty where the release does as the others do."""
