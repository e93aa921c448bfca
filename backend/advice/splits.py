"""Which classes of a study get a model, version or endpoint of their own (M14): all of them.

A scheduler section holds for every request of a model, and correlation IDs, batch members and queue
are shared by all that a model serves; so two classes never share one, not even of the same batcher.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.contracts.values import Value
from backend.workload.study import CandidateName

_WHY: Final[dict[CandidateName, str]] = {
    "dynamic": "stands alone: dynamic batching, which would mix the sessions of other classes",
    "no-batching": "stands alone, and nothing may be merged with it",
    "sequence-direct": "sessions by slot: each other class would take slots from them",
    "sequence-oldest": "sessions by correlation ID: other classes' requests have none, or others",
}


class Split(Value):
    """Classes that are served together, and why they are served apart from the others."""

    classes: tuple[str, ...]
    proposed: CandidateName
    why: str


def splits(proposals: Sequence[tuple[str, CandidateName]]) -> tuple[Split, ...]:
    """One entry for each model that is needed, in the study's order.

    Args:
        proposals: Each class's name and proposed candidate.
    """
    return tuple(
        Split(classes=(name,), proposed=proposed, why=_WHY[proposed])
        for name, proposed in proposals
    )
