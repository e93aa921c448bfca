"""Decision records as lines of a list and as a page to read."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from backend.records.blocks import Block, Bullets, Code, Heading, Paragraph, Table
from backend.records.document import document
from backend.records.record import DecisionRecord
from backend.store.entries import RecordSummary
from backend.store.store import Store
from pages.parts import layout, verdicts
from pages.parts.figures import moment
from pages.parts.words import plain

READ = ("Decision", "Question", "Consequences", "Risks", "When to revisit")
"""Sections that are read; the others are looked up (a heading may go on after these words)."""


def summaries(limit: int | None = None) -> tuple[RecordSummary, ...]:
    """The records of the store, the latest first."""
    with Store() as store:
        return store.list_records(limit=limit)


def line(summary: RecordSummary) -> None:
    """One record with its link."""
    with st.container(border=True):
        mark = verdicts.record(summary.status).text()
        st.markdown(f"**{summary.number}. {plain(summary.title)}** · {mark}")
        parts = [plain(summary.decision), f"written by {plain(summary.author)}"]
        if summary.deciders:
            parts.append(f"decided by {plain(', '.join(summary.deciders))}")
        parts.append(moment(summary.decided_at or summary.created_at))
        if summary.superseded_by is not None:
            parts.append(f"replaced by record {summary.superseded_by}")
        st.caption(" · ".join(parts))
        layout.link("decide", "Open", ":material/description:", {"record": str(summary.number)})


def read(record: DecisionRecord) -> None:
    """The record as it is printed: decision first, the evidence folded by section."""
    sections: list[tuple[str, list[Block]]] = [("", [])]
    # the first block is the title, which the page shows itself
    for block in document(record)[1:]:
        if isinstance(block, Heading) and block.level == 2:
            sections.append((block.text, []))
        else:
            sections[-1][1].append(block)
    for title, part in sections:
        if title and not title.startswith(READ):
            with st.expander(plain(title), icon=":material/unfold_more:"):
                _blocks(part)
            continue
        if title:
            st.subheader(plain(title), anchor=False)
        _blocks(part)


def _blocks(blocks: list[Block]) -> None:
    for block in blocks:
        _block(block)


def _block(block: Block) -> None:
    if isinstance(block, Heading):
        st.markdown(f"**{plain(block.text)}**")
    elif isinstance(block, Paragraph):
        text = "  \n".join(plain(part) for part in block.text.splitlines())
        st.markdown(f"**{text}**" if block.strong else text)
    elif isinstance(block, Bullets):
        mark = "1." if block.numbered else "-"
        st.markdown("\n".join(f"{mark} {plain(item)}" for item in block.items))
    elif isinstance(block, Table):
        # a frame's columns need names of their own; heads without words may be alike
        names = [head or "\u2060" * (at + 1) for at, head in enumerate(block.header)]
        st.table(
            pd.DataFrame([[plain(cell) for cell in row] for row in block.rows], columns=names),
            hide_index=True,
            hide_header=not any(block.header),
        )
    elif isinstance(block, Code):
        st.code(block.text, language="yaml", wrap_lines=True)
