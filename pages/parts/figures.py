"""Figures as pages write them: at most three significant digits, with their unit."""

from __future__ import annotations

from datetime import datetime

from backend.analysis.wording import count, number

__all__ = ["count", "duration", "milliseconds", "moment", "number"]


def milliseconds(value: float | None) -> str:
    """A time in milliseconds, or a dash where there are too few requests to say."""
    return "–" if value is None else f"{number(value)} ms"


def duration(seconds: float) -> str:
    """A duration for a person: seconds below two minutes, then minutes and seconds."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60:02d} s"


def moment(value: datetime) -> str:
    """Date and time of a moment in the machine's own time zone."""
    return value.astimezone().strftime("%Y-%m-%d %H:%M")
