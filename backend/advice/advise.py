"""Advice for one class of traffic: which batcher, why, at what risk, and what would change it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from backend.advice.changes import changes
from backend.advice.decision import Known, decide
from backend.advice.decision_table import decision_table
from backend.advice.facts import evidence, model_place
from backend.advice.id_rules import ID_QUESTIONS, ID_RULES
from backend.advice.outcome_rules import COMPARED, fits_of, summary_of
from backend.advice.recommendation import (
    Certainty,
    IdPoint,
    Reason,
    Recommendation,
    Risk,
    Unknown,
    Watch,
)
from backend.advice.risk_rules import RISK_RULES
from backend.advice.rule import Rule
from backend.advice.session_risk_rules import LIFE_RULES, LOAD_RULES
from backend.advice.watch_rules import WATCH_RULES
from backend.templates.template import Template
from backend.workload.contradictions import contradictions
from backend.workload.questions import (
    UNKNOWN,
    Answered,
    answer_to,
    question,
    relevant_questions,
)
from backend.workload.study import TrafficClass


def advise(
    item: TrafficClass,
    template: Template | None = None,
    *,
    release: tuple[int, int] = (24, 10),
    classes: int = 1,
) -> Recommendation:
    """The recommendation for a class.

    Args:
        item: The class with its answers.
        template: Its model, whose own declaration of state outweighs the answers; None if the
            class's model is not known here.
        release: Year and month of the Triton that is to serve it.
        classes: How many classes the study has.
    """
    known = Known(template, release, classes)
    answers = item.workload.answers
    decided = decide(item, known)
    facts = decided.facts
    declared = model_place(item.model, template)

    def shown(rule: Rule) -> tuple[Answered, ...]:
        found: dict[tuple[str, str], Answered] = {}
        for condition in rule.when:
            for given in evidence(condition.fact, facts, answers, template, declared):
                found[given.question, given.answer] = given
        return tuple(found.values())

    return Recommendation(
        request_type=item.name,
        batcher=decided.batcher,
        proposed=decided.proposed,
        compare=COMPARED[decided.proposed],
        certainty=decided.certainty,
        summary=summary_of(facts),
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
            for rule in (*RISK_RULES, *LIFE_RULES, *LOAD_RULES, *ID_RULES)
            if rule.holds(facts)
        ),
        what_would_change=tuple(changes(item, known, decided)),
        unknowns=tuple(
            Unknown(question=asked.id, text=asked.text, consequence=asked.option(UNKNOWN).help)
            for asked in relevant_questions(answers)
            if answer_to(answers, asked.id) == UNKNOWN
        ),
        contradictions=contradictions(answers),
        fits=fits_of(facts),
        decision_table=decision_table(item, facts),
        watch=tuple(
            Watch(
                rule=rule.id,
                before=rule.before,
                metric=rule.metric,
                sentence=rule.says,
                why=rule.why,
                source=rule.source,
            )
            for rule in WATCH_RULES
            if rule.holds(facts)
        ),
        id_points=tuple(_id_points(facts)),
        reevaluate_dynamic=decided.by_measuring,
        confidence=_CONFIDENCE[decided.certainty],
    )


def _id_points(facts: dict[str, str]) -> Iterator[IdPoint]:
    """Every question on the correlation ID that is open or dangerous, in their order."""
    if facts["batcher"] != "sequence":
        return
    raised = [rule for rule in ID_RULES if rule.holds(facts)]
    for name in ID_QUESTIONS:
        rules = [rule for rule in raised if name in rule.raises]
        asked = question(name)
        if facts[name] == UNKNOWN:
            said = asked.option(UNKNOWN).help
        elif rules:
            said = " ".join(rule.says for rule in rules)
        else:
            continue
        yield IdPoint(
            question=name, text=asked.text, sentence=said, rules=tuple(rule.id for rule in rules)
        )


_CONFIDENCE: Final[dict[Certainty, str]] = {
    "stated": "Follows from the answers as given. Whether they describe the model is what the test "
    "on a real server shows.",
    "careful": "A careful choice: something that decides is unknown or contradictory. It may turn "
    "out slower than needed, but not wrong for want of an answer.",
}
