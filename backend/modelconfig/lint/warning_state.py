"""State that Triton is to carry (``state``) and that never changes, is junk or goes astray."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tritonclient.grpc import model_config_pb2

from backend.contracts.implicit_state import STATE_WRITERS
from backend.modelconfig.lint.refused_scheduling import sequence
from backend.modelconfig.lint.refused_state import states
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.rule import Context, Hit, LintRule
from backend.modelconfig.state_order import stray_states

_GUIDE: Final = "Triton server, docs/user_guide/architecture.md, Implicit State Management"
_STATE: Final = "Triton core, src/sequence_state.cc, SequenceStates::Initialize"
_GPU: Final = model_config_pb2.ModelInstanceGroup.KIND_GPU


def _never_written(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    backend = context.backend
    if section is None or not section.state or not backend or backend in STATE_WRITERS:
        return
    yield Hit(
        "sequence_batching.state",
        f"Triton is to carry state for the backend '{backend}'.",
        "Only the backends for ONNX Runtime, TensorRT and PyTorch write state back: here the model "
        "gets the same tensor with every request, and its own changes are lost.",
        "Keep the state in the model, by correlation ID or by slot, and leave state out.",
    )


def _uninitialised(context: Context) -> Iterator[Hit]:
    for path, state in states(context):
        if not state.initial_state:
            yield Hit(
                path,
                f"The state '{state.input_name}' has no initial state.",
                "The first request of a session gets uninitialised memory"
                + (
                    " (text: empty)."
                    if state.data_type == model_config_pb2.TYPE_STRING
                    else ", which may hold another session's values."
                ),
                "Add initial_state with zero_data: true, unless the model ignores the state on "
                "START.",
            )


def _order(context: Context) -> Iterator[Hit]:
    written = [state for _, state in states(context)]
    strayed = stray_states(written)
    if strayed:
        yield Hit(
            "sequence_batching.state",
            "The states' input names and output names do not sort alike: "
            + "; ".join(f"{state.input_name} and {state.output_name}" for state in written)
            + ".",
            "Triton pairs them by the order of their names: from the second request of a session "
            "on, "
            + "; ".join(
                f"what is written to {first} arrives as {other}" for first, other in strayed
            )
            + ". Nothing reports it.",
            "Name them so that both sort alike, such as a_in, b_in and a_out, b_out.",
        )


def _twice(context: Context) -> Iterator[Hit]:
    for field in ("input_name", "output_name"):
        seen: set[str] = set()
        for path, state in states(context):
            name = getattr(state, field)
            if name and name in seen:
                yield Hit(
                    f"{path}.{field}",
                    f"Two states have the {field.replace('_', ' ')} '{name}'.",
                    "Triton logs a warning and ignores one of them.",
                    "Give each state names of its own.",
                )
            seen.add(name)


def _incomplete(context: Context) -> Iterator[Hit]:
    for path, state in states(context):
        lacking = [
            name
            for name, there in (
                ("input_name", bool(state.input_name)),
                ("output_name", bool(state.output_name)),
                ("data_type", state.data_type != model_config_pb2.TYPE_INVALID),
                ("dims", bool(state.dims) and all(dim > 0 or dim == -1 for dim in state.dims)),
            )
            if not there
        ]
        if lacking:
            yield Hit(
                path,
                f"A state has no usable {', '.join(lacking)}.",
                "It loads without a word, and the state is empty or of no type when it is used.",
                "Write input_name, output_name, data_type and dims.",
            )


def _variable(context: Context) -> Iterator[Hit]:
    for path, state in states(context):
        if -1 in state.dims and not state.initial_state:
            yield Hit(
                f"{path}.dims",
                f"The state '{state.input_name}' has a variable dimension.",
                "For the first request of a session it is 1.",
                "Give an initial_state with the size that the model begins with.",
            )


def _growable(context: Context) -> Iterator[Hit]:
    on_gpu = any(group.kind == _GPU for group in context.config.instance_group)
    for path, state in states(context):
        if state.use_growable_memory and not (state.use_same_buffer_for_input_output and on_gpu):
            yield Hit(
                f"{path}.use_growable_memory",
                "Growable memory needs use_same_buffer_for_input_output and KIND_GPU.",
                "It loads, and fails with a log line when it is first used.",
                "Set both, or leave use_growable_memory out.",
            )


RULES: Final = (
    LintRule("state-never-written", "warning", "State that the backend never writes", _GUIDE,
             _never_written),
    LintRule("state-uninitialised", "warning", "State without an initial value", _GUIDE,
             _uninitialised),
    LintRule("state-order", "warning", "States whose names do not sort alike",
             "Triton core, src/sequence_state.cc, SequenceStates::OutputState", _order),
    LintRule("state-twice", "warning", "One name for two states", _STATE, _twice),
    LintRule("state-incomplete", "warning", "A state without name, type or size", _STATE,
             _incomplete),
    LintRule("state-variable", "info", "A state with a variable dimension", _STATE, _variable),
    LintRule("state-growable", "warning", "Growable memory without what it needs", _STATE,
             _growable, since=Release(23, 11)),
)  # fmt: skip
