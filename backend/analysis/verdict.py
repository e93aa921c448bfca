"""From properties, objectives and what went wrong to a verdict with its reasons.

A candidate **fails** if Triton refused it, if it ended the server, if a property is violated in any
cell, if requests stayed unanswered, or if a stated objective is exceeded in any cell. It **passes**
if, in every planned cell, replies were judged and hold the premise of its class (M21 for sessions,
M26 for independent requests). Everything else is **no verdict**: trials missing or void, nothing
judged, or luck: a scheduler that binds no session to an instance promises a stateful class nothing,
so that its replies were right this time shows nothing about the next time.

A property that is *not shown* does not fail a candidate, but its reasons name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from backend.analysis.cells import ALL_LENGTHS, cell_parts, cell_words
from backend.analysis.inputs import CandidateResult, ClassResult
from backend.analysis.objectives import objectives_met
from backend.analysis.wording import count, listed
from backend.contracts.exit_codes import ExitCode
from backend.contracts.findings import (
    CandidateFinding,
    ClassFinding,
    Findings,
    GroupFinding,
    PropertyFinding,
    Relation,
    StudyVerdict,
)

PREMISES: Final = ("M21", "M26")
"""Properties that decide whether the batcher suits the traffic; the others are beside them."""

WITHOUT_AFFINITY: Final = ("dynamic", "no-batching")
"""Candidates that send a session's requests to whichever instance is free."""

EXPECTED_OUTCOMES: Final = ("ok", "cancelled", "not_sent")
"""``not_sent`` follows from an earlier outcome of its session, which counts itself."""

_RELATIONS: Final[dict[Relation, str]] = {
    "other_session": "from another session's context",
    "own_stale": "from the session's own stale state",
    "reset": "from a reset state",
    "unknown": "from an unknown context",
}

_ORDER: Final[tuple[StudyVerdict, ...]] = ("fail", "no_verdict", "pass")


def worst(verdicts: Iterable[StudyVerdict]) -> StudyVerdict:
    """Fail before no verdict before pass; no verdict if there are none."""
    return min(verdicts, key=_ORDER.index, default="no_verdict")


def exit_code(findings: Findings) -> ExitCode:
    """The exit code of ``run`` and ``report`` for these findings."""
    if findings.status == "interrupted":
        return ExitCode.INTERRUPTED
    codes: dict[StudyVerdict, ExitCode] = {
        "pass": ExitCode.PASS,
        "fail": ExitCode.FAIL,
        "no_verdict": ExitCode.NO_VERDICT,
    }
    return codes[findings.verdict]


def candidate_verdict(
    result: CandidateResult, of: ClassResult, groups: Sequence[GroupFinding]
) -> tuple[StudyVerdict, tuple[str, ...]]:
    """The verdict on one candidate, with reasons: what decided first, then what is to be known.

    Args:
        result: What the candidate's trials gave.
        of: Its class: whether it is stateful, its cells and objectives.
        groups: Figures of its valid trials (void ones left out).
    """
    failed = [*_refusals(result), *_violations(result.properties), *_unanswered(result)]
    missed, unsure = objectives_met(of.objectives, groups)
    failed += missed
    if failed:
        return "fail", (*failed, *_lesser(result), *unsure)
    missing = _missing(result, of)
    if missing:
        return "no_verdict", (*missing, *_lesser(result), *unsure)
    return "pass", (*_held(result.properties), *_lesser(result), *unsure)


def _refusals(result: CandidateResult) -> list[str]:
    found = []
    if result.load_failure is not None:
        found.append(f"Triton did not load {result.name}: {result.load_failure}")
    if result.server_end is not None:
        found.append(result.server_end)
    return found


def _by_cell(
    properties: Sequence[PropertyFinding],
) -> dict[tuple[str, str, str], list[PropertyFinding]]:
    """Properties by (row, title, cell); where there is one for all lengths, that one alone."""
    found: dict[tuple[str, str, str], list[PropertyFinding]] = {}
    for item in properties:
        found.setdefault((item.row, item.title, item.cell), []).append(item)
    for key, items in found.items():
        whole = [item for item in items if item.length_group == ALL_LENGTHS]
        found[key] = whole or items
    return found


def _violations(properties: Sequence[PropertyFinding]) -> list[str]:
    found = []
    for (row, title, cell), items in _by_cell(properties).items():
        if not any(item.verdict == "violated" for item in items):
            continue
        violated = sum(item.violation_count for item in items)
        checked = sum(item.checked_count for item in items)
        text = f"{row} violated ({title}), {cell_words(cell)}: {violated:,} of {checked:,}"
        shares = [
            (sum(item.relations.get(relation, 0) for item in items), words)
            for relation, words in _RELATIONS.items()
        ]
        parts = [f"{number_of:,} {words}" for number_of, words in shares if number_of]
        notes = dict.fromkeys(i.note for i in items if i.verdict == "violated" and i.note)
        said = f"{text}: {listed(parts)}." if parts else f"{text}."
        found.append(" ".join((said, *notes)))
    return found


def _unanswered(result: CandidateResult) -> list[str]:
    # of void trials too: no lateness of the load generator makes the server owe a reply
    table = result.table
    outcomes = table["outcome"].to_numpy()
    bad = ~np.isin(outcomes, EXPECTED_OUTCOMES)
    if not bad.any():
        return []
    names, counts = np.unique(outcomes[bad].astype(str), return_counts=True)
    kinds = listed([f"{n:,} {name}" for name, n in zip(names, counts.tolist(), strict=True)])
    sent = int((outcomes != "not_sent").sum())
    text = f"{int(bad.sum()):,} of {count(sent, 'request')} were not answered ({kinds})"
    texts = table["error"].to_numpy()[bad]
    told = [str(error) for error in texts if isinstance(error, str) and error]
    return [f"{text}; the first: {told[0]}" if told else f"{text}."]


