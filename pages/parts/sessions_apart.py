"""Do the sessions stay apart: decisions and contexts as lanes, properties, single violations."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from backend.analysis.cells import cell_parts, cell_words, group_words
from backend.analysis.decisions import DecisionLanes
from backend.charts.decisions import decision_lanes_sentence, decision_panel
from backend.charts.lanes import context_lanes, context_lanes_sentence
from backend.contracts.findings import (
    CandidateFinding,
    ClassFinding,
    DomainFinding,
    PropertyFinding,
    Violation,
)
from backend.studies.results import OpenedRun
from backend.workload.study import SINGLE_MIX
from pages.parts import errors, linked, opened, verdicts
from pages.parts.glossary import term
from pages.parts.words import plain

RELATIONS = {
    "other_session": "another session's context",
    "own_stale": "its own stale state",
    "reset": "a reset state",
    "unknown": "an unknown context",
}


def view(run: OpenedRun, name: str, found: ClassFinding, cell: str) -> None:
    """Everything on one class in one cell."""
    with errors.shown():
        decided(run, name, found, cell)
    # a request that stands alone has no context but its own; its property says what was found
    if not stands_alone(cell):
        with errors.shown():
            contexts(run, name, found, cell)
    with errors.shown():
        properties(found, cell)
    with errors.shown():
        violations(found, cell)


def stands_alone(cell: str) -> bool:
    """Whether the sessions of a cell are single requests."""
    return cell_parts(cell).mix == SINGLE_MIX


def decided(run: OpenedRun, name: str, found: ClassFinding, cell: str) -> None:
    """What each session was told: the right candidate beside the wrong one."""
    domains = {
        item.name: domain for item in found.candidates for domain in item.domain
        if domain.cell == cell
    }  # fmt: skip
    if not domains:
        return
    sides = [side for side in (_side(run, name, item, cell) for item in _pair(found)) if side]
    told = "request" if stands_alone(cell) else "session"
    st.subheader(f"What each {told} was told", anchor=False)
    if sides:
        _panels(sides, domains)
    else:
        for candidate, domain in domains.items():
            _sentence(candidate, domain)
    rows = [
        {
            "Candidate": candidate,
            "Session": session.title,
            "Replies": session.replies,
            "Differing": session.differing,
            "Changed decisions": session.flipped,
            "Largest difference": session.largest_difference,
            "What it meant": session.sentence,
        }
        for candidate, domain in domains.items()
        for session in domain.sessions
    ]
    with st.expander("The same as a table", icon=":material/table:"):
        st.dataframe(
            pd.DataFrame(rows),
            hide_index=True,
            column_config={
                "Largest difference": st.column_config.NumberColumn(format="%.3f"),
                "What it meant": st.column_config.TextColumn(width="large"),
            },
        )


def _panels(sides: list[DecisionLanes], domains: dict[str, DomainFinding]) -> None:
    """The candidates' lanes beside each other, on one scale of time."""
    ends = [float(side.segments["end"].max()) for side in sides if len(side.segments)]
    for column, side in zip(st.columns(len(sides), gap="medium"), sides, strict=True):
        with column:
            if side.candidate in domains:
                _sentence(side.candidate, domains[side.candidate])
    # a row of their own, so that sentences of different length leave the charts level
    for column, side in zip(st.columns(len(sides), gap="medium"), sides, strict=True):
        chart = decision_panel(side, until=max(ends, default=None))
        if chart is not None:
            column.altair_chart(chart, alt=decision_lanes_sentence(side))
    st.caption(
        "Above, what the session was told when it was replayed alone; below, what it was told "
        "among the others. A thick bar is the first decision, a thin line the other; changed "
        "replies carry a triangle."
    )


def _sentence(candidate: str, domain: DomainFinding) -> None:
    icon = ":material/warning:" if domain.flipped else ":material/check_circle:"
    st.markdown(f"{icon} **{candidate}**: {plain(domain.sentence)}")


def _pair(found: ClassFinding) -> list[CandidateFinding]:
    """The proposed candidate and the one that went most wrong, or the next one."""
    proposed = [item for item in found.candidates if item.proposed]
    others = [item for item in found.candidates if not item.proposed and item.trials]
    others.sort(key=lambda item: -sum(domain.flipped for domain in item.domain))
    return [*proposed, *others][:2]


def _side(run: OpenedRun, name: str, item: CandidateFinding, cell: str) -> DecisionLanes | None:
    trials = run.trials(request_type=name, candidate=item.name, cell=cell)
    return opened.decisions(run, trials[0]) if trials else None


