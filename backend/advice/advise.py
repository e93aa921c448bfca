"""Advice for one class of traffic: which batcher, why, at what risk, and what would change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from backend.advice.decision_table import decision_table
from backend.advice.facts import evidence, facts_of, model_place
from backend.advice.recommendation import (
    Batcher,
    Certainty,
    Change,
    Fit,
    Reason,
    Recommendation,
    Risk,
    Unknown,
)
from backend.advice.risk_rules import RISK_RULES
from backend.advice.rule import Rule
from backend.advice.rules import ASSOCIATION_RULES, STANDS_ALONE, STRATEGY_RULES
from backend.templates.template import Template
from backend.workload.answers import Answers
from backend.workload.contradictions import contradictions
from backend.workload.questions import (
    UNKNOWN,
    Answered,
    answer_to,
    relevant_questions,
    with_answer,
)
from backend.workload.study import CandidateName, ModelChoice, TrafficClass

_TO_STATELESS = (("relation", "independent"), ("order", "no"), ("state_kind", "none"))
_ONLY_BY_MEASURING = ("state-travels", "state-comes-with-request")
_OPEN_RULES = {"contradiction", "place-unknown", "places-differ", *_ONLY_BY_MEASURING}


def advise(item: TrafficClass, template: Template | None = None) -> Recommendation:
    """The recommendation for a class.

    Args:
        item: The class with its answers.
        template: Its model, whose own declaration of state outweighs the answers; None if the
            class's model is not known here.
    """
    answers = item.workload.answers
    decided = _decide(answers, item.model, template)
    facts = {**decided.facts, "batcher": decided.batcher}
    declared = model_place(item.model, template)

    def shown(rule: Rule) -> tuple[Answered, ...]:
        found: dict[tuple[str, str], Answered] = {}
        for condition in rule.when:
            for given in evidence(condition.fact, facts, answers, template, declared):
                found[given.question, given.answer] = given
        return tuple(found.values())

    certainty = _certainty(decided)
    fits = _fits(decided)
    return Recommendation(
        request_type=item.name,
        batcher=decided.batcher,
        proposed=decided.proposed,
        compare=_compare(decided),
        certainty=certainty,
        summary=_summary(decided, certainty),
        reasons=tuple(
            Reason(
                rule=rule.id,
                conclusion=rule.says,
                answers=shown(rule),
                why=rule.why,
                source=rule.source,
                since=rule.since,
            )
            for rule in decided.rules
        ),
        risks=tuple(
            Risk(
                rule=rule.id,
                candidate=rule.candidate,
                sentence=rule.says,
                why=rule.why,
                answers=shown(rule),
                source=rule.source,
                since=rule.since,
            )
            for rule in RISK_RULES
            if rule.holds(facts)
        ),
        what_would_change=tuple(_changes(answers, item.model, template, decided.proposed)),
        unknowns=tuple(
            Unknown(question=asked.id, text=asked.text, consequence=asked.option(UNKNOWN).help)
            for asked in relevant_questions(answers)
            if answer_to(answers, asked.id) == UNKNOWN
        ),
        contradictions=contradictions(answers),
        fits=fits,
        decision_table=decision_table(item, facts, fits),
        confidence=_CONFIDENCE[certainty],
    )


@dataclass(frozen=True)
class _Decision:
    batcher: Batcher
    proposed: CandidateName
    rules: tuple[Rule, ...]
    facts: dict[str, str]


def _decide(answers: Answers, choice: ModelChoice, template: Template | None) -> _Decision:
    facts = facts_of(answers, choice, template)
    association = tuple(rule for rule in ASSOCIATION_RULES if rule.holds(facts))
    if not association and STANDS_ALONE.holds(facts):
        return _Decision("dynamic", "dynamic", (STANDS_ALONE,), facts)
    strategy = next(rule for rule in STRATEGY_RULES if rule.holds(facts))
    proposed: CandidateName = (
        "sequence-direct" if strategy.conclusion == "sequence-direct" else "sequence-oldest"
    )
    return _Decision("sequence", proposed, (*association, strategy), facts)


def _certainty(decided: _Decision) -> Certainty:
    """Careful where no rule says "stateful" outright, or one that does is not enough."""
    if decided.batcher == "dynamic":
        return "stated"
    outright = any(rule.conclusion == "stateful" for rule in decided.rules)
    open_points = _OPEN_RULES & {rule.id for rule in decided.rules}
    return "stated" if outright and not open_points else "careful"


def _compare(decided: _Decision) -> tuple[CandidateName, ...]:
    """The candidates worth measuring, the proposed one first."""
    if decided.batcher == "dynamic":
        return ("dynamic", "no-batching")
    other: CandidateName = (
        "sequence-oldest" if decided.proposed == "sequence-direct" else "sequence-direct"
    )
    return (decided.proposed, other, "dynamic", "no-batching")


def _fits(decided: _Decision) -> dict[CandidateName, Fit]:
    """Whether each candidate keeps this class's answers right, as far as the answers tell."""
    if decided.batcher == "dynamic":
        return {
            "dynamic": "right",
            "sequence-direct": "right",
            "sequence-oldest": "right",
            "no-batching": "baseline",
        }
    stated = any(rule.conclusion == "stateful" for rule in decided.rules)
    measure = any(rule.id in _ONLY_BY_MEASURING for rule in decided.rules)
    place = decided.facts["place"]
    oldest: Fit = "right"
    if place == "slot":
        oldest = "wrong"
    elif decided.proposed == "sequence-direct":
        oldest = "unsure"
    return {
        "sequence-direct": "right",
        "sequence-oldest": oldest,
        "dynamic": "wrong" if stated and not measure else "unsure",
        "no-batching": "baseline",
    }