def _missing(result: CandidateResult, of: ClassResult) -> list[str]:
    """What keeps a candidate that did not fail from passing."""
    done = len(result.trials)
    if done == 0:
        return [f"No trial of {result.name} finished."]
    found = []
    if done < result.planned:
        found.append(f"Only {done} of {count(result.planned, 'trial')} finished.")
    valid = set(result.valid_table["cell"].unique())
    empty = [cell.name for cell in of.cells if cell.name not in valid]
    for cell in empty:
        void = [result.void[t] for t in result.trials_of(cell) if t in result.void]
        why = f"all its trials are void: {void[0]}" if void else "no trial finished"
        found.append(f"Nothing measured, {cell_words(cell)}: {why.rstrip('.')}.")
    premises = [item for item in result.properties if item.row in PREMISES]
    for cell in sorted(valid):
        judged = [item for item in premises if item.cell == cell]
        if not any(item.verdict == "holds" and item.checked_count > 0 for item in judged):
            notes = [item.note for item in judged if item.note]
            why = notes[0] if notes else "no reply could be judged."
            found.append(f"Not shown, {cell_words(cell)}: {why}")
    if result.unpromised is not None:
        found.append(f"That {result.name} held is luck: {result.unpromised}")
    elif of.stateful and result.name in WITHOUT_AFFINITY and valid:
        found.append(_luck(result.name, valid))
    return found


def _luck(name: str, cells: Iterable[str]) -> str:
    if all(cell_parts(cell).instances == 1 for cell in cells):
        return f"{name} held only because one instance served everything."
    return (
        f"That {name} held is luck: it binds no session to an instance, so a session's next "
        "request can reach an instance that does not have its state."
    )


def _held(properties: Sequence[PropertyFinding]) -> list[str]:
    checks: dict[tuple[str, str], int] = {}
    cells: dict[tuple[str, str], set[str]] = {}
    for (row, title, cell), items in _by_cell(properties).items():
        held = [item for item in items if item.verdict == "holds"]
        if held:
            checks[row, title] = checks.get((row, title), 0) + sum(i.checked_count for i in held)
            cells.setdefault((row, title), set()).add(cell)
    return [
        f"{row} holds ({title}): {count(checks[row, title], 'check')} "
        f"in {count(len(places), 'cell')}, none violated."
        for (row, title), places in cells.items()
    ]


def _lesser(result: CandidateResult) -> list[str]:
    """What does not decide, but must be known: not shown, notes on what held, void trials."""
    found = []
    all_cells = {item.cell for item in result.properties}
    remarks: dict[tuple[str, str, str, str], dict[str, None]] = {}
    for (row, title, cell), items in _by_cell(result.properties).items():
        whole = all(item.verdict == "not_shown" for item in items)
        for item in items:
            # a length group without checks beside one that held is a matter of its size alone
            if (item.verdict == "not_shown" and whole) or (item.verdict == "holds" and item.note):
                key = (row, title, item.verdict, item.note)
                remarks.setdefault(key, {})[cell] = None
    for (row, title, verdict, note), cells in remarks.items():
        words = "not shown" if verdict == "not_shown" else "held"
        place = "" if set(cells) == all_cells else f", {'; '.join(map(cell_words, cells))}"
        found.append(f"{row} {words} ({title}){place}{f': {note}' if note else '.'}")
    found += [
        f"Trial {trial} is void and its figures are left out: {why}"
        for trial, why in sorted(result.void.items())
    ]
    return found


def class_verdict(
    proposed: str | None, candidates: Sequence[CandidateFinding]
) -> tuple[StudyVerdict, tuple[str, ...]]:
    """The proposed candidate's verdict; the others are told in one line each."""
    chosen = next((item for item in candidates if item.name == proposed), None)
    if chosen is None:
        why = (
            "No candidate is proposed for this class."
            if proposed is None
            else f"The proposed candidate {proposed} was not tried."
        )
        return "no_verdict", (why, *map(_one_line, candidates))
    others = [_one_line(item) for item in candidates if item.name != proposed]
    return chosen.verdict, (*(f"{chosen.name}: {r}" for r in chosen.reasons), *others)


def _one_line(item: CandidateFinding) -> str:
    words = {"pass": "passes", "fail": "fails", "no_verdict": "has no verdict"}[item.verdict]
    first = f": {item.reasons[0]}" if item.reasons and item.verdict != "pass" else "."
    return f"{item.name} {words}{first}"


def study_verdict(
    classes: dict[str, ClassFinding], judged_candidate: str | None
) -> tuple[StudyVerdict, tuple[str, ...]]:
    """The verdict on all classes' proposed candidates, or on one candidate by name."""
    verdicts: list[StudyVerdict] = []
    reasons: list[str] = []
    for name, item in classes.items():
        if judged_candidate is None:
            verdicts.append(item.verdict)
            words = {"pass": "passes", "fail": "fails", "no_verdict": "has no verdict"}
            chosen = item.proposed or "no candidate"
            first = f": {item.reasons[0]}" if item.reasons else "."
            reasons.append(f"{name}, {chosen} proposed, {words[item.verdict]}{first}")
            continue
        for candidate in item.candidates:
            if candidate.name == judged_candidate:
                verdicts.append(candidate.verdict)
                reasons += [f"{name}, {judged_candidate}: {r}" for r in candidate.reasons]
    if not verdicts:
        reasons.append(f"No class of this study has the candidate {judged_candidate}.")
    return worst(verdicts), tuple(reasons)
