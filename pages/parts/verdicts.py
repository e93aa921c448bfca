"""Verdicts and states as a mark, a word and a colour: never by colour alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from backend.contracts.findings import PropertyVerdict, StudyVerdict
from backend.studies.progress import RunProgress, RunState

Color = Literal["green", "red", "gray", "blue", "orange"]


@dataclass(frozen=True)
class Mark:
    """How one verdict or state looks."""

    word: str
    icon: str
    color: Color

    def text(self) -> str:
        """Inside a line of Markdown."""
        return f":{self.color}[{self.icon} {self.word}]"

    def badge(self, about: str | None = None) -> None:
        """As a badge, with a word more on hovering and focus."""
        st.badge(self.word, icon=self.icon, color=self.color, help=about)


_VERDICTS: dict[StudyVerdict, Mark] = {
    "pass": Mark("pass", ":material/check_circle:", "green"),
    "fail": Mark("fail", ":material/cancel:", "red"),
    "no_verdict": Mark("no verdict", ":material/help:", "gray"),
}
_PROPERTIES: dict[PropertyVerdict, Mark] = {
    "holds": Mark("holds", ":material/check:", "green"),
    "violated": Mark("violated", ":material/close:", "red"),
    "not_shown": Mark("not shown", ":material/help:", "gray"),
}
_STATES: dict[RunState, Mark] = {
    "waiting": Mark("waiting", ":material/hourglass_empty:", "blue"),
    "running": Mark("running", ":material/play_circle:", "blue"),
    "complete": Mark("complete", ":material/task_alt:", "gray"),
    "interrupted": Mark("interrupted", ":material/pause_circle:", "orange"),
    "failed": Mark("failed", ":material/error:", "red"),
}
_RECORDS: dict[str, Mark] = {
    "proposed": Mark("proposed", ":material/edit_note:", "blue"),
    "accepted": Mark("accepted", ":material/verified:", "green"),
    "rejected": Mark("rejected", ":material/block:", "red"),
    "superseded": Mark("superseded", ":material/history:", "orange"),
}


def verdict(value: str) -> Mark:
    """The mark of a study's, class's or candidate's verdict."""
    return next(mark for name, mark in _VERDICTS.items() if name == value)


def property_mark(value: PropertyVerdict) -> Mark:
    """The mark of one property's verdict."""
    return _PROPERTIES[value]


def state(value: RunState) -> Mark:
    """The mark of a run's state."""
    return _STATES[value]


def record(status: str) -> Mark:
    """The mark of a decision record's status."""
    return _RECORDS[status]


def run_marks(progress: RunProgress) -> str:
    """State and, where there is one, verdict of a run, for a line of Markdown."""
    parts = [state(progress.state).text()]
    if progress.verdict is not None:
        parts.append(verdict(progress.verdict).text())
    return " · ".join(parts)
