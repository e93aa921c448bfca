"""Propose: which batcher follows from the answers and why; the candidates' files side by side."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st

from backend.advice.recommendation import Recommendation, Risk
from backend.modelconfig.compare import differences
from backend.modelconfig.explain import explain
from backend.studies.drafts import Draft
from backend.workload.questions import QUESTIONS, Answered
from backend.workload.study import Study, TrafficClass
from pages.parts import candidates, choose, edit, errors, guard, layout, linked
from pages.parts.glossary import term
from pages.parts.words import breakable, plain

guard.framed("propose")

FITS: Final = {
    "right": ":green[:material/check_circle: keeps the answers right]",
    "wrong": ":red[:material/cancel: does not keep the answers right]",
    "unsure": ":orange[:material/help: too little is known]",
    "baseline": ":gray[:material/straighten: baseline to measure against]",
}


def page() -> None:
    layout.head(
        "Propose a configuration",
        "What follows from the answers, by which rule, and the file of every candidate.",
    )
    draft = choose.draft()
    if draft is None:
        return
    edit.refusal()
    item = choose.traffic_class(draft.study)
    advice = candidates.recommendation(item)
    proposal(draft, item, advice)
    with errors.shown():
        reasons(advice)
    with errors.shown():
        table(advice)
    with errors.shown():
        files(draft.study, item)
    layout.next_step(
        "test",
        "Test it",
        "Run the candidates on a real Triton; a recommendation is not a proof.",
        {"draft": draft.id},
    )
    edit.saved(draft)


def proposal(draft: Draft, item: TrafficClass, advice: Recommendation) -> None:
    with st.container(border=True):
        st.markdown(f"### {plain(advice.summary)}", anchors=False)
        st.markdown(
            f"Proposed for {plain(item.name)}: **{advice.proposed}**",
            help=term("dynamic batcher", "sequence batcher", "direct"),
        )
        st.caption(plain(advice.confidence))
        for contradiction in advice.contradictions:
            st.warning(plain(contradiction.sentence), icon=":material/warning:")
        if advice.unknowns or advice.contradictions:
            layout.link(
                "describe",
                "Answer what is open",
                ":material/edit:",
                {"draft": draft.id, "class": item.name},
            )


def answers_line(answers: tuple[Answered, ...]) -> str:
    parts = []
    for given in answers:
        asked = _question_text(given)
        parts.append(f"{asked}**{plain(given.text)}**")
    return "; ".join(parts)


def _question_text(given: Answered) -> str:
    """The question, or nothing where the fact comes from the model and not from an answer."""
    known = {asked.id: asked.text for asked in QUESTIONS}
    return f"{plain(known[given.question])} " if given.question in known else ""


def reasons(advice: Recommendation) -> None:
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
        st.subheader("What would change it", anchor=False)
        if not advice.what_would_change:
            st.markdown("No single answer would lead to another proposal.")
        for change in advice.what_would_change:
            st.markdown(f"- {plain(change.sentence)}")
        if advice.unknowns:
            st.subheader("What is not known", anchor=False)
            for unknown in advice.unknowns:
                st.markdown(f"- **{plain(unknown.text)}** {plain(unknown.consequence)}")
        st.subheader("Risks", anchor=False)
        if not advice.risks:
            st.markdown("No rule names a risk for these answers.")
        for risk in advice.risks:
            show_risk(risk)


def show_risk(risk: Risk) -> None:
    of = "any candidate" if risk.candidate is None else risk.candidate
    with st.expander(f"{of}: {plain(risk.sentence)}", icon=":material/report:"):
        st.markdown(plain(risk.why))
        if risk.answers:
            st.markdown(f"Because of: {answers_line(risk.answers)}")
        st.caption(f"By {breakable(risk.source)} ({risk.since}).")


def table(advice: Recommendation) -> None:
    st.subheader("Decision table for this class", anchor=False)
    names = [cell.candidate for cell in advice.decision_table[0].cells]
    heads = [
        "Aspect",
        *(f"{name} (proposed)" if name == advice.proposed else name for name in names),
    ]
    rows = [
        [
            f"**{plain(row.aspect)}**",
            *(f"{plain(cell.text)} {plain(cell.reason)}" for cell in row.cells),
        ]
        for row in advice.decision_table
    ]
    rows.insert(0, ["**Fit for these answers**", *(FITS[advice.fits[name]] for name in names)])
    st.table(pd.DataFrame(rows, columns=heads), hide_index=True)


def files(study: Study, item: TrafficClass) -> None:
    st.subheader("Configuration of each candidate", anchor=False)
    template = candidates.model(item)
    if template is None:
        st.warning("The model of this class is not known here; choose one on the page Describe.")
        return
    counts = [str(count) for count in study.matrix.instances]
    instances = int(
        linked.one_of("Instances", counts, "instances", default=counts[-1], help=term("instance"))
    )
    found = candidates.shown(study, item, template, instances)
    names = [shown.name for shown in found]
    left, right = st.columns(2, gap="large")
    with left:
        first = one(found, linked.select("Candidate", names, "left"), "left")
    with right:
        other = names[1] if len(names) > 1 else names[0]
        second = one(found, linked.select("Beside it", names, "right", default=other), "right")
    if first.config is not None and second.config is not None:
        side_by_side(first, second)


def one(found: list[candidates.Shown], name: str, side: str) -> candidates.Shown:
    shown = next(item for item in found if item.name == name)
    if shown.refused is not None:
        errors.show(shown.refused)
        return shown
    st.code(shown.text, language="yaml", wrap_lines=True, height=520)
    st.download_button(
        "Download config.pbtxt",
        shown.text,
        file_name="config.pbtxt",
        mime="text/plain",
        icon=":material/download:",
        on_click="ignore",
        key=f"propose_download_{side}",
    )
    with st.expander("What Triton does with it", icon=":material/subject:"):
        st.markdown("\n".join(f"- {plain(sentence)}" for sentence in explain(shown.config)))
    return shown


def side_by_side(first: candidates.Shown, second: candidates.Shown) -> None:
    st.markdown(f"**What differs between {first.name} and {second.name}**")
    found = differences(first.config, second.config)
    if not found:
        st.markdown("Nothing: both are the same file.")
        return
    st.table(
        pd.DataFrame(
            [
                [breakable(row.field), _value(row.left), _value(row.right), plain(row.effect)]
                for row in found
            ],
            columns=["Field", first.name, second.name, "What it decides"],
        ),
        hide_index=True,
    )


def _value(text: str | None) -> str:
    return "not set" if text is None else breakable(text)


page()
