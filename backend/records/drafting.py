"""A new record from a run: evidence copied, rollback worked out, risks and limits named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from backend.advice.recommendation import Recommendation
from backend.analysis.cells import cell_parts
from backend.analysis.wording import listed
from backend.contracts.errors import InputError
from backend.contracts.findings import CandidateFinding, ClassFinding
from backend.records.advice_words import advice_words, known_risks, would_change
from backend.records.candidate_evidence import candidate_evidence, comparisons, verified
from backend.records.choices import check_all_chosen, check_choices, unsupported
from backend.records.context import class_context
from backend.records.limits import limits, open_points
from backend.records.record import (
    CandidateEvidence,
    Choice,
    ClassContext,
    DecisionRecord,
    Evidence,
    Option,
)
from backend.records.rollback import rollback
from backend.records.run_evidence import RunEvidence
from backend.records.texts import line, prose, sentences
from backend.workload.study import Study


def new_record(
    run: RunEvidence,
    chosen: str | Mapping[str, str],
    *,
    author: str,
    why: str | Mapping[str, str],
    instances: int | Mapping[str, int] | None = None,
    title: str = "",
    question: str = "",
    consequences: Sequence[str] = (),
    risks: Sequence[str] = (),
    revisit_when: Sequence[str] = (),
    advice: Mapping[str, Recommendation] | None = None,
    supersedes: int | None = None,
    at: datetime | None = None,
) -> DecisionRecord:
    """A proposed record, not yet stored.

    Args:
        run: What the run showed (``read_evidence``).
        chosen: The candidate by class; its name alone where the study has one class.
        author: Who writes it.
        why: Because of what: one text for all classes, or by class.
        instances: Model instances of the chosen configuration, by class or for all. Left out: the
            fewest with which the candidate was verified (of all tried, if it never was).
        title: Left out: made from the study and the choice.
        question: Left out: asks for the right batcher for the study's classes.
        consequences: What follows, in the author's words; measured comparisons are added.
        risks: In the author's words; what the evidence leaves open is added.
        revisit_when: In the author's words; the limits of what was tried are added.
        advice: The recommendation by class: its reasons go beside the workload, its risks for
            the chosen candidate and the answers that would change it where they belong.
        supersedes: Number of the accepted record that this one is to replace.
        at: When; now if left out.

    Raises:
        InputError: if a class or candidate is unknown or left out, or a name or reason is missing.
    """
    writer = line(author, "author")
    if not writer:
        raise InputError("The record names no author.", next_step="Give your name.", key="author")
    advised = advice or {}
    contexts = _contexts(run, advised)
    options = _options(run)
    decision = _decision(run, contexts, options, chosen, why, instances)
    evidence = _evidence(run)
    draft = DecisionRecord(
        title=line(title, "title") or _title(run.study, decision),
        question=prose(question, "question") or _question(contexts),
        author=writer,
        created_at=at or datetime.now(UTC),
        classes=contexts,
        study_yaml=run.study_yaml,
        options=options,
        evidence=evidence,
        decision=decision,
        rollback=tuple(
            rollback(choice, _context(contexts, choice.class_name), options) for choice in decision
        ),
        consequences=_joined(
            sentences(consequences, "consequences"), comparisons(run.findings, decision)
        ),
        revisit_when=_joined(
            sentences(revisit_when, "revisit_when"),
            (*limits(run, decision), *would_change(advised, decision)),
        ),
        supersedes=supersedes,
    )
    check_choices(draft)
    doubts = tuple(
        f"The evidence does not support the choice: {text}" for text in unsupported(draft)
    )
    return draft.model_copy(
        update={
            "risks": _joined(
                sentences(risks, "risks"),
                (*doubts, *open_points(evidence, decision), *known_risks(advised, decision)),
            )
        }
    )


def _contexts(run: RunEvidence, advised: Mapping[str, Recommendation]) -> tuple[ClassContext, ...]:
    contexts = []
    for item in run.study.classes:
        found = run.findings.classes.get(item.name)
        context = class_context(item, run.study, found.proposed if found else None)
        reasons = advice_words(advised[item.name]) if item.name in advised else ()
        contexts.append(context.model_copy(update={"advice": reasons}))
    return tuple(contexts)


def _context(contexts: Sequence[ClassContext], name: str) -> ClassContext:
    return next(context for context in contexts if context.name == name)


def _options(run: RunEvidence) -> tuple[Option, ...]:
    """Every candidate with every number of instances that it was tried with."""
    options: dict[tuple[str, str, int], Option] = {}
    for config in run.configs:
        instances = cell_parts(config.cell).instances
        finding = _finding(run, config.class_name, config.candidate)
        options.setdefault(
            (config.class_name, config.candidate, instances),
            Option(
                class_name=config.class_name,
                candidate=config.candidate,
                instances=instances,
                verified=finding is not None and verified(finding, instances),
                config_text=config.text,
                config_sha256=config.sha256,
            ),
        )
    return tuple(options[place] for place in sorted(options, key=lambda place: _order(run, place)))


def _order(run: RunEvidence, place: tuple[str, str, int]) -> tuple[int, int, int]:
    """As the study lists classes and the findings list candidates; fewest instances first."""
    names = [item.name for item in run.study.classes]
    found = run.findings.classes.get(place[0])
    candidates = [item.name for item in found.candidates] if found else []
    return (
        names.index(place[0]) if place[0] in names else len(names),
        candidates.index(place[1]) if place[1] in candidates else len(candidates),
        place[2],
    )


def _finding(run: RunEvidence, class_name: str, candidate: str) -> CandidateFinding | None:
    found: ClassFinding | None = run.findings.classes.get(class_name)
    for item in found.candidates if found else ():
        if item.name == candidate:
            return item
    return None


def _decision(
    run: RunEvidence,
    contexts: Sequence[ClassContext],
    options: Sequence[Option],
    chosen: str | Mapping[str, str],
    why: str | Mapping[str, str],
    instances: int | Mapping[str, int] | None,
) -> tuple[Choice, ...]:
    names = [context.name for context in contexts]
    if isinstance(chosen, str):
        if len(names) > 1:
            raise InputError(
                f"The study has {len(names)} classes, the decision names one candidate.",
                next_step=f"Choose a candidate for each of: {', '.join(names)}.",
            )
        chosen = {names[0]: chosen}
    check_all_chosen(names, list(chosen))
    choices = []
    for name, candidate in chosen.items():
        because = prose(why if isinstance(why, str) else why.get(name, ""), "why")
        if not because:
            raise InputError(
                f"The decision for the class '{name}' gives no reason.",
                next_step="Say because of what; the evidence is attached by itself.",
                key="why",
            )
        wanted = instances.get(name) if isinstance(instances, Mapping) else instances
        choices.append(
            Choice(
                class_name=name,
                candidate=candidate,
                instances=wanted or _fewest(options, name, candidate),
                because=because,
            )
        )
    order = {name: place for place, name in enumerate(names)}
    return tuple(sorted(choices, key=lambda choice: order.get(choice.class_name, len(order))))


def _fewest(options: Sequence[Option], class_name: str, candidate: str) -> int:
    tried = [o for o in options if (o.class_name, o.candidate) == (class_name, candidate)]
    if not tried:
        own = sorted({o.candidate for o in options if o.class_name == class_name})
        raise InputError(
            f"The run did not try {candidate} for the class '{class_name}'.",
            why=f"Tried: {', '.join(own) or 'nothing that finished'}.",
            next_step="Choose one that was tried, or run the study with it.",
        )
    return min(o.instances for o in ([o for o in tried if o.verified] or tried))


def _evidence(run: RunEvidence) -> Evidence:
    findings = run.findings
    copied: list[CandidateEvidence] = [
        candidate_evidence(name, item)
        for name, found in findings.classes.items()
        for item in found.candidates
    ]
    return Evidence(
        run=run.run,
        run_path=run.run_path,
        study=findings.study,
        status=findings.status,
        verdict=findings.verdict,
        reasons=findings.reasons,
        trials_done=findings.trials_done,
        trials_planned=findings.trials_planned,
        findings_sha256=run.findings_sha256,
        candidates=tuple(copied),
        comparisons=tuple(
            item.sentence for found in findings.classes.values() for item in found.comparisons
        ),
        notes=findings.notes,
        environment=run.environment,
    )


def _title(study: Study, decision: Sequence[Choice]) -> str:
    name = study.title or study.name
    if len(decision) == 1:
        return f"{name}: {decision[0].candidate}"
    return f"{name}: " + ", ".join(f"{c.candidate} for {c.class_name}" for c in decision)


def _question(contexts: Sequence[ClassContext]) -> str:
    names = listed([context.name for context in contexts])
    noun = "class" if len(contexts) == 1 else "classes"
    return f"Sequence batcher or dynamic batcher for the traffic {noun} {names}?"


def _joined(own: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """The author's sentences first, then those from the evidence; none twice."""
    return tuple(dict.fromkeys((*own, *found)))
