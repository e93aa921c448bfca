"""No false alarm: sessions of a sound probe, many of them, in three shapes of plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from backend.studies.owned_server import OwnedServer
from benchmarks.detection.faults import ORACLES, Fault
from benchmarks.detection.trial import EVENTS, USUAL, Seen, play

SOUND: Final = Fault("none", "Nothing is wrong.", ("oldest", "direct"), "", False, {})
INSTANCES: Final = (1, 2, 4)
REPLAYED: Final = 32
"""Sessions whose replies are also held against those that they get alone."""


@dataclass(frozen=True)
class Shape:
    """A shape of plan: its lengths, and what happens in its sessions."""

    name: str
    mix: str
    events: str


SHAPES: Final = (
    Shape("plain", "[{group: all_alike, share: 1, steps: [4, 12]}]", "{}"),
    Shape("eventful", "[{group: all_alike, share: 1, steps: [4, 12]}]", EVENTS),
    Shape(
        "long beside short",
        "[{group: short, share: 0.9, steps: [2, 6]}, {group: long, share: 0.1, steps: [40, 80]}]",
        "{reuse: 0.3}",
    ),
)


@dataclass(frozen=True)
class Clean:
    """What the oracles made of one cell of clean sessions."""

    strategy: str
    instances: int
    shape: str
    sessions: int
    seen: dict[str, Seen]

    @property
    def alarms(self) -> tuple[str, ...]:
        """Oracles that saw something where nothing is wrong."""
        return tuple(oracle for oracle, seen in self.seen.items() if seen.alarm)


def cleanly(owned: OwnedServer, sessions: int) -> Iterator[Clean]:
    """Every strategy, number of instances and shape: so many sessions by the hash chain."""
    for strategy in SOUND.strategies:
        for shape in SHAPES:
            for instances in INSTANCES:
                how = {"instances": instances, "mix": shape.mix, "events": shape.events}
                seen = play(owned, SOUND, strategy, oracles=(ORACLES[0], ORACLES[2]),
                            sessions=sessions, **how)  # fmt: skip
                yield Clean(strategy, instances, shape.name, sessions, seen)
            seen = play(owned, SOUND, strategy, oracles=ORACLES[1:2], sessions=REPLAYED,
                        mix=USUAL, events=shape.events)  # fmt: skip
            yield Clean(strategy, 2, shape.name, REPLAYED, seen)
