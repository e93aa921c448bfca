"""Whether measured tails keep what the service promised.

An objective is a promise in milliseconds of real life. Times are compared as measured: a study's
``time_scale`` shortens gaps, never the server's work, so it can only make the test harder. *Met*:
the interval's upper end does not exceed the objective. *Exceeded*: its lower end does. Anything
between is not shown, and so is everything with fewer than three rounds: one run's figure is no
evidence for a promise kept or broken (M35).
"""

from __future__ import annotations

from collections.abc import Sequence

from backend.analysis.cells import ALL_LENGTHS, place_words
from backend.analysis.figures import FIGURES
from backend.analysis.quantiles import samples_needed
from backend.analysis.uncertainty import FEWEST_ROUNDS
from backend.analysis.wording import count, number
from backend.contracts.findings import GroupFinding
from backend.workload.traffic import Objectives


def objectives_met(
    objectives: Objectives, groups: Sequence[GroupFinding]
) -> tuple[list[str], list[str]]:
    """Sentences on objectives that are exceeded, and on those that the figures cannot decide.

    Args:
        objectives: What the service promised.
        groups: Figures of one candidate. Each length group is held to the promise by itself, so
            that the short sessions' tail is not lost among the long ones.
    """
    missed: list[str] = []
    unsure: list[str] = []
    limits = {
        "response_p99_ms": objectives.response_p99_ms,
        "queue_p99_ms": objectives.queue_p99_ms,
    }
    for name, limit in limits.items():
        if limit is None:
            continue
        figure = FIGURES[name]
        for group in groups:
            if group.length_group != ALL_LENGTHS and not _told_apart(groups, group.cell):
                continue
            place = place_words(group.cell, group.length_group)
            figures = group.response_ms if figure.quantity == "response" else group.queue_ms
            value, interval = figures.p99, group.intervals.get(name)
            if value is None:
                needed = samples_needed(figure.permille)
                why = (
                    f"needs {needed:,} answered requests, and there were {group.n:,}"
                    if group.n < needed
                    else "could not be measured: the target did not tell the times"
                )
                unsure.append(f"Objective not shown, {place}: {figure.title} {why}.")
                continue
            measured = f"{number(value)} ms"
            if interval is not None:
                measured += f" ({number(interval.low)} to {number(interval.high)})"
            text = f"{place}: {figure.title} {measured} against {number(limit)} ms"
            if interval is None:
                rounds = count(group.rounds, "round")
                unsure.append(f"Objective not shown, {text}; {rounds}, {FEWEST_ROUNDS} needed.")
            elif interval.low > limit:
                missed.append(f"Objective exceeded, {text}.")
            elif interval.high > limit:
                unsure.append(f"Objective not shown, {text}.")
    return missed, unsure


def _told_apart(groups: Sequence[GroupFinding], cell: str) -> bool:
    return sum(group.cell == cell for group in groups) > 2
