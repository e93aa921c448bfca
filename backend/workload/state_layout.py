"""Where the states, arrows and labels of a drawn machine stand, in the units of its picture.

The machines of sessions are few and small, so that their places are chosen by hand: narrow enough
to be read in a narrow window, no label on another, on a line or on a box. A machine with other
states is laid out in rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from backend.workload.session_states import OUTSIDE, StateMachine

Point = tuple[int, int]
Anchor = Literal["start", "middle", "end"]

BOX: Final = (190, 60)
PLACES: Final[dict[str, Point]] = {
    OUTSIDE: (22, 74),
    "absent": (140, 74),
    "starting": (475, 74),
    "active": (825, 74),
    "idle": (825, 440),
    "ended": (475, 440),
    "served": (340, 74),
}
WIDTH: Final = 960
_ROW: Final = 3
_LINE, _GUARD, _STEP = 17, 16, 26
"""From a trigger to its guard; from a guard, or a trigger without one, to the next trigger."""


@dataclass(frozen=True)
class Label:
    """Where the labels of an arrow begin: baseline of the first; ``slope`` moves each next one.

    Attributes:
        x: Of the anchor.
        y: Baseline of the first line.
        anchor: Which side of the text ``x`` is.
        slope: How far ``x`` moves for each unit of ``y``, along a slanting arrow.
    """

    x: int
    y: int
    anchor: Anchor
    slope: float = 0.0


_LABELS: Final[dict[tuple[str, str], Label]] = {
    (OUTSIDE, "served"): Label(130, 52, "middle"),
    ("served", OUTSIDE): Label(130, 112, "middle"),
    ("absent", "starting"): Label(308, 42, "middle"),
    ("starting", "active"): Label(650, 42, "middle"),
    ("starting", "ended"): Label(467, 230, "middle"),
    ("active", "idle"): Label(857, 262, "start"),
    ("idle", "active"): Label(793, 374, "end"),
    ("active", "ended"): Label(738, 130, "end", -0.6),
    ("idle", "ended"): Label(650, 466, "middle"),
    ("ended", "starting"): Label(374, 250, "end"),
    ("idle", "starting"): Label(560, 548, "middle"),
}
_BESIDE: Final = {("starting", "ended"): 66, ("ended", "starting"): -88}
"""How far to the side an upright arrow stands, where labels need the room between."""


def places_of(machine: StateMachine) -> dict[str, Point]:
    """The middle of each state's box, and of the point that is the world outside."""
    known = all(state.id in PLACES for state in machine.states)
    outside = machine.sessions or any(
        OUTSIDE in (step.source, step.target) for step in machine.transitions
    )
    places = {OUTSIDE: PLACES[OUTSIDE]} if outside else {}
    for number, state in enumerate(machine.states):
        row, column = divmod(number, _ROW)
        places[state.id] = PLACES[state.id] if known else (140 + 335 * column, 74 + 260 * row)
    return places


def ends_of(places: dict[str, Point], source: str, target: str) -> tuple[Point, Point]:
    """Where an arrow leaves and arrives; pairs in both directions lie beside each other."""
    (x1, y1), (x2, y2) = places[source], places[target]
    width, height = BOX
    if OUTSIDE in (source, target):
        lift = -12 if source == OUTSIDE else 12
        near = 8 if source == OUTSIDE else width // 2
        far = width // 2 if source == OUTSIDE else 8
        sign = 1 if x2 > x1 else -1
        return (x1 + sign * near, y1 + lift), (x2 - sign * far, y2 + lift)
    sign = 1 if (x2, y2) > (x1, y1) else -1
    if y1 == y2:
        return (x1 + sign * width // 2, y1), (x2 - sign * width // 2, y2)
    down = 1 if y2 > y1 else -1
    if x1 == x2:
        aside = _BESIDE.get((source, target), 20 * down)
        return (x1 + aside, y1 + down * height // 2), (x2 + aside, y2 - down * height // 2)
    # a slanting arrow leaves below and arrives at the side, clear of the upright ones
    side = 1 if x2 > x1 else -1
    return (x1 + side * 65, y1 + down * height // 2), (x2 - side * width // 2, y2 - down * 14)


def takeover(places: dict[str, Point]) -> str:
    """The path from a silent session to a newcomer: below all and up at the left side."""
    (x, y), (end_x, end_y) = places["idle"], places["starting"]
    y += BOX[1] // 2
    low, left, right = y + 52, 160, end_x - BOX[0] // 2
    return (
        f"M{x} {y} C{x} {low} {x - 50} {low} {x - 130} {low} L{left + 80} {low} "
        f"C{left} {low} {left} {y} {left} {y - 110} L{left} {end_y + 110} "
        f"C{left} {end_y + 60} {left + 40} {end_y + 58} {left + 90} {end_y + 58} "
        f"C{left + 170} {end_y + 58} {left + 160} {end_y + 14} {right} {end_y + 14}"
    )


def label_of(places: dict[str, Point], source: str, target: str) -> Label:
    """Where the labels of an arrow begin."""
    known = _LABELS.get((source, target))
    if known is not None and all(places[end] == PLACES[end] for end in (source, target)):
        return known
    (x1, y1), (x2, y2) = places[source], places[target]
    return Label((x1 + x2) // 2, (y1 + y2) // 2 - 10, "middle")


def lines(label: Label, guarded: list[bool]) -> Iterator[tuple[Point, Point]]:
    """For each trigger its place and that of its guard.

    Args:
        label: Where they begin.
        guarded: For each trigger whether it has a guard.
    """
    y = label.y
    for has_guard in guarded:
        below = y + _LINE
        x = label.x + round(label.slope * ((below if has_guard else y) - label.y))
        yield (x, y), (x, below)
        y = (below if has_guard else y) + _STEP
