"""How Triton pairs the inputs and outputs of the states that it carries.

Source: core, ``sequence_state.cc`` (``SequenceStates::Initialize``, ``OutputState``): both sides
are maps by name; an output goes to the input at the same place of the other map. An output that
shares its input's buffer is not handed over, yet takes up its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def stray_states(states: Iterable[Any]) -> list[tuple[str, str]]:
    """Outputs that Triton hands over as another state's input, each with that input's name.

    Args:
        states: ``ModelSequenceBatching.State`` messages, in the order of the file.
    """
    inputs: list[str] = []
    outputs: list[str] = []
    kept = []
    for state in states:
        # an entry that repeats a name is ignored
        if state.input_name not in inputs and state.output_name not in outputs:
            inputs.append(state.input_name)
            outputs.append(state.output_name)
            kept.append(state)
    pairs = dict(zip(sorted(outputs), sorted(inputs), strict=True))
    return [
        (state.output_name, pairs[state.output_name])
        for state in kept
        if not state.use_same_buffer_for_input_output
        and pairs[state.output_name] != state.input_name
    ]
