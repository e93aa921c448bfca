"""Figures as pages write them: at most three significant digits, with their unit."""

from __future__ import annotations

from datetime import datetime


def number(value: float) -> str:
    """At most three significant digits, thousands set apart; never an exponent."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    text = f"{value:.3g}"
    return f"{float(text):f}".rstrip("0").rstrip(".") if "e" in text else text


def milliseconds(value: float | None) -> str:
    """A time in milliseconds, or a dash where there are too few requests to say."""
    return "–" if value is None else f"{number(value)} ms"


def duration(seconds: float) -> str:
    """A duration for a person: seconds below two minutes, then minutes and seconds."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60:02d} s"


def count(n: int, one: str, many: str | None = None) -> str:
    """``1 run``, ``2 runs``, ``1,739 frames``."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def moment(value: datetime) -> str:
    """Date and time of a moment in the machine's own time zone."""
    return value.astimezone().strftime("%Y-%m-%d %H:%M")
