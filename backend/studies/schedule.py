"""Which trials a run makes, in which order: alternating rounds, not all of A and then all of B."""

from __future__ import annotations

from backend.contracts.values import Value
from backend.workload.study import Cell


class ScheduledTrial(Value):
    """One class × candidate × cell × repeat, numbered in the order of the run."""

    number: int
    request_type: str
    candidate: str
    cell: Cell
    repeat: int


def schedule(
    classes: dict[str, tuple[tuple[str, ...], tuple[Cell, ...]]], rounds: int
) -> tuple[ScheduledTrial, ...]:
    """All trials of a run.

    In each round every cell of every class sees all its candidates once, one after another; the
    order of candidates is turned by one place per round (A B C, C A B, B C A), so that a drift of
    the machine falls on each of them alike.

    Args:
        classes: By class: names of its candidates, and its cells.
        rounds: Repeats of everything.
    """
    trials: list[ScheduledTrial] = []
    for repeat in range(rounds):
        for request_type, (candidates, cells) in classes.items():
            turn = repeat % len(candidates) if candidates else 0
            ordered = candidates[-turn:] + candidates[:-turn] if turn else candidates
            for cell in cells:
                first = len(trials)
                trials.extend(
                    ScheduledTrial(
                        number=first + place,
                        request_type=request_type,
                        candidate=candidate,
                        cell=cell,
                        repeat=repeat,
                    )
                    for place, candidate in enumerate(ordered)
                )
    return tuple(trials)
