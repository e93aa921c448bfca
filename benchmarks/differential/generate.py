"""Configurations from a seed: in fixed shares, so that every rejection is met often enough."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from benchmarks.differential import (
    faults_ensemble,
    faults_model,
    faults_scheduling,
    faults_state,
    faults_text,
)
from benchmarks.differential.cases import Case
from benchmarks.differential.differences import DIFFERENCES
from benchmarks.differential.drafts import drafts, ensembles
from benchmarks.differential.fault import Change
from benchmarks.differential.spelling import plain, spelled
from benchmarks.differential.values import FOLDER
from benchmarks.differential.walk import changed_anywhere

_OF_MODELS: Final = (*faults_model.FAULTS, *faults_scheduling.FAULTS, *faults_state.FAULTS)
_SHARES: Final = (
    ("plain", 0.20),
    ("spelled", 0.12),
    ("ensemble", 0.04),
    ("walk", 0.16),
    *((origin, 0.002) for origin in DIFFERENCES),
)
"""Of all; what is left goes to the faults, as evenly as it can."""


def generate(count: int, number: int) -> tuple[Case, ...]:
    """So many cases, the same for the same seed (and version of Hypothesis).

    Args:
        count: How many.
        number: The seed.
    """
    found: dict[str, str] = {}
    for origin, wanted in _quotas(count):
        for text in _drawn(_STRATEGIES[origin], wanted, f"{number} {origin}", found.keys()):
            found[text] = origin
    return tuple(
        Case(f"case_{index:04d}", _named(text, f"case_{index:04d}"), origin)
        for index, (text, origin) in enumerate(found.items())
    )


def _named(text: str, name: str) -> bytes:
    return text.replace(FOLDER, name).encode("utf-8", "surrogateescape")


def _quotas(count: int) -> Iterator[tuple[str, int]]:
    left = count
    for origin, share in _SHARES:
        wanted = round(count * share)
        left -= wanted
        yield origin, wanted
    faults = [origin for origin in _STRATEGIES if origin not in dict(_SHARES)]
    for index, origin in enumerate(faults):
        # the remainder is spread over the list, not given to its head
        yield origin, left * (index + 1) // len(faults) - left * index // len(faults)


def _drawn(
    strategy: st.SearchStrategy[str], count: int, key: str, known: Collection[str]
) -> tuple[str, ...]:
    """Exactly so many examples, each of them new."""
    found: dict[str, None] = {}
    attempt = 0
    while len(found) < count:
        start = int.from_bytes(hashlib.sha256(f"{key} {attempt}".encode()).digest()[:8], "big")
        attempt += 1

        @seed(start)
        @settings(
            # Hypothesis tries the simplest example each time
            max_examples=count - len(found) + 1,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(strategy)
        def collect(text: str) -> None:
            if text not in known:
                found[text] = None

        collect()
    return tuple(found)[:count]


def _texts(change: Callable[[Any, Any], str], base: st.SearchStrategy[Any]) -> Any:
    @st.composite
    def texts(draw: Any) -> str:
        return change(draw, draw(base))

    return texts()


def _faulty(change: Change, base: st.SearchStrategy[Any]) -> Any:
    def text(draw: Any, config: Any) -> str:
        change(draw, config)
        return plain(config)

    return _texts(text, base)


def _name(number: str, change: Callable[..., Any]) -> str:
    return f"{number}: {change.__name__.strip('_').replace('_', ' ')}"


_STRATEGIES: Final[dict[str, st.SearchStrategy[str]]] = {
    "plain": _texts(lambda _, config: plain(config), drafts()),
    "spelled": _texts(spelled, drafts()),
    "ensemble": _texts(lambda _, config: plain(config), ensembles()),
    "walk": _texts(changed_anywhere, drafts()),
    **{origin: _texts(change, drafts()) for origin, change in DIFFERENCES.items()},
    **{_name(number, edit): _texts(edit, drafts()) for number, edit in faults_text.EDITS},
    **{_name(number, change): _faulty(change, drafts()) for number, change in _OF_MODELS},
    **{
        _name(number, change): _faulty(change, ensembles())
        for number, change in faults_ensemble.FAULTS
    },
}
