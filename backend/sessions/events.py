"""Puts events into planned sessions: lost ENDs, restarts, reused IDs, pauses, IDs alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from backend.contracts.errors import InputError
from backend.workload.events import Events

_HIGH_BIT: Final = 1 << 40
"""Two IDs that differ in it only agree in their low 32 bits."""


@dataclass(frozen=True)
class Happening:
    """What was drawn, by number of session.

    Attributes:
        unended: Sessions whose last request carries no END.
        successors: Sessions that take another's ID, each with that other one; they begin when its
            last reply has come.
        pauses: Sessions that fall silent once, each with the step before which they do.
    """

    unended: frozenset[int] = frozenset()
    successors: dict[int, int] = field(default_factory=dict)
    pauses: dict[int, int] = field(default_factory=dict)


def draw_events(
    events: Events, lengths: NDArray[np.int64], draws: np.random.Generator
) -> Happening:
    """Which sessions have which event.

    Successors come from the later half of the plan, those whose ID they take from the earlier one:
    lanes take sessions in their order, so that no session waits for one that cannot begin.

    Args:
        events: The shares.
        lengths: Requests of each session.
        draws: A random stream of its own.
    """
    number = len(lengths)
    half = number // 2
    earlier, later = draws.permutation(half), half + draws.permutation(number - half)
    restarts, reuses = round(events.restart * number), round(events.reuse * number)
    pairs = list(zip(later.tolist(), earlier.tolist(), strict=False))[: restarts + reuses]
    restarted = {donor for _, donor in pairs[:restarts]}
    taken = {number for pair in pairs for number in pair}
    free = [session for session in draws.permutation(number).tolist() if session not in taken]
    lost = free[: round(events.lost_end * number)]
    long = [session for session in draws.permutation(number).tolist() if lengths[session] > 1]
    pausing = long[: round(events.pause * number)]
    return Happening(
        unended=frozenset((*restarted, *lost)),
        successors=dict(pairs),
        pauses={session: int(draws.integers(1, lengths[session])) for session in pausing},
    )


def ids_with_events(
    ids: list[str],
    kind: Literal["uint64", "string"],
    events: Events,
    happening: Happening,
) -> list[str]:
    """The sessions' correlation IDs: alike in pairs where asked for, successors under another's.

    Raises:
        InputError: if texts are to be alike in their low 32 bits.
    """
    found = list(ids)
    if events.alike_ids:
        if kind != "uint64":
            raise InputError(
                "IDs that are texts cannot agree in their low 32 bits.",
                next_step="Leave alike_ids out, or set correlation_id.type to uint64.",
                key="traffic.events.alike_ids",
            )
        for session in range(1, len(found), 2):
            found[session] = str(int(found[session - 1]) ^ _HIGH_BIT)
    for session, other in happening.successors.items():
        found[session] = found[other]
    return found
