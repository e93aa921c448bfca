"""Write a decision record from a run: what is chosen for each class, because of what, by whom."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from backend.analysis.cells import cell_parts
from backend.contracts.findings import ClassFinding
from backend.contracts.run_directory import RunDirectory
from backend.records.drafting import new_record
from backend.records.run_evidence import RunEvidence, read_evidence
from backend.store.store import Store
from pages.parts import candidates, errors, records, verdicts
from pages.parts.words import plain


def form(run: RunDirectory) -> None:
    """The fields; saving opens the record by its own link."""
    evidence = read_evidence(run)
    st.markdown(
        f"From the run **{plain(evidence.run)}**: "
        f"{verdicts.verdict(evidence.findings.verdict).text()}"
    )
    chosen: dict[str, str] = {}
    instances: dict[str, int] = {}
    because: dict[str, str] = {}
    for item in evidence.study.classes:
        found = evidence.findings.classes.get(item.name)
        with st.container(border=True):
            choice = _choose(evidence, item.name, found)
        if choice is None:
            return
        chosen[item.name], instances[item.name], because[item.name] = choice
    title = st.text_input(
        "Title", placeholder="Made from the study and the choice if left empty", key="decide_title"
    )
    left, right = st.columns(2)
    consequences = left.text_area(
        "Consequences",
        placeholder="What follows, one line each. Measured comparisons are added by themselves.",
        key="decide_consequences",
    )
    revisit = right.text_area(
        "When to look at it again",
        placeholder="One line each. The limits of what was tried are added by themselves.",
        key="decide_revisit",
    )
    left, right = st.columns(2)
    author = left.text_input("Written by", key="decide_author")
    replaces = _replaces(right)
    if not st.button("Save as proposed", type="primary", icon=":material/save:", key="decide_save"):
        st.caption("The evidence is copied into the record. Accepting it is a step of its own.")
        return
    with errors.shown():
        record = new_record(
            evidence,
            chosen,
            author=author,
            why=because,
            instances=instances,
            title=title,
            consequences=_lines(consequences),
            revisit_when=_lines(revisit),
            advice={item.name: candidates.recommendation(item) for item in evidence.study.classes},
            supersedes=replaces,
        )
        with Store() as store:
            stored = store.add_record(record)
        st.switch_page("pages/decide.py", query_params={"record": str(stored.number)})


def _choose(
    evidence: RunEvidence, name: str, found: ClassFinding | None
) -> tuple[str, int, str] | None:
    st.markdown(f"**Class {plain(name)}**")
    tried: dict[str, list[int]] = {}
    for config in evidence.configs:
        if config.class_name == name:
            counts = tried.setdefault(config.candidate, [])
            served = cell_parts(config.cell).instances
            if served not in counts:
                counts.append(served)
    if not tried or found is None:
        st.warning("No trial of this class has finished: there is nothing to decide on.")
        return None
    marks = {item.name: verdicts.verdict(item.verdict).word for item in found.candidates}
    names = sorted(tried, key=lambda candidate: candidate != found.proposed)
    left, right = st.columns([3, 1])
    candidate = left.selectbox(
        "Chosen candidate",
        names,
        format_func=lambda text: (
            f"{text} ({marks.get(text, 'not judged')}"
            + (", proposed)" if text == found.proposed else ")")
        ),
        key=f"decide_candidate_{name}",
    )
    instances = right.selectbox(
        "Instances", sorted(tried[candidate]), key=f"decide_instances_{name}"
    )
    because = st.text_area(
        "Because",
        placeholder="Because of what, in a sentence or two.",
        key=f"decide_because_{name}",
    )
    for item in found.candidates:
        if item.name == candidate and item.verdict != "pass":
            st.warning(
                f"The evidence does not support this choice: {plain(' '.join(item.reasons))}",
                icon=":material/warning:",
            )
    return str(candidate), int(instances), because


def _replaces(place: DeltaGenerator) -> int | None:
    accepted = [item for item in records.summaries() if item.status == "accepted"]
    if not accepted:
        return None
    wanted = st.query_params.get("supersedes")
    numbers = [item.number for item in accepted]
    titles = {item.number: item.title for item in accepted}
    index = next((at for at, number in enumerate(numbers) if str(number) == wanted), None)
    chosen = place.selectbox(
        "Replaces",
        numbers,
        index=index,
        format_func=lambda number: f"{number}. {titles[number]}",
        placeholder="No earlier record",
        key="decide_replaces",
        help="An accepted record that this one supersedes once it is accepted itself.",
    )
    return None if chosen is None else int(chosen)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())
