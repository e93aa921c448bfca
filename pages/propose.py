"""Propose: which batcher follows from the answers and why; the candidates' files side by side."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st

from backend.advice.recommendation import Recommendation
from backend.contracts.errors import InputError
from backend.modelconfig.compare import differences
from backend.modelconfig.declared import template_of
from backend.modelconfig.explain import explain
from backend.modelconfig.lint.release import Release
from backend.studies.drafts import Draft
from backend.workload.study import Study, TrafficClass
from pages.parts import advice as advice_parts
from pages.parts import candidates, check_file, choose, edit, errors, guard, layout, linked
from pages.parts.glossary import term
from pages.parts.words import breakable, plain

guard.framed("propose")

VIEWS: Final = {"proposal": "The proposal", "check": "Check a file that exists"}


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
    view = linked.one_of(
        "What to look at",
        list(VIEWS),
        "view",
        format_func=VIEWS.__getitem__,
        label_visibility="collapsed",
    )
    if view == "check":
        with errors.shown():
            check(draft.study, item)
    else:
        propose(draft, item)
    layout.next_step(
        "test",
        "Test it",
        "Run the candidates on a real Triton; a recommendation is not a proof.",
        {"draft": draft.id},
    )
    edit.saved(draft)


def check(study: Study, item: TrafficClass) -> None:
    template = candidates.model(item)
    most = max(study.matrix.instances)
    shown = [] if template is None else candidates.shown(study, item, template, most)
    check_file.page(item, shown, study.triton_release)


def propose(draft: Draft, item: TrafficClass) -> None:
    advice = candidates.recommendation(item, draft.study)
    proposal(draft, item, advice)
    with errors.shown():
        advice_parts.reasons(advice)
    with errors.shown():
        advice_parts.table(advice)
    with errors.shown():
        advice_parts.watch(advice)
        advice_parts.models(draft.study)
    with errors.shown():
        files(draft, item)


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


def files(draft: Draft, item: TrafficClass) -> None:
    study = draft.study
    st.subheader("Configuration of each candidate", anchor=False)
    try:
        template = template_of(item.model, item.workload.answers)
    except InputError as error:
        errors.show(error)
        layout.link(
            "describe",
            "Choose or describe its model",
            ":material/edit:",
            {"draft": draft.id, "class": item.name, "part": "model"},
        )
        return
    counts = [str(count) for count in study.matrix.instances]
    instances = int(
        linked.one_of("Instances", counts, "instances", default=counts[-1], help=term("instance"))
    )
    found = candidates.shown(study, item, template, instances)
    names = [shown.name for shown in found]
    release = Release.of(study.triton_release)
    left, right = st.columns(2, gap="large")
    with left:
        first = one(found, release, linked.select("Candidate", names, "left"), "left")
    with right:
        other = names[1] if len(names) > 1 else names[0]
        second = one(
            found, release, linked.select("Beside it", names, "right", default=other), "right"
        )
    if first.config is not None and second.config is not None:
        side_by_side(first, second, release)


def one(found: list[candidates.Shown], release: Release, name: str, side: str) -> candidates.Shown:
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
        st.markdown(
            "\n".join(f"- {plain(sentence)}" for sentence in explain(shown.config, release))
        )
    return shown


def side_by_side(first: candidates.Shown, second: candidates.Shown, release: Release) -> None:
    st.markdown(f"**What differs between {first.name} and {second.name}**")
    found = differences(first.config, second.config, release)
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
