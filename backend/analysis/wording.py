"""How numbers are said: at most three significant digits, thousands apart, with their unit."""

from __future__ import annotations

import math

from backend.contracts.findings import Interval


def number(value: float) -> str:
    """A measured number, e.g. ``0.0123``, ``4.5``, ``1,230``."""
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else "infinite"
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{round(value, 2 - math.floor(math.log10(abs(value)))):,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(value: int, one: str, many: str | None = None) -> str:
    """A count with its noun, e.g. ``1 reply``, ``1,739 replies``."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def times(ratio: float, interval: Interval | None) -> str:
    """A ratio with its interval, e.g. ``0.98 × (0.93 to 1.04)``."""
    text = f"{factor(ratio)} ×"
    if interval is None:
        return text
    return f"{text} ({factor(interval.low)} to {factor(interval.high)})"


def factor(value: float) -> str:
    """A ratio with two decimals below 10, so that 0.98 and 1.04 stay apart from 1."""
    return f"{value:.2f}" if 0.01 <= value < 10 else number(value)


def listed(items: list[str] | tuple[str, ...]) -> str:
    """Items as a list in a sentence: ``a, b and c``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