def _changes(
    answers: Answers, choice: ModelChoice, template: Template | None, proposed: CandidateName
) -> Iterator[Change]:
    """Other answers that would lead to another proposal, found by deciding again with each."""
    alone = False
    for asked in relevant_questions(answers):
        if asked.multiple:
            continue
        current = answer_to(answers, asked.id)
        outcomes: dict[CandidateName, list[str]] = {}
        for option in asked.options:
            if option.value == current:
                continue
            again = _decide(with_answer(answers, asked.id, option.value), choice, template)
            if again.proposed != proposed:
                outcomes.setdefault(again.proposed, []).append(option.value)
        for becomes, values in outcomes.items():
            labels = " or ".join(f"'{asked.option(value).label}'" for value in values)
            yield Change(
                question=asked.id,
                answers=tuple(values),
                becomes=becomes,
                sentence=f"'{asked.text}' answered with {labels} would lead to {becomes}.",
            )
            alone = alone or becomes == "dynamic"
    if proposed != "dynamic" and not alone:
        yield from _to_dynamic(answers, choice, template)


def _to_dynamic(
    answers: Answers, choice: ModelChoice, template: Template | None
) -> Iterator[Change]:
    """What would all have to be different, where no single answer leads to the dynamic batcher."""
    changed = Answers()
    for question, value in _TO_STATELESS:
        changed = with_answer(changed, question, value)
    if _decide(changed, choice, template).proposed != "dynamic":
        yield Change(
            question="model",
            answers=("stateless",),
            becomes="dynamic",
            sentence="Only a model that keeps no state would lead to dynamic: this one declares "
            "that it does.",
        )
        return
    if any(rule.id in _ONLY_BY_MEASURING for rule in _decide(answers, choice, template).rules):
        yield Change(
            question="test",
            answers=("equal results",),
            becomes="dynamic",
            sentence="Dynamic may be reconsidered if a test shows equal results under it, on "
            "several instances: no answer alone leads there.",
        )
        return
    needed = tuple(value for q, value in _TO_STATELESS if answer_to(answers, q) != value)
    yield Change(
        question="relation",
        answers=needed,
        becomes="dynamic",
        sentence="Dynamic would be proposed only if requests stood alone, their order did not "
        "matter, nothing were remembered between them and none were marked as a session's first "
        "or last: all of it at once. A test would still have to show equal results.",
    )


def _summary(decided: _Decision, certainty: Certainty) -> str:
    if decided.batcher == "dynamic":
        return "Dynamic batcher: every request stands alone."
    name = "direct" if decided.proposed == "sequence-direct" else "oldest"
    if certainty == "careful":
        return f"Sequence batcher, strategy {name}: the careful choice until more is known."
    return f"Sequence batcher, strategy {name}: requests continue earlier ones."


_CONFIDENCE: dict[Certainty, str] = {
    "stated": "Follows from the answers as given. Whether they describe the model is what the test "
    "on a real server shows.",
    "careful": "A careful choice: something is unknown, contradictory, or can only be settled by "
    "measuring. It may turn out slower than needed, but not wrong for want of an answer.",
}
