"""A state machine as an SVG picture that stands by itself: titled, and readable in either theme."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Final

from backend.workload.session_states import OUTSIDE, State, StateMachine, Transition
from backend.workload.state_layout import (
    BOX,
    WIDTH,
    Point,
    ends_of,
    label_of,
    lines,
    places_of,
    takeover,
)

_PLAIN: Final = 400
_LEAST_WIDTH: Final = 700
"""What the legend needs."""


@dataclass(frozen=True)
class Inks:
    """The colours of a picture; each text has a contrast of 4.5:1 or more to what it stands on."""

    ink: str
    paper: str
    quiet: str
    alert: str
    box: str
    holding: str


LIGHT: Final = Inks("#1f2937", "#ffffff", "#4b5563", "#b45309", "#f3f4f6", "#e0f2fe")
DARK: Final = Inks("#e5e7eb", "none", "#a8b0bd", "#fbbf24", "#2b303b", "#0c4a6e")
"""For a page with a dark background, which is the picture's."""

_MARKS: Final = {
    "stated": "",
    "unknown": "?",
    "missing": "?",
    "doubtful": "!",
    "contradictory": "!",
}


def to_svg(machine: StateMachine, title: str, inks: Inks = LIGHT) -> str:
    """The picture, with title and description for those who cannot see it.

    Args:
        machine: What to draw.
        title: What it is of, such as the class's name.
        inks: Its colours.
    """
    places = places_of(machine)
    width = max(_LEAST_WIDTH, WIDTH if machine.sessions else max(x for x, _ in places.values()))
    low = ("idle", "starting") in _grouped(machine)
    height = max(y for _, y in places.values()) + (
        (184 if low else 110) if machine.sessions else 100
    )
    groups = _grouped(machine)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" '
        'role="img" aria-labelledby="t d" font-family="system-ui, sans-serif">',
        f'<title id="t">{escape(title)}</title>',
        f'<desc id="d">{escape(_description(machine))}</desc>',
        _definitions(inks),
        f'<rect width="{width}" height="{height}" fill="{inks.paper}"/>',
    ]
    if OUTSIDE in places:
        x, y = places[OUTSIDE]
        parts.append(f'<circle cx="{x}" cy="{y}" r="8" fill="{inks.ink}"/>')
    if machine.sessions:
        (x, y), (end, _) = places[OUTSIDE], places["absent"]
        parts.append(_path(f"M{x + 8} {y} L{end - BOX[0] // 2} {y}", True, inks))
    for (source, target), steps in groups.items():
        sound = all(step.status == "stated" for step in steps)
        parts.append(_path(_route(places, source, target), sound, inks))
    parts += [_box(state, places[state.id], machine, inks) for state in machine.states]
    for (source, target), steps in groups.items():
        parts += _labels(places, source, target, steps, machine, inks)
    parts.append(_legend(machine, height, inks))
    parts.append("</svg>")
    return "\n".join(part for part in parts if part) + "\n"


def _definitions(inks: Inks) -> str:
    return (
        "<defs>"
        + "".join(
            f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" '
            f'markerHeight="8" orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" '
            f'fill="{ink}"/></marker>'
            for name, ink in (("a", inks.ink), ("b", inks.alert))
        )
        + "</defs>"
    )


def _description(machine: StateMachine) -> str:
    labels = {state.id: state.label for state in machine.states} | {OUTSIDE: "outside"}
    told = [
        f"{labels[step.source]} to {labels[step.target]} on {step.trigger}"
        + ("" if step.status == "stated" else f" ({step.status})")
        for step in machine.transitions
    ]
    problems = [f"Problem {p.number}: {p.sentence}" for p in machine.problems]
    return ". ".join([*told, *problems])


def _grouped(machine: StateMachine) -> dict[tuple[str, str], list[Transition]]:
    """Transitions by their ends: those with the same ends share an arrow."""
    groups: dict[tuple[str, str], list[Transition]] = {}
    for step in machine.transitions:
        groups.setdefault((step.source, step.target), []).append(step)
    return groups


def _box(state: State, place: Point, machine: StateMachine, inks: Inks) -> str:
    x, y = place
    numbers = machine.numbers_at(state.id)
    ink = inks.alert if numbers else inks.ink
    dash = ' stroke-dasharray="7 5"' if numbers else ""
    fill = inks.holding if state.holds_slot else inks.box
    width, height = BOX
    named = _text(x, y + (-3 if numbers else 6), state.label, 17, inks.ink)
    listed = f"({', '.join(map(str, numbers))})" if numbers else ""
    return (
        f'<g><title>{escape(state.about)}</title><rect x="{x - width // 2}" y="{y - height // 2}" '
        f'width="{width}" height="{height}" rx="12" fill="{fill}" stroke="{ink}" '
        f'stroke-width="2"{dash}/>{named}'
        f"{_text(x, y + 19, listed, 15, inks.alert) if listed else ''}</g>"
    )


def _text(x: int, y: int, text: str, size: int, ink: str) -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{ink}" text-anchor="middle">'
        f"{escape(text)}</text>"
    )


def _route(places: dict[str, Point], source: str, target: str) -> str:
    if (source, target) == ("idle", "starting"):
        return takeover(places)
    (x1, y1), (x2, y2) = ends_of(places, source, target)
    return f"M{x1} {y1} L{x2} {y2}"


def _path(shape: str, sound: bool, inks: Inks) -> str:
    ink, head = (inks.ink, "a") if sound else (inks.alert, "b")
    dash = "" if sound else ' stroke-dasharray="8 6"'
    return (
        f'<path d="{shape}" fill="none" stroke="{ink}" stroke-width="2"{dash} '
        f'marker-end="url(#{head})"/>'
    )


def _labels(
    places: dict[str, Point],
    source: str,
    target: str,
    steps: list[Transition],
    machine: StateMachine,
    inks: Inks,
) -> list[str]:
    """Each transition with its guard in brackets below it; what it means on pointing at it."""
    label = label_of(places, source, target)
    found = []
    spots = lines(label, [bool(step.guard) for step in steps])
    for step, (at, below) in zip(steps, spots, strict=True):
        numbers = machine.numbers_at(step.id, step.trigger)
        shown = f" ({', '.join(map(str, numbers))})" if numbers else ""
        sound = step.status == "stated" and not numbers
        mark = _MARKS[step.status] or ("!" if numbers else "")
        rows = [(at, f"{step.trigger}{mark}{shown}", inks.ink if sound else inks.alert, 17, 600)]
        if step.guard:
            rows.append((below, f"[{step.guard}]", inks.quiet, 14, _PLAIN))
        drawn = "".join(
            f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{ink}" '
            f'text-anchor="{label.anchor}">{escape(text)}</text>'
            for (x, y), text, ink, size, weight in rows
        )
        found.append(f"<g><title>{escape(step.about)}</title>{drawn}</g>")
    return found


def _legend(machine: StateMachine, height: int, inks: Inks) -> str:
    if not machine.problems and not machine.sessions:
        return ""
    told = ["Blue: holds a sequence slot."] if machine.sessions else []
    if machine.problems:
        told.append(
            "Dashed: missing or not known (?), doubtful or contradictory (!). Numbers: problems."
        )
    return (
        f'<text x="24" y="{height - 16}" font-size="14" fill="{inks.quiet}">'
        f"{escape(' '.join(told))}</text>"
    )
