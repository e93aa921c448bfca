"""What a state machine lacks as a graph, whichever it is: states, ways in, ways out.

A session that holds a slot must be able to end in each of the ways in which sessions do end:
its client finishes, gives up, gets an error, or falls silent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from backend.contracts.values import Value
from backend.workload.session_states import OUTSIDE, State, Transition

LackKind = Literal["unreachable", "no way out", "no timeout", "no cancel", "no error"]


class Lack(Value):
    """One thing that a machine lacks, at a state; ``trigger`` is what would mend it."""

    kind: LackKind
    state: str
    trigger: str | None
    sentence: str


def lacks(
    states: tuple[State, ...], transitions: tuple[Transition, ...], initial: str
) -> tuple[Lack, ...]:
    """Everything that the graph lacks; transitions that are missing or impossible do not count.

    Args:
        states: All states.
        transitions: All transitions.
        initial: The state in which everything begins.
    """
    usable = tuple(t for t in transitions if t.possible and t.status != "missing")
    return (*_unreachable(states, usable, initial), *_no_way_out(states, usable), *_ends(
        states, usable
    ))  # fmt: skip


def _unreachable(
    states: tuple[State, ...], usable: tuple[Transition, ...], initial: str
) -> Iterator[Lack]:
    reached = closure(initial, {(t.source, t.target) for t in usable})
    lost = [state for state in states if state.id not in reached]
    holding = [state for state in states if state.holds_slot]
    if holding and all(state in lost for state in holding):
        first = next(state for state in lost)
        yield Lack(
            kind="unreachable",
            state=first.id,
            trigger=None,
            sentence="No session can begin: no state after "
            f"'{_label(states, initial)}' can be reached.",
        )
    else:
        for state in lost:
            yield Lack(
                kind="unreachable",
                state=state.id,
                trigger=None,
                sentence=f"Nothing leads to the state '{state.label}'.",
            )


def _no_way_out(states: tuple[State, ...], usable: tuple[Transition, ...]) -> Iterator[Lack]:
    """Slot-holding states from which no path leads to one that holds none."""
    free = {state.id for state in states if not state.holds_slot} | {OUTSIDE}
    backwards = {(t.target, t.source) for t in usable}
    leaving = {state for home in free for state in closure(home, backwards)}
    for state in states:
        if state.holds_slot and state.id not in leaving:
            yield Lack(
                kind="no way out",
                state=state.id,
                trigger=None,
                sentence="By these answers nothing leads from a live session to its end; only "
                "Triton's idle limit would free its slot.",
            )
            return


def _ends(states: tuple[State, ...], usable: tuple[Transition, ...]) -> Iterator[Lack]:
    holding = {state.id for state in states if state.holds_slot}
    if not holding:
        return
    leaving = {t.trigger for t in usable if t.source in holding and t.target not in holding}
    some = next(state.id for state in states if state.holds_slot)
    wanted: tuple[tuple[LackKind, str, str], ...] = (
        (
            "no timeout",
            "idle limit",
            "No transition says what happens when a session falls silent.",
        ),
        ("no cancel", "cancel", "No transition says what happens when a client cancels."),
        ("no error", "error", "No transition says what happens after an error reply."),
    )
    for kind, trigger, sentence in wanted:
        if trigger not in leaving:
            yield Lack(kind=kind, state=some, trigger=trigger, sentence=sentence)


def _label(states: tuple[State, ...], state_id: str) -> str:
    return next((state.label for state in states if state.id == state_id), state_id)


def closure(start: str, edges: set[tuple[str, str]]) -> set[str]:
    """All states that edges lead to from one."""
    reached, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        for source, target in edges:
            if source == here and target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached
