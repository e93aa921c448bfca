"""Two candidates on one figure: a difference is claimed only where its interval excludes 1 (M34).

The rounds are the evidence: one round's figure, however good, is never a gain (M35). Each interval
holds at 95 % for itself; among many, one in twenty may be off.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import product
from typing import Final, Literal

import pandas as pd

from backend.analysis.cells import ALL_LENGTHS, cell_words, group_words
from backend.analysis.figures import FIGURES, THROUGHPUT, Figure
from backend.analysis.quantiles import samples_needed
from backend.analysis.requests import Arrivals, Requests
from backend.analysis.uncertainty import FEWEST_ROUNDS, Ratio, median_ratio, quantile_ratio
from backend.analysis.wording import count, number, times
from backend.contracts.findings import Comparison

Outcome = Literal["better", "worse", "not_distinguishable", "not_shown"]

COMPARED: Final = (
    THROUGHPUT.name,
    "response_p50_ms",
    "response_p90_ms",
    "response_p99_ms",
    "queue_p90_ms",
    "queue_p99_ms",
)
"""Figures that are compared; throughput for all sessions of a cell together only."""

BATCHING: Final = ("dynamic", "no-batching")
"""The pair that tells what batching buys."""

_NOTHING_ABOVE: Final = 1.10
"""An interval that reaches beyond a gain of 10 % says how much may yet be gained."""

_OPEN_ABOVE: Final = 1.25
"""One that reaches beyond 25 % is too wide to say that batching bought nothing."""


def comparisons(
    tables: Mapping[str, pd.DataFrame],
    *,
    proposed: str | None,
    stateful: bool,
    wrong: Collection[tuple[str, str]] = (),
    arrivals: Arrivals = "closed_loop",
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """Compare the candidates of one class.

    Args:
        tables: By candidate: rows of the requests table, all its trials.
        proposed: The candidate that is compared with each other one; null: none is.
        stateful: A stateless class also gets dynamic against no batching.
        wrong: (candidate, cell) where replies were wrong: their speed is no argument, and the
            sentence says so.
        arrivals: Where response time starts (see ``group_findings``).
        seed: For the draws of rounds, where there are more than seven.
    """
    requests = {name: Requests(table, arrivals) for name, table in tables.items()}
    return compare_requests(requests, proposed=proposed, stateful=stateful, wrong=wrong, seed=seed)


def compare_requests(
    requests: Mapping[str, Requests],
    *,
    proposed: str | None,
    stateful: bool,
    wrong: Collection[tuple[str, str]] = (),
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """The same from requests that are already cut into groups."""
    pairs = [(proposed, other) for other in requests if proposed in requests and other != proposed]
    if not stateful and BATCHING not in pairs and all(name in requests for name in BATCHING):
        pairs.append(BATCHING)
    found = []
    for candidate, against in pairs:
        if candidate is None:
            continue
        one, other = requests[candidate], requests[against]
        for cell, name in product(one.cells, COMPARED):
            if cell not in other.cells:
                continue
            figure = FIGURES[name]
            for group in _groups(one, other, cell, figure):
                ratio = _measure(one, other, cell, group, figure, seed)
                found.append(
                    _comparison(candidate, against, cell, group, figure, ratio, one, other, wrong)
                )
    return tuple(found)


def _groups(one: Requests, other: Requests, cell: str, figure: Figure) -> tuple[str, ...]:
    if figure is THROUGHPUT:
        return (ALL_LENGTHS,)
    there = {group for name, group in other.groups if name == cell}
    groups = tuple(g for name, g in one.groups if name == cell and g in there)
    # a cell with one length group has nothing to tell apart
    return groups if len(groups) > 2 else (ALL_LENGTHS,)


def _measure(
    one: Requests, other: Requests, cell: str, group: str, figure: Figure, seed: int
) -> Ratio | None:
    if figure.quantity is None:
        return median_ratio(one.throughput(cell, group), other.throughput(cell, group), seed)
    mine = one.sample(cell, group, figure.quantity)
    return quantile_ratio(mine, other.sample(cell, group, figure.quantity), figure.permille, seed)


def outcome_of(figure: Figure, ratio: Ratio | None) -> Outcome:
    """What the interval allows to say; without an interval: nothing."""
    if ratio is None or ratio.interval is None:
        return "not_shown"
    if ratio.interval.low <= 1 <= ratio.interval.high:
        return "not_distinguishable"
    return "better" if (ratio.interval.low > 1) == figure.more_is_better else "worse"


def _comparison(
    candidate: str,
    against: str,
    cell: str,
    group: str,
    figure: Figure,
    ratio: Ratio | None,
    one: Requests,
    other: Requests,
    wrong: Collection[tuple[str, str]],
) -> Comparison:
    outcome = outcome_of(figure, ratio)
    place = cell_words(cell)
    if group != ALL_LENGTHS:
        place = f"{place}, {group_words(group)}"
    if ratio is None or ratio.interval is None:
        what = f"{candidate} and {against} cannot be compared on {figure.title}"
        why = _missing(one, other, cell, group, figure, ratio)
        sentence = f"{place}: {what}: {why}."
    elif figure is THROUGHPUT and (candidate, against) == BATCHING:
        sentence = f"{place}: {_batching(ratio, outcome)}"
    else:
        sentence = f"{place}: {_difference(candidate, against, figure, ratio, outcome)}"
    for name in (candidate, against):
        if (name, cell) in wrong:
            sentence += f" {name} gave wrong replies here: its speed is no argument."
    return Comparison(
        figure=figure.name,
        unit=figure.unit,
        cell=cell,
        length_group=group,
        candidate=candidate,
        against=against,
        ratio=None if ratio is None else ratio.ratio,
        interval=None if ratio is None else ratio.interval,
        outcome=outcome,
        sentence=sentence,
    )


def _missing(
    one: Requests, other: Requests, cell: str, group: str, figure: Figure, ratio: Ratio | None
) -> str:
    if ratio is not None:
        return f"{count(ratio.rounds, 'round')} measured, {FEWEST_ROUNDS} needed"
    if figure.quantity is None:
        return "a candidate answered nothing, or the two share no round"
    fewest = min(len(side.sample(cell, group, figure.quantity).ordered) for side in (one, other))
    if fewest < samples_needed(figure.permille):
        needed = count(samples_needed(figure.permille), "answered request")
        return f"it needs {needed}, and there were {fewest:,}"
    return "the two share too few rounds"


def _values(ratio: Ratio, unit: str) -> str:
    return f"{number(ratio.value)} against {number(ratio.against)} {unit}"


def _difference(
    candidate: str, against: str, figure: Figure, ratio: Ratio, outcome: Outcome
) -> str:
    measured = f"{times(ratio.ratio, ratio.interval)}, {_values(ratio, figure.unit)}"
    rounds = count(ratio.rounds, "round")
    if outcome == "not_distinguishable":
        return (
            f"{candidate} and {against} are not distinguishable on {figure.title} "
            f"after {rounds}: {measured}."
        )
    more = ratio.ratio > 1
    verb = (
        ("more" if more else "less") if figure is THROUGHPUT else ("longer" if more else "shorter")
    )
    return f"{figure.title} of {candidate} is {verb} than that of {against}: {measured}, {rounds}."


def _batching(ratio: Ratio, outcome: Outcome) -> str:
    measured = (
        f"throughput {times(ratio.ratio, ratio.interval)} that of no batching, "
        f"{_values(ratio, THROUGHPUT.unit)}, {count(ratio.rounds, 'round')}"
    )
    if outcome == "better":
        return f"Batching raised throughput on this machine: {measured}."
    if outcome == "worse":
        return f"Batching bought nothing on this machine, it cost throughput: {measured}."
    high = 1.0 if ratio.interval is None else ratio.interval.high
    if high > _OPEN_ABOVE:
        return (
            f"Whether batching pays stays open on this machine: {measured}; more rounds or a "
            "quieter machine would tell."
        )
    text = f"Batching bought nothing measurable on this machine: {measured}"
    if high > _NOTHING_ABOVE:
        text += f"; these rounds cannot rule out a gain of up to {(high - 1) * 100:.0f} %"
    return text + "."
