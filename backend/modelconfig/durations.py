"""Times as people read them."""

from __future__ import annotations


def milliseconds(microseconds: int) -> str:
    """A time in its fitting unit: ``250 µs``, ``20 ms``, ``60 s``."""
    if microseconds < 1000:
        return f"{microseconds} µs"
    if microseconds < 1_000_000:
        return f"{microseconds / 1000:g} ms"
    return f"{microseconds / 1_000_000:g} s"
