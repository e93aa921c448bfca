"""The verdicts of a run: of the study, of a class, of each candidate with its reasons."""

from __future__ import annotations

import streamlit as st

from backend.contracts.findings import CandidateFinding, ClassFinding, Findings
from pages.parts import verdicts
from pages.parts.figures import count
from pages.parts.words import plain

CARD_PX = 220
SHOWN_REASONS = 1
"""The first reason is the one that decided; the others are one click away."""


def study(findings: Findings) -> None:
    """The study's verdict with its reasons, the status of the run beside it."""
    mark = verdicts.verdict(findings.verdict)
    line = f"**Verdict of the study:** {mark.text()}"
    if findings.judged_candidate is not None:
        line += f" (of {findings.judged_candidate}, as asked)"
    st.markdown(line)
    # of several classes each has a reason; what decides about one candidate stands in its card
    if len(findings.classes) > 1 or findings.judged_candidate is not None:
        for reason in findings.reasons:
            st.markdown(f"- {plain(reason)}")
    if findings.status != "complete":
        done = f"{findings.trials_done} of {count(findings.trials_planned, 'trial')} finished"
        text = {
            "interrupted": f"The run was interrupted: {done}. What is shown rests on those.",
            "void": "The run gives no figures: every trial is void. Its reasons are named below.",
        }[findings.status]
        st.warning(text, icon=":material/warning:")


def candidates(found: ClassFinding) -> None:
    """One card per candidate, the proposed one first."""
    ordered = sorted(found.candidates, key=lambda item: not item.proposed)
    if not ordered:
        st.caption("No candidate of this class was tried.")
        return
    # four beside each other in a wide window, two in a narrow one
    cards = st.grid(min_column_width=CARD_PX)
    for item in ordered:
        with cards.container(border=True, height="stretch"):
            _card(item)


def _card(item: CandidateFinding) -> None:
    mark = verdicts.verdict(item.verdict)
    st.markdown(f"**{item.name}**  \n{mark.text()}" + (" · proposed" if item.proposed else ""))
    for reason in item.reasons[:SHOWN_REASONS]:
        st.caption(plain(reason))
    if len(item.reasons) > SHOWN_REASONS:
        with st.expander(f"{len(item.reasons) - SHOWN_REASONS} more", type="compact"):
            for reason in item.reasons[SHOWN_REASONS:]:
                st.caption(plain(reason))
    if item.load_failure is not None:
        with st.expander("What Triton said", type="compact"):
            st.code(item.load_failure, language=None, wrap_lines=True)
    if not item.trials and item.load_failure is None:
        st.caption("No trial of it has finished.")
