"""Compare: whether the sessions stayed apart and what it cost, candidate beside candidate."""

from __future__ import annotations

from typing import Final

import streamlit as st

from backend.analysis.cells import cell_words
from backend.contracts.findings import ClassFinding, Findings
from backend.studies.results import OpenedRun, open_run
from pages.parts import (
    choose,
    errors,
    guard,
    layout,
    linked,
    opened,
    progress,
    rows,
    run_facts,
    runs,
    sessions_apart,
    times,
    verdict_cards,
)
from pages.parts.glossary import term
from pages.parts.words import plain

guard.framed("compare")

VIEWS: Final = {
    "sessions": "Do sessions stay apart",
    "times": "What it costs",
    "rows": "Down to the rows",
    "run": "Conditions of the run",
}


def page() -> None:
    layout.head(
        "Compare the candidates",
        "First whether every reply was its session's own, then what the slowest ones cost.",
    )
    directory = choose.run("A run shows here what its candidates did.")
    if directory is None:
        return
    run = open_run(directory.root)
    st.markdown(
        f"**{plain(run.study.title or run.study.name)}** · run {plain(directory.name)}, started "
        f"{runs.started_at(directory)}"
    )
    if not run.progress.is_over:
        st.info(
            "This run is still going on; while it measures, only its progress is shown.",
            icon=":material/hourglass_empty:",
        )
        progress.watch(directory)
        return
    findings, just_now = opened.findings(run)
    if findings is None:
        nothing(run)
        return
    if run.progress.message:
        show = st.error if run.progress.state == "failed" else st.warning
        show("\n\n".join(plain(part) for part in run.progress.message.splitlines()))
    if just_now:
        st.caption("The run left no findings; these were judged just now from its finished trials.")
    body(run, findings)
    layout.next_step(
        "decide",
        "Write the decision",
        "Put down what is chosen and because of what; the evidence is attached.",
        {"run": directory.name},
    )


def nothing(run: OpenedRun) -> None:
    """A run without a finished trial."""
    progress.watch(run.directory)
    layout.empty(
        "There is nothing to compare: no trial of this run has finished.",
        "Its log and message say why; start it again when that is settled.",
    )
    layout.link("test", "Run and log", ":material/terminal:", {"run": run.directory.name})


def body(run: OpenedRun, findings: Findings) -> None:
    verdict_cards.study(findings)
    name, found = traffic_class(findings)
    verdict_cards.candidates(found)
    cells = list(
        dict.fromkeys(
            [group.cell for item in found.candidates for group in item.groups]
            + [checked.cell for item in found.candidates for checked in item.properties]
        )
    )
    if not cells:
        st.caption("No trial of this class has finished.")
        return
    titles = VIEWS
    if all(sessions_apart.stands_alone(cell) for cell in cells):
        titles = {**VIEWS, "sessions": "Are replies the same in any batch"}
    view = linked.one_of("Show", list(titles), "view", format_func=titles.__getitem__)
    cell = choose_cell(found, cells)
    with errors.shown():
        if view == "sessions":
            sessions_apart.view(run, name, found, cell)
        elif view == "times":
            times.view(run, name, found, cell)
        elif view == "rows":
            rows.view(run, name, found, cell)
        else:
            run_facts.view(run, findings, name, found, cell)


def traffic_class(findings: Findings) -> tuple[str, ClassFinding]:
    names = list(findings.classes)
    if len(names) == 1:
        return names[0], findings.classes[names[0]]
    name = linked.one_of("Class of traffic", names, "class", help=term("class"))
    return name, findings.classes[name]


def choose_cell(found: ClassFinding, cells: list[str]) -> str:
    if len(cells) == 1:
        st.caption(f"Cell: {cell_words(cells[0])}")
        return cells[0]
    broken = [
        checked.cell
        for item in found.candidates
        for checked in item.properties
        if checked.verdict == "violated"
    ]
    return linked.one_of(
        "Cell",
        cells,
        "cell",
        format_func=cell_words,
        help=term("cell"),
        default=broken[0] if broken else cells[-1],
    )


page()
