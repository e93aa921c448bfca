"""The decision for one class, by the rules alone."""

from __future__ import annotations

from dataclasses import dataclass

from backend.advice.facts import facts_of
from backend.advice.recommendation import Batcher, Certainty
from backend.advice.rule import Rule
from backend.advice.rules import (
    ASSOCIATION_RULES,
    BASELINE_RULES,
    SHAPE_RULE,
    STANDS_ALONE,
    STRATEGY_RULES,
)
from backend.templates.template import Template
from backend.workload.study import CandidateName, TrafficClass


@dataclass(frozen=True)
class Known:
    """What a decision is made from, beside the answers.

    Attributes:
        template: The class's model, where it is known.
        release: Year and month of the Triton that is to serve it.
        classes: How many classes the study has.
    """

    template: Template | None = None
    release: tuple[int, int] = (24, 10)
    classes: int = 1


@dataclass(frozen=True)
class Decision:
    """What was decided, by which rules, from which facts.

    ``facts`` holds also what was decided: ``batcher``, ``proposed``, ``association`` (alone,
    sessions, open), ``strategy`` (the rule that chose it), ``certainty``, ``measure`` (yes where
    dynamic may be reconsidered), and what a rule leaves unsettled: ``relation_open``,
    ``state_open``.
    """

    batcher: Batcher
    proposed: CandidateName
    rules: tuple[Rule, ...]
    facts: dict[str, str]

    @property
    def certainty(self) -> Certainty:
        """*Careful* while a rule that holds is a doubt."""
        return _certainty(self.rules)

    @property
    def by_measuring(self) -> bool:
        """Whether dynamic may be reconsidered, by measuring alone."""
        return any(rule.measure for rule in self.rules)


def decide(item: TrafficClass, known: Known) -> Decision:
    """The decision for a class."""
    facts = facts_of(item, known.template, release=known.release, classes=known.classes)
    association = tuple(rule for rule in ASSOCIATION_RULES if rule.holds(facts))
    if not association and STANDS_ALONE.holds(facts):
        return _alone(facts)
    strategy = next(rule for rule in STRATEGY_RULES if rule.holds(facts))
    proposed: CandidateName = (
        "sequence-direct" if strategy.conclusion == "sequence-direct" else "sequence-oldest"
    )
    outright = any(rule.conclusion == "stateful" for rule in association)
    shape = (SHAPE_RULE,) if SHAPE_RULE.holds(facts) else ()
    unsettled = {rule.unsettles for rule in association}
    facts |= {
        "batcher": "sequence",
        "proposed": proposed,
        "association": "sessions" if outright else "open",
        "strategy": strategy.id,
        "measure": "yes" if strategy.measure else "no",
        "relation_open": "yes" if "relation" in unsettled else "no",
        "state_open": "yes" if "state" in unsettled else "no",
    }
    rules = (*association, strategy, *shape)
    return Decision("sequence", proposed, rules, facts | {"certainty": _certainty(rules)})


def _certainty(rules: tuple[Rule, ...]) -> Certainty:
    return "careful" if any(rule.doubt for rule in rules) else "stated"


def _alone(facts: dict[str, str]) -> Decision:
    found = tuple(rule for rule in BASELINE_RULES if rule.holds(facts))
    merging = all(rule.conclusion != "no-batching" for rule in found)
    proposed: CandidateName = "dynamic" if merging else "no-batching"
    batcher: Batcher = "dynamic" if merging else "none"
    facts |= {"batcher": batcher, "proposed": proposed, "association": "alone"}
    rules = (STANDS_ALONE, *found)
    return Decision(batcher, proposed, rules, facts | {"certainty": _certainty(rules)})