def contexts(run: OpenedRun, name: str, found: ClassFinding, cell: str) -> None:
    """Whose context each reply used, over time, for one candidate."""
    st.subheader("Whose context each reply used", anchor=False, help=term("lineage", "session"))
    tried = [item for item in found.candidates if run.trials(
        request_type=name, candidate=item.name, cell=cell)]  # fmt: skip
    if not tried:
        st.caption("No trial has finished in this cell.")
        return
    wrong = [item.name for item in tried if item.verdict == "fail"]
    names = [item.name for item in tried]
    left, right = st.columns([2, 1])
    with left:
        chosen = linked.one_of("Candidate", names, "candidate", default=(wrong or names)[0])
    trials = run.trials(request_type=name, candidate=chosen, cell=cell)
    with right:
        rounds = [str(index + 1) for index in range(len(trials))]
        number = linked.one_of("Round", rounds, "round", help=term("round"))
    data = opened.lanes(run, trials[int(number) - 1])
    chart = context_lanes(data)
    if chart is None:
        st.caption("No request was sent in this trial.")
        return
    sentence = context_lanes_sentence(data)
    st.markdown(plain(sentence))
    st.altair_chart(chart, alt=sentence)
    with st.expander("The same as a table", icon=":material/table:"):
        st.dataframe(
            pd.DataFrame(
                [
                    {
                        "Session": lane.title,
                        "Replies": lane.replies,
                        "Wrong": lane.wrong,
                        "First wrong reply": lane.first_wrong,
                    }
                    for lane in data.lanes
                ]
            ),
            hide_index=True,
        )


def properties(found: ClassFinding, cell: str) -> None:
    """What was checked and how it came out, candidate beside candidate."""
    st.subheader("What was checked", anchor=False)
    lines: dict[tuple[str, str, str], dict[str, PropertyFinding]] = {}
    for item in found.candidates:
        for checked in item.properties:
            if checked.cell == cell:
                line = (checked.row, checked.title, checked.length_group)
                lines.setdefault(line, {})[item.name] = checked
    if not lines:
        st.caption("Nothing was checked in this cell.")
        return
    shown = {
        line: by for line, by in lines.items()
        if any(checked.verdict != "not_shown" for checked in by.values())
    }  # fmt: skip
    names = [item.name for item in found.candidates]
    # what is violated is read first
    order = sorted(shown, key=lambda line: not _violated(shown[line]))
    rows = [
        {
            "Property": f"{plain(title)} ({row})",
            "Sessions": group_words(group),
            **{name: _outcome(shown[row, title, group].get(name)) for name in names},
        }
        for row, title, group in order
    ]
    if rows:
        st.table(pd.DataFrame(rows), hide_index=True)
    remarks(lines)


def _violated(by: dict[str, PropertyFinding]) -> bool:
    return any(checked.verdict == "violated" for checked in by.values())


def _outcome(checked: PropertyFinding | None) -> str:
    if checked is None:
        return "not tried"
    mark = verdicts.property_mark(checked.verdict).text()
    if checked.verdict == "not_shown":
        return mark
    if not checked.violation_count:
        return f"{mark}, {checked.checked_count:,} checked"
    named = ", ".join(
        f"{number:,} from {RELATIONS[relation]}"
        for relation, number in checked.relations.items()
        if number
    )
    return f"{mark}, {checked.violation_count:,} of {checked.checked_count:,}: {named}"


def remarks(lines: dict[tuple[str, str, str], dict[str, PropertyFinding]]) -> None:
    """Why a property was violated, held or could not be shown: each remark once."""
    said: dict[tuple[str, str, str], list[str]] = {}
    for (row, title, _), by in lines.items():
        for name, checked in by.items():
            if checked.note:
                names = said.setdefault((checked.verdict, f"{title} ({row})", checked.note), [])
                if name not in names:
                    names.append(name)
    if not said:
        return
    order = {"violated": 0, "not_shown": 1, "holds": 2}
    with st.expander(f"Remarks ({len(said)})", icon=":material/help:"):
        for (verdict, title, note), names in sorted(said.items(), key=lambda i: order[i[0][0]]):
            mark = next(
                verdicts.property_mark(checked.verdict)
                for by in lines.values()
                for checked in by.values()
                if checked.verdict == verdict
            )
            st.markdown(f"- {mark.text()} **{plain(title)}**, {', '.join(names)}: {plain(note)}")


def violations(found: ClassFinding, cell: str) -> None:
    """The listed violations one by one."""
    rows = [
        _violation(item.name, checked.row, violation)
        for item in found.candidates
        for checked in item.properties
        if checked.cell == cell
        for violation in checked.violations
    ]
    if not rows:
        return
    with st.expander(
        f"Wrong replies one by one ({len(rows):,} listed)", icon=":material/format_list_bulleted:"
    ):
        st.caption(
            f"{cell_words(cell)}. Of each property and length group the first hundred are listed; "
            "the requests tables hold all. Expected and observed are digests of the replies."
        )
        st.dataframe(pd.DataFrame(rows), hide_index=True)


def _violation(candidate: str, row: str, violation: Violation) -> dict[str, object]:
    context = violation.context_of
    return {
        "Candidate": candidate,
        "Property": row,
        "Trial": violation.trial,
        "Round": violation.repeat + 1,
        "Session": violation.session,
        "Step": violation.step,
        "Answered from": RELATIONS[violation.relation] if violation.relation else "–",
        "Of session": None if context is None else context.session,
        "Of step": None if context is None else context.step,
        "Expected": violation.expected,
        "Observed": violation.observed,
    }
