"""Read tide heights from a text file and print the next high water."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Reading:
    """Height of the water in metres at one time."""

    at: datetime
    height_m: float


def read(lines: list[str]) -> list[Reading]:
    """Parse lines such as ``2024-05-01T06:10 3.42``; blank lines are skipped."""
    readings = []
    for line in lines:
        if line.strip():
            at, height = line.split()
            readings.append(Reading(datetime.fromisoformat(at), float(height)))
    return readings


def high_waters(readings: list[Reading]) -> list[Reading]:
    """Readings that are higher than both neighbours."""
    return [
        here
        for before, here, after in zip(readings, readings[1:], readings[2:], strict=False)
        if before.height_m < here.height_m > after.height_m
    ]


if __name__ == "__main__":
    for high in high_waters(read(sys.stdin.readlines())):
        print(high.at + timedelta(minutes=5), f"{high.height_m:.2f} m")
