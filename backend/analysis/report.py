"""Assembles ``findings.json`` from what a run hands over."""

from __future__ import annotations

from typing import Literal

from backend.analysis.compare import compare_requests
from backend.analysis.groups import requests_groups
from backend.analysis.inputs import CandidateResult, ClassResult, StudyResult
from backend.analysis.requests import Requests
from backend.analysis.verdict import candidate_verdict, class_verdict, study_verdict
from backend.contracts.findings import (
    CandidateFinding,
    ClassFinding,
    Findings,
    PropertyFinding,
)

MOST_VIOLATIONS = 100
"""Violations kept one by one in a property; the count and the relations tell of all."""

_METHOD = (
    "Quantiles are nearest-rank values of answered requests, and absent where fewer than ten lie "
    "beyond: p50 needs 20 answered requests, p90 100, p99 1,000, p99.9 10,000.",
    "Intervals hold at 95 %: standard error from a bootstrap over rounds, Student's t for their "
    "number, on the logarithm; absent with fewer than three rounds.",
)

_LOOPS = {
    "closed_loop": (
        "Response time counts from sending. In a closed loop a session sends its next request "
        "after its reply, so a slow server also slows its own load: under arrivals that do not "
        "wait, tails can be longer."
    ),
    "open_loop": "Response time counts from the scheduled time, so late sends count as waiting.",
}


def build_findings(result: StudyResult, *, seed: int = 0) -> Findings:
    """All findings of a run: figures, comparisons, verdicts, reasons.

    Void trials give no figures; their replies were still judged. An interrupted run can fail by
    what it showed, but not pass.

    Args:
        result: What the run handed over.
        seed: The study's seed, for the draws of rounds where there are more than seven.

    Raises:
        InputError: if a table holds a cell or length group that no study can have.
    """
    classes = {item.name: _class(item, seed) for item in result.classes}
    verdict, reasons = study_verdict(classes, result.judged_candidate)
    if result.interrupted:
        done = f"The run was interrupted: {result.trials_done} of {result.trials_planned} trials."
        reasons = (done, *reasons)
        verdict = "fail" if verdict == "fail" else "no_verdict"
    return Findings(
        study=result.study,
        status=_status(result),
        verdict=verdict,
        reasons=reasons,
        judged_candidate=result.judged_candidate,
        trials_planned=result.trials_planned,
        trials_done=result.trials_done,
        classes=classes,
        notes=(*result.notes, *_notes(result)),
    )


def _status(result: StudyResult) -> Literal["complete", "interrupted", "void"]:
    if result.interrupted:
        return "interrupted"
    candidates = [item for part in result.classes for item in part.candidates]
    trials = [trial for item in candidates for trial in item.trials]
    void = [trial for item in candidates for trial in item.trials if trial in item.void]
    return "void" if trials and len(void) == len(trials) else "complete"


def _notes(result: StudyResult) -> tuple[str, ...]:
    found = [*_METHOD, *(_LOOPS[name] for name in {item.arrivals: 0 for item in result.classes})]
    found += [
        f"{item.name}: gaps are {item.time_scale:g} of real life and the server's work is not "
        "shortened, so its load is denser than in real life; objectives in real milliseconds are "
        "compared with times as measured."
        for item in result.classes
        if item.time_scale != 1
    ]
    return tuple(found)


def _class(item: ClassResult, seed: int) -> ClassFinding:
    requests = {
        candidate.name: Requests(candidate.valid_table, item.arrivals)
        for candidate in item.candidates
    }
    candidates = tuple(
        _candidate(candidate, item, requests[candidate.name], seed) for candidate in item.candidates
    )
    wrong = {
        (candidate.name, found.cell)
        for candidate in candidates
        for found in candidate.properties
        if found.verdict == "violated"
    }
    verdict, reasons = class_verdict(item.proposed, candidates)
    return ClassFinding(
        proposed=item.proposed,
        verdict=verdict,
        reasons=reasons,
        candidates=candidates,
        comparisons=compare_requests(
            {name: part for name, part in requests.items() if len(part.table)},
            proposed=item.proposed,
            stateful=item.stateful,
            wrong=wrong,
            seed=seed,
        ),
    )


def _candidate(
    result: CandidateResult, of: ClassResult, requests: Requests, seed: int
) -> CandidateFinding:
    groups = requests_groups(requests, seed=seed)
    verdict, reasons = candidate_verdict(result, of, groups)
    return CandidateFinding(
        name=result.name,
        proposed=result.name == of.proposed,
        verdict=verdict,
        reasons=reasons,
        properties=tuple(map(_bounded, result.properties)),
        groups=groups,
        domain=result.domain,
        trials=result.trials,
        load_failure=result.load_failure,
    )


def _bounded(item: PropertyFinding) -> PropertyFinding:
    if len(item.violations) <= MOST_VIOLATIONS:
        return item
    return item.model_copy(update={"violations": item.violations[:MOST_VIOLATIONS]})
