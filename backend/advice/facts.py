"""The facts that rules look at: the answers, what follows from them, what the model declares.

Answers stand under their question's id. The others:

* ``contradictory``: yes or no, whether answers on meaning exclude each other;
  ``contradiction:ID``: yes for each contradiction among the answers, with what the model declares
  of its state's place taken for an answer.
* ``model_stateful``: yes, no, or empty where the model says nothing; ``model_backend``.
* ``place``: where state is found: the answer, or what the model declares, *unknown* where the two
  disagree; ``places_agree``.
* ``ready_together``: whether requests can wait at the same time: no for one caller or one session.
* ``marked``: yes where starts or ends are marked; ``marks``: *unknown* where either is not known.
* ``end_causes``: *missing* where error, cancel or silence is said not to end a session.
* ``live``: *few* (one at a time) or *some* live sessions, *unknown* where the demand does not say.
* ``gap``: *long* where the longest pause and an execution reach a second, Triton's own idle limit.
* ``lengths``: *mixed* where long sessions run beside short ones, *alike*, or *single* requests.
* ``deadline``, ``priorities``, ``cancels``, ``queue_policy``: yes or no, by the demand;
  ``deadline_kept``: no where an execution alone exceeds it.
* ``id_open``: yes where an answer about the correlation ID is unknown; ``id_types_agree``.
* ``other_classes``: yes where the study has more than one; ``release``: *before 23.08*,
  *before 25.01* or *from 25.01*.
"""

from __future__ import annotations

from typing import Final

from backend.advice.contradiction_rules import CONTRADICTION
from backend.contracts.triton_defaults import DEFAULT_IDLE_MICROSECONDS
from backend.templates.template import Template
from backend.workload.answers import Answers
from backend.workload.contradictions import contradictions
from backend.workload.demand import Demand
from backend.workload.questions import QUESTIONS, Answered, answer_to, with_answer
from backend.workload.study import ModelChoice, TrafficClass, Workload
from backend.workload.traffic import Traffic

_OPEN: Final = ("unknown", "none")
LONG_BESIDE_SHORT: Final = 10
"""The longest sessions of a mix are this many times as long as its short ones, or more."""
DECISIVE: Final = {"relation", "order", "state_kind", "state_place"}
"""Questions on meaning: a contradiction on ids or ends alone changes risks, never the choice."""
ENDS_ANYHOW: Final = ("error", "cancel", "idle_timeout")
_TYPED: Final = {"string": ("string",), "uint64": ("uint64", "int64", "uint32", "int32")}
IDS_TYPED_SINCE: Final = (25, 1)
PREFETCH_ENDS_SINCE: Final = (23, 8)
"""From this release on a queue policy keeps Triton from preparing batches ahead."""


def facts_of(
    item: TrafficClass,
    template: Template | None,
    *,
    release: tuple[int, int] = (24, 10),
    classes: int = 1,
) -> dict[str, str]:
    """All facts about a class by name.

    Args:
        item: The class.
        template: Its model, where it is known.
        release: Year and month of the Triton that is to serve it.
        classes: How many classes the study has.
    """
    answers, choice = item.workload.answers, item.model
    facts: dict[str, str] = {}
    for asked in QUESTIONS:
        value = answer_to(answers, asked.id)
        facts[asked.id] = value if isinstance(value, str) else ",".join(value)
    decisive = any({*item.questions} <= DECISIVE for item in contradictions(answers))
    facts["contradictory"] = "yes" if decisive else "no"
    facts |= _model_facts(answers, choice, template)
    placed = with_answer(answers, "state_place", facts["place"])
    facts |= {f"{CONTRADICTION}{item.id}": "yes" for item in contradictions(placed)}
    facts |= _life_facts(answers)
    facts |= _id_facts(facts)
    facts |= _demand_facts(item.workload)
    facts["other_classes"] = "yes" if classes > 1 else "no"
    facts["release"] = _span(release)
    return facts


def _span(release: tuple[int, int]) -> str:
    """Between which changes of the schedulers a release lies."""
    if release < PREFETCH_ENDS_SINCE:
        return "before 23.08"
    return "before 25.01" if release < IDS_TYPED_SINCE else "from 25.01"


def _life_facts(answers: Answers) -> dict[str, str]:
    life = answers.lifecycle
    marked = life.start_marked == "yes" or life.end_marked in ("yes", "sometimes")
    return {
        "marked": "yes" if marked else "no",
        "marks": "unknown" if "unknown" in (life.start_marked, life.end_marked) else "known",
        "end_causes": "known" if set(ENDS_ANYHOW) <= set(life.ends_on) else "missing",
    }


def _id_facts(facts: dict[str, str]) -> dict[str, str]:
    asked = [name for name in facts if name.startswith("id_")]
    control, kind = facts["id_control"], facts["id_type"]
    clash = kind in _TYPED and control not in ("none", "unknown", *_TYPED[kind])
    return {
        "id_open": "yes" if any(facts[name] == "unknown" for name in asked) else "no",
        "id_types_agree": "no" if clash else "yes",
    }


