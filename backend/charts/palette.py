"""Colours, shapes and dashes: one for each meaning, the same on every chart.

All colours keep at least 3:1 contrast on white and on near-black grounds. Those that share a chart
stay apart for people who see no red, no green or no blue (simulated after Machado, Oliveira and
Fernandes, 2009; see the test); shape, dash or place always says the same as the colour.
"""

from __future__ import annotations

from typing import Final

BACKGROUND: Final = "transparent"

_CANDIDATES: Final[dict[str, tuple[str, str, list[int]]]] = {
    "sequence-direct": ("#4c60e6", "circle", [1, 0]),
    "sequence-oldest": ("#189f62", "square", [7, 3]),
    "dynamic": ("#c14006", "triangle-up", [2, 2]),
    "no-batching": ("#cc62a4", "diamond", [7, 2, 2, 2]),
}

QUIET: Final = "#808a94"
"""What is as it should be."""

WRONG: Final = "#d52739"
"""What is wrong."""

WRONG_TOO: Final = "#c97600"
"""A second kind of wrong beside the first."""

KINDS: Final[dict[str, tuple[str, str, str]]] = {
    "right": ("its own context", QUIET, "square"),
    "other_session": ("another session's context", WRONG, "triangle-up"),
    "own_stale": ("its own stale state", WRONG_TOO, "triangle-down"),
    "reset": ("a reset state", "#079e64", "diamond"),
    # often the only kind there is, where a model's states cannot be told apart: not in green
    "unknown": ("unknown context", "#685af3", "cross"),
    "not_listed": ("wrong, context not listed", WRONG, "circle"),
    "not_answered": ("no answer", "#b765a0", "triangle-right"),
    "unjudged": ("no reference", QUIET, "circle"),
}
"""What a mark of a session lane stands for: words, colour, shape."""


def ordered(candidates: list[str]) -> list[str]:
    """Candidates in the order that every chart has."""
    return [name for name in _CANDIDATES if name in candidates]


def colour(candidate: str) -> str:
    """A candidate's colour."""
    return _CANDIDATES[candidate][0]


def shape(candidate: str) -> str:
    """A candidate's point shape."""
    return _CANDIDATES[candidate][1]


def dash(candidate: str) -> list[int]:
    """A candidate's line dash."""
    return _CANDIDATES[candidate][2]
