"""Under which conditions a run was made: environment, files that were loaded, notes."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from backend.contracts.findings import ClassFinding, Findings
from backend.studies.results import OpenedRun
from backend.workload.study_file import study_to_yaml
from pages.parts import linked
from pages.parts.words import plain


def view(run: OpenedRun, findings: Findings, name: str, found: ClassFinding, cell: str) -> None:
    """All of it for one class and cell."""
    if findings.notes:
        st.subheader("How it was measured", anchor=False)
        for note in findings.notes:
            st.markdown(f"- {plain(note)}")
    environment(run)
    loaded(run, name, found, cell)
    st.subheader("The study as it was run", anchor=False)
    with st.expander("Study file (YAML)", icon=":material/code:"):
        st.code(study_to_yaml(run.study), language="yaml", height=420)
    st.caption(f"Run directory: `{run.directory.root}`")


def environment(run: OpenedRun) -> None:
    """Versions, hardware, digests, seed."""
    st.subheader("Environment", anchor=False)
    if not run.environment:
        st.caption("Not recorded: the run ended before its server started.")
        return
    rows = [{"What": key, "Value": value} for key, value in _flat(run.environment)]
    st.dataframe(pd.DataFrame(rows), hide_index=True)


def _flat(value: Any, name: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [
            pair
            for key, inner in value.items()
            for pair in _flat(inner, f"{name}, {key}" if name else str(key))
        ]
    if isinstance(value, list):
        return [(name, ", ".join(str(item) for item in value))]
    return [(name.replace("_", " "), "" if value is None else str(value))]


def loaded(run: OpenedRun, name: str, found: ClassFinding, cell: str) -> None:
    """The exact file that each candidate was served with."""
    st.subheader("Configuration that was loaded", anchor=False)
    tried = [
        item.name
        for item in found.candidates
        if run.trials(request_type=name, candidate=item.name, cell=cell)
    ]
    if not tried:
        st.caption("No trial has finished in this cell.")
        return
    chosen = linked.one_of("Candidate", tried, "candidate")
    trial = run.trials(request_type=name, candidate=chosen, cell=cell)[0]
    st.code(trial.config.read_text(encoding="utf-8"), language="yaml", height=420, wrap_lines=True)
