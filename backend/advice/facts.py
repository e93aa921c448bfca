"""The facts that rules look at: the answers, what follows from them, what the model declares."""

from __future__ import annotations

from typing import Final

from backend.templates.template import Template
from backend.workload.answers import Answers
from backend.workload.contradictions import contradictions
from backend.workload.questions import QUESTIONS, Answered, answer_to
from backend.workload.study import ModelChoice

_OPEN: Final = ("unknown", "none")


def facts_of(answers: Answers, choice: ModelChoice, template: Template | None) -> dict[str, str]:
    """All facts about a class by name; see ``rules`` for those that are no question's id."""
    facts: dict[str, str] = {}
    for item in QUESTIONS:
        value = answer_to(answers, item.id)
        facts[item.id] = value if isinstance(value, str) else ",".join(value)
    facts["contradictory"] = "yes" if contradictions(answers) else "no"
    declared = model_place(choice, template)
    said = answers.state_place
    agree = said in _OPEN or declared in ("", "none") or said == declared
    facts["places_agree"] = "yes" if agree else "no"
    facts["place"] = "unknown" if not agree else (declared or said if said in _OPEN else said)
    facts["model_stateful"] = "" if template is None else ("yes" if template.stateful else "no")
    facts["model_backend"] = "" if template is None else template.backend
    return facts


def model_place(choice: ModelChoice, template: Template | None) -> str:
    """Where the model declares to keep its state; empty without a template.

    A template that can keep it in several places takes its parameter ``state_place``.
    """
    if template is None:
        return ""
    chosen = template.parameter_values(choice.parameters).get("state_place")
    return str(chosen) if chosen in template.state_places else template.state_places[0]


def evidence(
    fact: str, facts: dict[str, str], answers: Answers, template: Template | None, declared: str
) -> tuple[Answered, ...]:
    """The answers that a fact rests on, for showing beside a rule."""
    known = {item.id for item in QUESTIONS}
    if fact in known:
        return (Answered.of(answers, fact),)
    if fact == "contradictory":
        involved = dict.fromkeys(q for item in contradictions(answers) for q in item.questions)
        return tuple(Answered.of(answers, question) for question in involved)
    name = template.title if template is not None else ""
    if fact == "model_stateful":
        kept = "keeps state" if facts[fact] == "yes" else "keeps no state"
        return (Answered(question="model", answer=facts[fact], text=f"{name} {kept}"),)
    if fact in ("place", "places_agree"):
        given = (Answered.of(answers, "state_place"),)
        if declared in ("", "none") or (
            answers.state_place not in _OPEN and fact == "place" and facts["places_agree"] == "yes"
        ):
            return given
        text = f"{name} finds it by {declared.replace('_', ' ')}"
        return (*given, Answered(question="model", answer=declared, text=text))
    return ()
