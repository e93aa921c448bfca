"""State tensors that Triton carries from one request of a sequence to the next: who may have them.

Source: Triton server, ``docs/user_guide/implicit_state_management.md``; core,
``sequence_state.cc`` (``SequenceStates::Initialize``, ``OutputState``).
"""

from __future__ import annotations

from backend.contracts.errors import InputError
from backend.modelconfig.backend_support import support
from backend.workload.answers import Backend
from backend.workload.declared_model import DeclaredModel, DeclaredState
from backend.workload.study import CandidateName


def check_states(model: DeclaredModel, backend: Backend, name: CandidateName) -> None:
    """Refuse states that the backend cannot write, or that Triton would pair wrongly.

    Raises:
        InputError: naming the state and what to change.
    """
    if not model.states:
        return
    sequence = name.startswith("sequence-")
    known = support(backend, "implicit_state")
    if sequence and known.answer != "yes":
        raise InputError(
            f"The model declares states, but its backend is '{backend}'.",
            why=f"{known.why} Source: {known.source}.",
            next_step="Let the model keep its state itself and take the states out, or serve it "
            "with one of those backends.",
            key="states",
        )
    _distinct(model)
    if not sequence:
        return
    _sorted_alike(model.states)
    for state in model.states:
        if any(dim == 0 or dim < -1 for dim in state.dims):
            raise _fault(state, f"has dims {list(state.dims)}", "Give dims of at least 1, or -1.")
        if state.initial == "file" and not state.file:
            raise _fault(
                state,
                "begins with the contents of a file that is not named",
                "Name the file; it lies in the model's folder initial_state.",
            )
        if state.initial == "file" and -1 in state.dims:
            raise _fault(
                state,
                f"has dims {list(state.dims)} and begins with the contents of a file",
                "Give fixed dims: a first value from a file has one size.",
            )


def states_reason(states: tuple[DeclaredState, ...], name: CandidateName) -> str:
    """Why the states stand where they stand, for the file."""
    listed = ", ".join(f"{state.input_name} from {state.output_name}" for state in states)
    if not name.startswith("sequence-"):
        return (
            f"Without the sequence batcher Triton carries no state: clients send "
            f"{', '.join(s.input_name for s in states)} with each request and get "
            f"{', '.join(s.output_name for s in states)} back to send next time."
        )
    parts = [
        f"Triton keeps these per sequence and slot: {listed}. The first request of a sequence "
        "begins afresh. Triton pairs inputs and outputs by the order of their sorted names; they "
        "sort alike."
    ]
    raw = [state.input_name for state in states if state.initial == "uninitialised"]
    if raw:
        parts.append(
            f"{', '.join(raw)}: without initial_state the first request gets whatever the memory "
            "holds; the model has to begin afresh by itself when START is set."
        )
    if any(-1 in state.dims and state.initial == "zero" for state in states):
        parts.append("A first value of zeros has size 1 where a dimension is variable.")
    return " ".join(parts)


def _sorted_alike(states: tuple[DeclaredState, ...]) -> None:
    """Triton 24.10 and all releases read pair state tensors by sorted name, not by entry."""
    by_input = sorted(states, key=lambda state: state.input_name)
    by_output = sorted(states, key=lambda state: state.output_name)
    for first, second in zip(by_input, by_output, strict=True):
        if first is not second:
            raise InputError(
                f"Sorted by name, the state input '{first.input_name}' stands beside the output "
                f"'{second.output_name}', which belongs to '{second.input_name}'.",
                why="Triton pairs the states of a model by the order of their sorted names: from a "
                "sequence's second request on the two would be swapped, without a message.",
                next_step="Rename the tensors so that inputs and outputs sort alike.",
                key="states",
            )


def _distinct(model: DeclaredModel) -> None:
    taken = {tensor.name for tensor in (*model.inputs, *model.outputs)}
    for state in model.states:
        for tensor in (state.input_name, state.output_name):
            if tensor in taken:
                raise InputError(
                    f"The state tensor '{tensor}' is named twice in the declared model.",
                    why="A state is neither an input that clients send nor an output of theirs.",
                    next_step=f"Take '{tensor}' out of the inputs and outputs, or rename it.",
                    key="states",
                )
            taken.add(tensor)


def _fault(state: DeclaredState, what: str, next_step: str) -> InputError:
    return InputError(f"The state '{state.input_name}' {what}.", next_step=next_step, key="states")
