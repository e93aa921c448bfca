"""Whether a decision is complete, and whether its own evidence supports it."""

from __future__ import annotations

from collections.abc import Sequence

from backend.contracts.errors import InputError
from backend.records.record import DecisionRecord


def check_all_chosen(classes: Sequence[str], chosen: Sequence[str]) -> None:
    """Refuse a decision that does not choose exactly once for every class.

    Args:
        classes: The study's classes.
        chosen: The classes that the decision names.

    Raises:
        InputError: naming the class.
    """
    for name in chosen:
        if name not in classes:
            raise InputError(
                f"The decision names the class '{name}', which the study does not have.",
                next_step=f"Its classes: {', '.join(classes)}.",
            )
        if chosen.count(name) > 1:
            raise InputError(f"The decision chooses twice for the class '{name}'.")
    for name in classes:
        if name not in chosen:
            raise InputError(
                f"The decision chooses nothing for the class '{name}'.",
                next_step="Choose a candidate for every class of the study.",
            )


def check_choices(record: DecisionRecord) -> None:
    """Refuse a decision that does not choose exactly one tried option per class.

    Raises:
        InputError: naming the class or the candidate.
    """
    check_all_chosen(
        [item.name for item in record.classes], [choice.class_name for choice in record.decision]
    )
    for choice in record.decision:
        tried = [
            (option.candidate, option.instances)
            for option in record.options
            if option.class_name == choice.class_name
        ]
        if (choice.candidate, choice.instances) not in tried:
            raise InputError(
                f"The run did not try {choice.candidate} with instances={choice.instances} for "
                f"the class '{choice.class_name}'.",
                why="Tried: " + ", ".join(f"{name} instances={count}" for name, count in tried),
                next_step="Choose one that was tried, or run the study with it.",
            )


def unsupported(record: DecisionRecord) -> tuple[str, ...]:
    """Where the evidence does not support the choice, a sentence per class; empty if it does."""
    doubts = []
    for choice in record.decision:
        shown = record.evidence_for(choice)
        if shown is None:
            doubts.append(f"{choice.class_name}: {choice.candidate} was not judged.")
        elif shown.verdict != "pass":
            verdict = "a fail" if shown.verdict == "fail" else "no verdict"
            why = "; ".join(reason.rstrip(".") for reason in shown.reasons)
            doubts.append(
                f"{choice.class_name}: {choice.candidate} has {verdict}{': ' + why if why else ''}."
            )
    return tuple(doubts)
