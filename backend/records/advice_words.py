"""What a record takes from the advice: why it proposed, what it warned of, what would change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from backend.advice.recommendation import Recommendation
from backend.records.record import Choice


def advice_words(recommendation: Recommendation) -> tuple[str, ...]:
    """The summary, then each reason with its rule and public source (M08)."""
    return (
        recommendation.summary,
        *(
            f"{reason.conclusion} (rule {reason.rule}; {reason.source})"
            for reason in recommendation.reasons
        ),
    )


def known_risks(
    advised: Mapping[str, Recommendation], decision: Sequence[Choice]
) -> tuple[str, ...]:
    """The risks that the advice names for the chosen candidates, or for any."""
    return tuple(
        f"{choice.class_name}: {risk.sentence}"
        for choice in decision
        if choice.class_name in advised
        for risk in advised[choice.class_name].risks
        if risk.candidate in (None, choice.candidate)
    )


def would_change(
    advised: Mapping[str, Recommendation], decision: Sequence[Choice]
) -> tuple[str, ...]:
    """The answers with which the advice would propose another candidate than the chosen one."""
    return tuple(
        f"{choice.class_name}: {change.sentence}"
        for choice in decision
        if choice.class_name in advised
        for change in advised[choice.class_name].what_would_change
        if change.becomes != choice.candidate
    )
