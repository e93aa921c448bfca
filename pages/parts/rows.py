"""A run down to its rows: the requests tables, what each column holds, and why one is empty."""

from __future__ import annotations

import io

import pandas as pd
import streamlit as st

from backend.contracts.findings import ClassFinding
from backend.contracts.requests_table import SCHEMA
from backend.studies.results import OpenedRun
from pages.parts import linked, opened
from pages.parts.figures import count

WHY_EMPTY = {
    "correlation_id": "This class sends no correlation ID.",
    "correlation_id_type": "This class sends no correlation ID.",
    "scheduled_ns": "No send time is planned: a session's first request goes when a place is free.",
    "slot_wait_ns": "Triton's trace tells the queue time as a whole; its parts are not measured.",
    "batch_wait_ns": "Triton's trace tells the queue time as a whole; its parts are not measured.",
    "instance_wait_ns": "Triton's trace tells the queue time as a whole; its parts are not "
    "measured.",
    "predecessor_wait_ns": "Triton's trace tells the queue time as a whole; its parts are not "
    "measured.",
    "batch_size": "Neither the model nor the trace tells it.",
    "instance": "The model does not tell which of its instances served a request.",
    "execution": "The trace does not tell which requests ran together.",
    "error": "No request failed.",
    "expected": "There is no reference for these requests.",
    "observed": "There is no reference for these requests.",
}
"""For a column that is empty in a whole table; where only some rows lack a value, the outcome
says why."""


def view(run: OpenedRun, name: str, found: ClassFinding, cell: str) -> None:
    """The requests of one candidate in one cell."""
    tried = [item.name for item in found.candidates if item.trials]
    if not tried:
        st.caption("No trial has finished; there are no rows yet.")
        return
    chosen = linked.one_of("Candidate", tried, "candidate")
    whole = opened.requests(run, name, chosen)
    table = whole[whole["cell"] == cell].reset_index(drop=True)
    wrong = st.toggle("Only wrong replies", key="rows_wrong")
    if wrong:
        table = table[table["verdict"] == "differs"].reset_index(drop=True)
    st.caption(
        f"{count(len(table), 'request')}. Times are nanoseconds from the trial's start; the charts "
        "have milliseconds."
    )
    st.dataframe(
        table,
        hide_index=True,
        height=420,
        column_config={
            field.name: st.column_config.Column(help=(field.metadata or {})[b"about"].decode())
            for field in SCHEMA
        },
    )
    downloads(table, f"{run.directory.name}-{name}-{chosen}")
    columns(table)


def downloads(table: pd.DataFrame, name: str) -> None:
    """The rows as files."""
    with st.container(horizontal=True):
        st.download_button(
            "Download CSV",
            lambda: table.to_csv(index=False).encode(),
            file_name=f"{name}.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
            key="rows_csv",
        )
        st.download_button(
            "Download Parquet",
            lambda: _parquet(table),
            file_name=f"{name}.parquet",
            mime="application/vnd.apache.parquet",
            icon=":material/download:",
            on_click="ignore",
            key="rows_parquet",
        )


def _parquet(table: pd.DataFrame) -> bytes:
    content = io.BytesIO()
    table.to_parquet(content, index=False)
    return content.getvalue()


def columns(table: pd.DataFrame) -> None:
    """What each column holds, and why one has no values."""
    rows = []
    for field in SCHEMA:
        empty = bool(len(table)) and field.name in table and bool(table[field.name].isna().all())
        why = WHY_EMPTY.get(field.name, "This target does not tell it.") if empty else ""
        about = (field.metadata or {})[b"about"].decode()
        rows.append({"Column": field.name, "What it holds": about, "Why it is empty here": why})
    with st.expander("What the columns hold, and why some are empty", icon=":material/help:"):
        st.caption("A value that the server does not tell is left empty, never guessed.")
        st.dataframe(pd.DataFrame(rows), hide_index=True)
