"""A state machine as a drawing (Mermaid or Graphviz) and as sentences for those who cannot see it.

Problems are numbered alike in all three. Labels are short: long ones wrap inside words.
"""

from __future__ import annotations

from typing import Final, Literal

from backend.workload.session_states import OUTSIDE, State, StateMachine, Transition

_ASKED: Final = {
    "missing": "?",
    "unknown": "?",
    "doubtful": "!",
    "contradictory": "!",
    "stated": "",
}


def to_mermaid(
    machine: StateMachine, direction: Literal["LR", "TB"] = "LR", *, guards: bool = False
) -> str:
    """Text of a Mermaid ``stateDiagram-v2``; states with a problem have a thick broken border.

    ``?`` marks a transition that is missing or not known of, ``!`` one that is doubtful or
    contradicts another answer; the number in brackets is the problem's.

    Args:
        machine: What to draw.
        direction: From left to right, or (for a narrow place) from top to bottom.
        guards: Whether each transition names its guard, on a line of its own; such labels need
            room.
    """
    lines = ["stateDiagram-v2", f"    direction {direction}"]
    lines += [f'    state "{_name(machine, state)}" as {state.id}' for state in machine.states]
    if machine.sessions:
        lines.append("    [*] --> absent")
    lines += [
        f"    {_end(step.source)} --> {_end(step.target)} : {_label(machine, step)}"
        f"{f'<br>[{step.guard}]' if guards and step.guard else ''}"
        for step in machine.transitions
    ]
    if machine.sessions:
        lines.append("    ended --> [*]")
    troubled = _troubled(machine)
    if troubled:
        lines.append("    classDef problem stroke:#c2410c,stroke-width:3px,stroke-dasharray:6 3")
        lines.append(f"    class {','.join(troubled)} problem")
    return "\n".join(lines) + "\n"


def to_dot(machine: StateMachine) -> str:
    """Text of a Graphviz digraph; missing and unknown transitions are broken lines."""
    troubled = _troubled(machine)
    lines = ["digraph session {", "  rankdir=LR;", '  node [shape=box, style="rounded"];']
    lines.append(f'  {OUTSIDE} [shape=circle, label="", width=0.2, style=filled, fillcolor=black];')
    for state in machine.states:
        style = (
            ', color="#c2410c", style="rounded,dashed", penwidth=2' if state.id in troubled else ""
        )
        lines.append(f'  {state.id} [label="{_name(machine, state)}"{style}];')
    if machine.sessions:
        lines.append(f"  {OUTSIDE} -> absent;")
    for step in machine.transitions:
        style = ""
        if step.status != "stated":
            style = ', style=dashed, color="#c2410c", fontcolor="#c2410c"'
        guard = f"\\n[{step.guard}]" if step.guard else ""
        label = f"{_label(machine, step)}{guard}"
        lines.append(f'  {step.source} -> {step.target} [label="{label}"{style}];')
    lines.append("}")
    return "\n".join(lines) + "\n"


def describe(machine: StateMachine) -> tuple[str, ...]:
    """The drawing in sentences: what happens, in order, then each numbered problem."""
    labels = {state.id: state.label for state in machine.states}
    if not machine.sessions:
        told = ["Each request is served alone: it comes in, it is answered, nothing stays behind."]
    else:
        told = [
            f"From '{labels[step.source]}' to '{labels[step.target]}' on {step.trigger}"
            f"{f' [{step.guard}]' if step.guard else ''}"
            f"{_STATUS_WORDS[step.status]}: {step.about}"
            for step in machine.transitions
        ]
    return (
        *told,
        *(f"Problem {p.number} ({p.kind}): {p.sentence}" for p in machine.problems),
    )


_STATUS_WORDS: Final = {
    "stated": "",
    "unknown": " (not known)",
    "missing": " (missing)",
    "doubtful": " (doubtful)",
    "contradictory": " (contradicts another answer)",
}


def _end(state: str) -> str:
    return "[*]" if state == OUTSIDE else state


def _name(machine: StateMachine, state: State) -> str:
    """A state's label with the numbers of the problems that are its own."""
    numbers = machine.numbers_at(state.id)
    return f"{state.label} ({', '.join(map(str, numbers))})" if numbers else state.label


def _label(machine: StateMachine, step: Transition) -> str:
    numbers = machine.numbers_at(step.id, step.trigger)
    shown = f" ({', '.join(str(n) for n in numbers)})" if numbers else ""
    return f"{step.trigger}{_ASKED[step.status]}{shown}"


def _troubled(machine: StateMachine) -> list[str]:
    """States with a problem of their own, or that a transition with a problem starts from."""
    return [
        state.id
        for state in machine.states
        if machine.numbers_at(state.id)
        or any(
            machine.numbers_at(step.id, step.trigger)
            for step in machine.transitions
            if step.source == state.id
        )
    ]
