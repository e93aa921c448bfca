"""Start: what this is, one click to see the failure, studies to begin from, what was done."""

from __future__ import annotations

import streamlit as st

from backend.studies.drafts import create_draft, list_drafts
from backend.studies.launch import start_run
from backend.studies.results import list_runs
from backend.workload.study import Study
from pages.parts import embedded, errors, examples, guard, journey, layout, progress, records, runs
from pages.parts.words import plain

guard.framed("start")

SHOWN_RUNS = 6


def introduction() -> None:
    layout.head("Interleave", "Sequence batcher or dynamic batcher: a tested, recorded decision.")
    st.markdown(
        "Triton can batch requests in two ways, and choosing wrongly does not make a service slow, "
        "it makes it wrong: one session's answer computed from another session's state. "
        "Describe your requests, and this console proposes a configuration with its reasons, runs "
        "it on a real Triton server, and sends many sessions at once. "
        "It shows whether the sessions stay apart and what the slowest replies cost, and keeps the "
        "decision with its evidence."
    )


def demonstration() -> None:
    name = st.query_params.get("demo")
    if name is not None:
        with errors.shown():
            watched(name)
            return
    ready = embedded.ready()
    if st.button(
        "See what the wrong batcher does to eight callers",
        type="primary",
        icon=":material/graphic_eq:",
        disabled=not ready,
        key="start_demonstration",
    ):
        with errors.shown():
            run = start_run(journey.place(), examples.demonstration())
            st.query_params["demo"] = run.name
            st.rerun()
    if ready:
        st.caption(
            "Takes about half a minute on this machine: eight callers speak, a voice-activity "
            "model says when. The same requests go through the sequence batcher and through the "
            "dynamic batcher, on two instances."
        )
    else:
        embedded.explain()


def watched(name: str) -> None:
    run = journey.run_named(name)
    st.markdown("**Eight callers, two batchers.** The comparison opens by itself at the end.")
    now = progress.watch(run)
    if not now.is_over:
        return
    if st.session_state.get("start_landed") != name and now.trials_done:
        st.session_state["start_landed"] = name
        st.switch_page("pages/compare.py", query_params={"run": name})
    with st.container(horizontal=True):
        layout.link("compare", "Open the comparison", ":material/compare_arrows:", {"run": name})
        if st.button("Run it again", icon=":material/replay:", key="start_again"):
            st.query_params.pop("demo", None)
            st.rerun()


def begin() -> None:
    st.header("Begin a study", anchor=False)
    st.caption("Each example is a complete study; change its answers to what your service does.")
    for study in examples.examples():
        example(study)
    drafts = list_drafts(journey.place())
    if drafts:
        with st.expander(f"Studies begun here ({len(drafts)})", icon=":material/draft:"):
            for draft_id in drafts[:30]:
                layout.link("describe", draft_id, ":material/edit:", {"draft": draft_id})


def example(study: Study) -> None:
    with st.container(border=True):
        st.markdown(f"**{plain(study.title or study.name)}**")
        if study.about:
            st.caption(plain(study.about))
        if st.button("Begin from this", icon=":material/add:", key=f"start_begin_{study.name}"):
            with errors.shown():
                draft = create_draft(journey.place(), study)
                st.switch_page("pages/describe.py", query_params={"draft": draft.id})


def done_before() -> None:
    st.header("Recent runs", anchor=False)
    found = list_runs(journey.place())
    if not found:
        st.caption("No run yet. The button above makes the first one; so does the page Test.")
    for run in found[:SHOWN_RUNS]:
        with errors.shown():
            runs.line(run)
    if len(found) > SHOWN_RUNS:
        with st.expander(f"{len(found) - SHOWN_RUNS} earlier", icon=":material/history:"):
            for run in found[SHOWN_RUNS : SHOWN_RUNS + 50]:
                with errors.shown():
                    runs.line(run)


def decided() -> None:
    st.header("Decision records", anchor=False)
    found = records.summaries(limit=SHOWN_RUNS)
    if not found:
        st.caption("No record yet. A finished run leads to one on the page Decide.")
    for item in found:
        records.line(item)


introduction()
demonstration()
left, right = st.columns(2, gap="large")
with left, errors.shown():
    begin()
with right, errors.shown():
    done_before()
with right, errors.shown():
    decided()
