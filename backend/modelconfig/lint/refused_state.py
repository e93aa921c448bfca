"""What Triton refuses of ``state`` and its ``initial_state``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from backend.modelconfig.lint.memory import MOST_BYTES, byte_size
from backend.modelconfig.lint.refused_model import REFUSED_LATE
from backend.modelconfig.lint.refused_scheduling import sequence
from backend.modelconfig.lint.rule import Context, Hit, LintRule

_STATE: Final = (
    "Triton core, src/sequence_batch_scheduler/sequence_batch_scheduler.cc, "
    "SequenceBatchScheduler::GenerateInitialStateData"
)
_CREATE: Final = (
    "Triton core, src/sequence_batch_scheduler/sequence_batch_scheduler.cc, "
    "SequenceBatchScheduler::Create"
)


def states(context: Context) -> Iterator[tuple[str, Any]]:
    """Path and message of every state of the sequence batcher."""
    section = sequence(context)
    for index, state in enumerate(section.state if section is not None else ()):
        yield f"sequence_batching.state[{index}]", state


def _initials(context: Context) -> Iterator[tuple[str, Any, Any]]:
    """Path, state and its initial state, where it has exactly one."""
    for path, state in states(context):
        if len(state.initial_state) == 1:
            yield f"{path}.initial_state[0]", state, state.initial_state[0]


def _several(context: Context) -> Iterator[Hit]:
    for path, state in states(context):
        if len(state.initial_state) > 1:
            yield Hit(
                f"{path}.initial_state[1]",
                f"The state '{state.input_name}' has {len(state.initial_state)} initial states.",
                REFUSED_LATE,
                "Keep one.",
            )


def _unfit(context: Context) -> Iterator[Hit]:
    for path, state, initial in _initials(context):
        what = _mismatch(state, initial)
        if what:
            yield Hit(
                path,
                f"The initial state of '{state.input_name}' {what}.",
                REFUSED_LATE,
                "Give it a name, the state's data_type, and dims as the state's with every "
                "variable one filled in.",
            )


def _mismatch(state: Any, initial: Any) -> str:
    """The first thing that Triton would name, in its order of looking."""
    if initial.data_type != state.data_type:
        return "has another data_type than the state"
    if not initial.name:
        return "has no name"
    if len(initial.dims) != len(state.dims):
        return f"has {len(initial.dims)} dimensions, the state has {len(state.dims)}"
    for given, wanted in zip(initial.dims, state.dims, strict=True):
        if given < 0:
            return "has a variable dimension" if given == -1 else f"has a dimension of {given}"
        if wanted != -1 and given != wanted:
            return f"has a dimension of {given} where the state has {wanted}"
    return ""


def _nothing(context: Context) -> Iterator[Hit]:
    for path, state, initial in _initials(context):
        if initial.WhichOneof("state_data") is None and not _mismatch(state, initial):
            yield Hit(
                path,
                f"The initial state of '{state.input_name}' does not say what it holds.",
                REFUSED_LATE,
                "Write zero_data: true, or data_file: with a file below initial_state/.",
            )


def _memory(context: Context) -> Iterator[Hit]:
    for path, state, initial in _initials(context):
        size = byte_size(initial.data_type)
        if size is None or _mismatch(state, initial):
            continue
        # Triton counts in 64 bits, and what runs over comes out small again
        given = (math.prod(initial.dims) * size + 2**63) % 2**64 - 2**63
        if not 0 <= given < MOST_BYTES:
            yield Hit(
                f"{path}.dims",
                f"The initial state of '{state.input_name}' fits no memory.",
                "Triton makes it while it loads the model, and ends (SIGSEGV, seen on 24.10).",
                "Write dims as the model's state has them.",
            )


def _input_twice(context: Context) -> Iterator[Hit]:
    seen: set[str] = set()
    for path, state, _ in _initials(context):
        if state.input_name in seen:
            yield Hit(
                path,
                f"Two states with an initial state have the input '{state.input_name}'.",
                REFUSED_LATE,
                "Give each state an input of its own.",
            )
        seen.add(state.input_name)


RULES: Final = (
    LintRule("initial-state-several", "error", "More than one initial state of a state", _CREATE,
             _several),
    LintRule("initial-state-unfit", "error", "An initial state that does not fit its state", _STATE,
             _unfit),
    LintRule("initial-state-empty", "error", "An initial state without data", _STATE, _nothing),
    LintRule("initial-state-memory", "error", "An initial state that fits no memory",
             f"{_STATE}; seen on the running server", _memory),
    LintRule("initial-state-input-twice", "error", "Two initial states for one input", _CREATE,
             _input_twice),
)  # fmt: skip
