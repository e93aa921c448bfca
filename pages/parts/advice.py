"""A recommendation as a page shows it: why, what would change it, risks, the decision table."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st

from backend.advice.recommendation import Recommendation, Risk, TableCell, TableRow
from backend.advice.splits import splits
from backend.workload.questions import QUESTIONS, Answered
from backend.workload.study import Study
from pages.parts import candidates
from pages.parts.words import breakable, plain

FITS: Final = {
    "right": ":green[:material/check_circle: keeps the answers right]",
    "wrong": ":red[:material/cancel: does not keep the answers right]",
    "unsure": ":orange[:material/help: too little is known]",
    "baseline": ":gray[:material/straighten: baseline to measure against]",
}
HERE: Final = {
    "meets": ":green[:material/check: fits here.]",
    "breaks": ":red[:material/close: does not fit here.]",
    "open": ":orange[:material/help: open here.]",
    "unneeded": ":gray[:material/remove: not needed here.]",
    "baseline": ":gray[:material/straighten: baseline.]",
}
RISK_HERE: Final = HERE | {
    "meets": ":green[:material/check: not here.]",
    "breaks": ":red[:material/close: real here.]",
}
"""Of the row on risk: what fits there is that the typical risk is absent."""
RAISED: Final = {
    "instances": "Instances",
    "queue_delay": "Queue delay",
    "max_batch_size": "max_batch_size",
    "candidate_sequences": "Candidate sequences",
    "idle_limit": "Idle limit",
}


def reasons(advice: Recommendation) -> None:
    """Why it is proposed, beside what speaks against being sure."""
    why, doubt = st.columns(2, gap="large")
    with why:
        st.subheader("Why", anchor=False)
        for reason in advice.reasons:
            with st.container(border=True):
                because = answers_line(reason.answers)
                line = f"**{plain(reason.conclusion)}**"
                st.markdown(f"{line}  \nBecause of: {because}" if because else line)
                source = f"by {breakable(reason.source)} ({reason.since})"
                st.caption(f"{plain(reason.why)}  \nRule {plain(reason.rule)}, {source}.")
    with doubt:
        changes(advice)
        open_points(advice)
        risks(advice)


def answers_line(answers: tuple[Answered, ...]) -> str:
    """The answers that a rule rests on, in one line."""
    known = {asked.id: asked.text for asked in QUESTIONS}
    return "; ".join(
        f"{plain(known[given.question])} **{plain(given.text)}**"
        if given.question in known
        else f"**{plain(given.text)}**"
        for given in answers
    )


def changes(advice: Recommendation) -> None:
    """What would lead to another proposal."""
    st.subheader("What would change it", anchor=False)
    if not advice.what_would_change:
        st.markdown("No single answer would lead to another proposal.")
    for change in advice.what_would_change:
        st.markdown(f"- {plain(change.sentence)}")


def open_points(advice: Recommendation) -> None:
    """What is not known, and what has to be settled of the correlation ID."""
    points = {point.question for point in advice.id_points}
    unknown = [item for item in advice.unknowns if item.question not in points]
    if unknown:
        st.subheader("What is not known", anchor=False)
        for item in unknown:
            st.markdown(f"- **{plain(item.text)}** {plain(item.consequence)}")
    if advice.id_points:
        st.subheader("To settle of the correlation ID", anchor=False)
        for point in advice.id_points:
            st.markdown(f"- **{plain(point.text)}** {plain(point.sentence)}")


def risks(advice: Recommendation) -> None:
    """Risks of the proposal; those of the other candidates folded."""
    st.subheader("Risks", anchor=False)
    own = [risk for risk in advice.risks if risk.candidate in (None, advice.proposed)]
    others = [risk for risk in advice.risks if risk.candidate not in (None, advice.proposed)]
    if not own:
        st.markdown("No rule names a risk of the proposal for these answers.")
    for risk in own:
        show_risk(risk, plain(risk.sentence))
    if others:
        st.markdown("**Of the other candidates**")
    for risk in others:
        show_risk(risk, f"{risk.candidate}: {plain(risk.sentence)}")


def show_risk(risk: Risk, title: str) -> None:
    """One risk, folded."""
    with st.expander(title, icon=":material/report:"):
        st.markdown(plain(risk.why))
        if risk.answers:
            st.markdown(f"Because of: {answers_line(risk.answers)}")
        source = f"{breakable(risk.source)} ({risk.since})"
        st.caption(f"Rule {plain(risk.rule)}, by {source}.")


def table(advice: Recommendation) -> None:
    """The decision table, filled in for the class (M07)."""
    st.subheader("Decision table for this class", anchor=False)
    names = [cell.candidate for cell in advice.decision_table[0].cells]
    heads = [
        "Aspect",
        *(f"{name} (proposed)" if name == advice.proposed else name for name in names),
    ]
    rows = [
        [f"**{plain(row.aspect)}**", *(_cell(row, cell) for cell in row.cells)]
        for row in advice.decision_table
    ]
    rows.insert(0, ["**Fit for these answers**", *(FITS[advice.fits[name]] for name in names)])
    st.table(pd.DataFrame(rows, columns=heads), hide_index=True)


def _cell(row: TableRow, cell: TableCell) -> str:
    words = RISK_HERE if row.id == "risk" else HERE
    return f"{words[cell.here]} {plain(cell.text)} {plain(cell.reason)}"


def watch(advice: Recommendation) -> None:
    """What to look at before a value is raised (M13)."""
    st.subheader("Before raising a value", anchor=False)
    st.caption("The proposal starts small. Each step up is measured; this is what to look at.")
    found = sorted(advice.watch, key=lambda item: list(RAISED).index(item.before))
    rows = [[f"**{RAISED[item.before]}**", plain(item.sentence), plain(item.why)] for item in found]
    columns = ["Before raising", "Look", "Because"]
    st.table(pd.DataFrame(rows, columns=columns), hide_index=True)


def models(study: Study) -> None:
    """Which models, versions or endpoints the study's classes need (M14)."""
    if len(study.classes) < 2:
        return
    st.subheader("A model for each class", anchor=False)
    proposals = [
        (item.name, candidates.recommendation(item, study).proposed) for item in study.classes
    ]
    for split in splits(proposals):
        named = ", ".join(plain(name) for name in split.classes)
        st.markdown(f"- **{named}**: {split.proposed}; {plain(split.why)}.")
    st.caption("A scheduler section holds for every request of a model: no two classes share one.")