def _model_facts(
    answers: Answers, choice: ModelChoice, template: Template | None
) -> dict[str, str]:
    declared = model_place(choice, template)
    said = answers.state_place
    agree = said in _OPEN or declared in ("", "none") or said == declared
    stateful = ""
    if template is not None:
        stateful = "yes" if template.stateful else "no"
    elif choice.declared is not None and choice.declared.keeps_state != "unknown":
        stateful = choice.declared.keeps_state
    return {
        "places_agree": "yes" if agree else "no",
        "place": "unknown" if not agree else (declared or said if said in _OPEN else said),
        "model_stateful": stateful,
        "model_backend": template.backend if template is not None else answers.serving.backend,
    }


def _demand_facts(workload: Workload) -> dict[str, str]:
    answers, demand, traffic = workload.answers, workload.demand, workload.traffic
    policy = demand.priority_levels > 0 or (
        demand.deadline_ms is not None and demand.when_late == "refuse"
    )
    late = (
        demand.deadline_ms is not None
        and demand.execution_ms is not None
        and demand.deadline_ms <= demand.execution_ms
    )
    return {
        "ready_together": _ready_together(answers, demand),
        "live": _live(demand),
        "gap": _gap(traffic, demand),
        "lengths": _lengths(traffic),
        "deadline": "yes" if demand.deadline_ms is not None else "no",
        "deadline_kept": "no" if late else "yes",
        "priorities": "yes" if demand.priority_levels > 0 else "no",
        "queue_policy": "yes" if policy else "no",
        "cancels": "yes" if demand.cancel_share else "no",
    }


def _ready_together(answers: Answers, demand: Demand) -> str:
    if answers.arrivals == "one_caller" or demand.live_sessions == 1:
        return "no"
    return "unknown" if answers.arrivals == "unknown" else "yes"


def _live(demand: Demand) -> str:
    if demand.live_sessions is None:
        return "unknown"
    return "some" if demand.live_sessions > 1 else "few"


def _gap(traffic: Traffic, demand: Demand) -> str:
    longest = traffic.longest_gap_ms or traffic.gaps.longest_ms
    if not longest:
        return "unknown"
    return (
        "long"
        if longest + (demand.execution_ms or 0) >= DEFAULT_IDLE_MICROSECONDS / 1000
        else "short"
    )


def _lengths(traffic: Traffic) -> str:
    """Whether some mix has sessions far longer than its short ones."""
    if not traffic.mixes:
        return "single"
    for groups in traffic.mixes.values():
        longest = [group.steps[1] for group in groups]
        if max(longest) >= LONG_BESIDE_SHORT * min(longest):
            return "mixed"
    return "alike"


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
    if fact.startswith(CONTRADICTION):
        asked = (
            question
            for item in contradictions(with_answer(answers, "state_place", facts["place"]))
            if fact == f"{CONTRADICTION}{item.id}"
            for question in item.questions
        )
        return tuple(
            given
            for question in asked
            for given in (
                evidence("place", facts, answers, template, declared)
                if question == "state_place"
                else (Answered.of(answers, question),)
            )
        )
    name = template.title if template is not None else "The model"
    if fact == "model_stateful":
        kept = "keeps state" if facts[fact] == "yes" else "keeps no state"
        return (Answered(question="model", answer=facts[fact], text=f"{name} {kept}"),)
    if fact in _DEMANDED:
        return (Answered(question="demand", answer=facts[fact], text=_DEMANDED[fact][facts[fact]]),)
    if fact in ("place", "places_agree"):
        given = (Answered.of(answers, "state_place"),)
        if declared in ("", "none") or (
            answers.state_place not in _OPEN and fact == "place" and facts["places_agree"] == "yes"
        ):
            return given
        text = f"{name} finds it by {declared.replace('_', ' ')}"
        return (*given, Answered(question="model", answer=declared, text=text))
    return ()


_DEMANDED: Final[dict[str, dict[str, str]]] = {
    "live": {
        "unknown": "The number of live sessions is not known",
        "few": "One session is live at a time",
        "some": "Several sessions are live at once",
    },
    "gap": {
        "unknown": "The longest pause is not known",
        "short": "No pause reaches a second",
        "long": "A live session may be silent for a second or more",
    },
    "lengths": {
        "single": "Every request is a session of its own",
        "alike": "Sessions are of similar length",
        "mixed": "Long sessions run beside short ones",
    },
    "deadline": {"yes": "Replies have a deadline", "no": "Replies have no deadline"},
    "priorities": {"yes": "Some callers go first", "no": "All callers are alike"},
    "deadline_kept": {"no": "An execution alone exceeds the deadline", "yes": ""},
    "queue_policy": {"yes": "Priorities or refusing late requests is asked for", "no": ""},
    "other_classes": {"yes": "The study has other classes", "no": ""},
    "release": {
        "before 23.08": "The release is before 23.08",
        "before 25.01": "The release is before 25.01",
        "from 25.01": "",
    },
    "cancels": {"yes": "Some sessions are cancelled", "no": "No share of cancels is given"},
    "ready_together": {
        "yes": "Several requests can wait together",
        "no": "No two requests ever wait together",
        "unknown": "Not known whether requests wait together",
    },
}
