"""What follows from a decision: which candidates keep the answers right, and which to measure.

Facts as in ``decision``. The first rule that holds gives the outcome.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from backend.advice.cell_rules import SEQUENCE
from backend.advice.rule import Condition, all_hold, when
from backend.contracts.values import Value
from backend.workload.study import CANDIDATE_NAMES, CandidateName

Fit = Literal["right", "wrong", "unsure", "baseline"]
"""Whether a candidate keeps the answers right, as far as the answers tell."""


class FitRule(Value):
    """Whether a candidate keeps the answers right, where the conditions hold."""

    candidates: tuple[CandidateName, ...]
    when: tuple[Condition, ...]
    fit: Fit


class SummaryRule(Value):
    """The proposal in one sentence, where the conditions hold."""

    when: tuple[Condition, ...]
    says: str


def _fit(candidates: tuple[CandidateName, ...], fit: Fit, **facts: str) -> FitRule:
    return FitRule(candidates=candidates, when=when(**facts), fit=fit)


FIT_RULES: Final = (
    _fit(SEQUENCE, "right", association="alone"),
    _fit(("dynamic",), "right", association="alone", proposed="dynamic"),
    _fit(("dynamic",), "wrong", association="alone"),
    _fit(("no-batching",), "right", proposed="no-batching"),
    _fit(("no-batching",), "baseline"),
    _fit(("sequence-direct",), "right"),
    _fit(("sequence-oldest",), "right", proposed="sequence-oldest"),
    _fit(("sequence-oldest",), "wrong", place="slot"),
    _fit(("sequence-oldest",), "unsure"),
    _fit(("dynamic",), "unsure", measure="yes"),
    _fit(("dynamic",), "wrong", model_stateful="yes"),
    _fit(("dynamic",), "unsure", relation_open="yes"),
    _fit(("dynamic",), "unsure", state_open="yes"),
    _fit(("dynamic",), "wrong", association="sessions"),
    _fit(("dynamic",), "unsure"),
)

COMPARED: Final[dict[CandidateName, tuple[CandidateName, ...]]] = {
    "dynamic": ("dynamic", "no-batching"),
    "no-batching": ("no-batching", "dynamic"),
    "sequence-direct": ("sequence-direct", "sequence-oldest", "dynamic", "no-batching"),
    "sequence-oldest": ("sequence-oldest", "sequence-direct", "dynamic", "no-batching"),
}
"""The candidates worth measuring beside the proposed one, which comes first."""

_STRATEGY: Final[tuple[tuple[CandidateName, str], ...]] = (
    ("sequence-direct", "Sequence batcher, strategy direct"),
    ("sequence-oldest", "Sequence batcher, strategy oldest"),
)
SUMMARY_RULES: Final = (
    SummaryRule(
        when=when(proposed="no-batching"),
        says="No batching: every request stands alone, but replies depend on the batch.",
    ),
    SummaryRule(
        when=when(proposed="dynamic", certainty="careful"),
        says="Dynamic batcher, once equal results are shown: every request stands alone.",
    ),
    SummaryRule(when=when(proposed="dynamic"), says="Dynamic batcher: every request stands alone."),
    *(
        SummaryRule(when=when(proposed=name, **facts), says=f"{begin}{rest}")
        for name, begin in _STRATEGY
        for facts, rest in (
            (
                {"measure": "yes"},
                "; re-evaluate dynamic by measurement: all state is said to travel in each "
                "request.",
            ),
            ({"certainty": "careful"}, ": the careful choice until more is known."),
            ({}, ": requests continue earlier ones."),
        )
    ),
)


def fits_of(facts: Mapping[str, str]) -> dict[CandidateName, Fit]:
    """Every candidate with whether it keeps the answers right."""
    return {
        name: next(
            rule.fit for rule in FIT_RULES if name in rule.candidates and all_hold(rule.when, facts)
        )
        for name in CANDIDATE_NAMES
    }


def summary_of(facts: Mapping[str, str]) -> str:
    """The proposal in one sentence."""
    return next(rule.says for rule in SUMMARY_RULES if all_hold(rule.when, facts))
