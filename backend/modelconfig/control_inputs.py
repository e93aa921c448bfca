"""Which control inputs a sequence candidate gets: kinds and types by strategy, backend and ids.

Source: for the types core, ``model_config_utils.cc`` (``GetTypedSequenceControlProperties``); for
what each strategy needs Triton server, ``docs/user_guide/implicit_state_management.md``.
"""

from __future__ import annotations

from typing import Final, Literal

from backend.contracts.errors import InputError
from backend.contracts.values import Value
from backend.modelconfig.backend_support import support
from backend.modelconfig.candidate import ControlInput, IdDataType
from backend.modelconfig.lint.release import Release
from backend.workload.answers import Backend, CorrelationId, IdControl
from backend.workload.study import CandidateName

START: Final = "START"
END: Final = "END"
READY: Final = "READY"
CORRID: Final = "CORRID"
NAMES: Final = (START, END, READY, CORRID)

TYPE_CHECKED: Final = Release(25, 1)
"""From here on Triton refuses an id whose type is not the control input's; before, it writes past
the end of the tensor."""

_TYPES: Final[dict[IdControl, IdDataType]] = {
    "uint64": "UINT64",
    "int64": "INT64",
    "uint32": "UINT32",
    "int32": "INT32",
    "string": "STRING",
}
_WIDE_IDS: Final = ("random", "hash")
_PYTHON_TEXT: Final = (
    "No CORRID: Triton's Python backend cannot be given text ids; the model asks the request."
)


class Controls(Value):
    """The control inputs and why they are these."""

    inputs: tuple[ControlInput, ...]
    reason: str


def default_controls(name: CandidateName, *, numeric_ids: bool) -> tuple[ControlInput, ...]:
    """What a strategy needs where nothing else is known: direct READY, oldest a numeric CORRID."""
    flags = (_flag(START), _flag(END))
    if name == "sequence-direct":
        # without it a model cannot tell the padding of silent slots from data
        return (*flags, _flag(READY))
    if name == "sequence-oldest":
        return (*flags, _corrid("UINT64")) if numeric_ids else flags
    return ()


def control_inputs(
    name: CandidateName,
    ids: CorrelationId,
    backend: Backend,
    *,
    release: Release,
    finds_by_id: bool,
    state_in_triton: bool = False,
) -> Controls:
    """The control inputs of a sequence candidate.

    Args:
        name: Its strategy.
        ids: What is known of the correlation IDs, and as which type the model reads them.
        backend: The model's backend.
        release: The release that is to load it.
        finds_by_id: The model looks its state up by correlation ID.
        state_in_triton: Triton carries the state (implicit state): no id is needed to find it.

    Raises:
        InputError: if the model reads the id as a type that clients do not send, or that the
            backend has no tensors of.
    """
    told = "START and END tell the model where a session begins and ends"
    parts = []
    inputs = [_flag(START), _flag(END)]
    if name == "sequence-direct":
        inputs.append(_flag(READY))
        told += "; READY tells a request from the padding that fills a silent slot"
    chosen: IdDataType | None
    if backend == "python" and "string" in (ids.type, ids.control_type):
        chosen, why = None, _PYTHON_TEXT
    elif ids.type == "string":
        chosen, why = _for_text(ids, backend)
    elif state_in_triton and ids.control_type == "unknown":
        chosen, why = None, "No CORRID: Triton finds the state by itself."
    else:
        chosen, why = _for_numbers(name, ids, release)
    if chosen is not None:
        inputs.append(_corrid(chosen))
        told += "; CORRID which session a request belongs to"
    parts.append(f"{told}.")
    parts.append(why)
    compiled = backend != "python"
    if chosen is None and name == "sequence-oldest" and finds_by_id and compiled:
        parts.append(
            "The model is said to find its state by correlation ID: without one in its inputs it "
            "has to come from elsewhere."
        )
    if compiled:
        parts.append(
            "These are inputs of the model itself, under the same names and types; a model without "
            "one of them does not load: then take that entry out."
        )
    return Controls(inputs=tuple(inputs), reason=" ".join(part for part in parts if part))


def _for_numbers(
    name: CandidateName, ids: CorrelationId, release: Release
) -> tuple[IdDataType | None, str]:
    reads = ids.control_type
    if reads == "string":
        raise InputError(
            "The model reads the correlation ID as text, but clients send numbers.",
            why="Triton does not turn one into the other: until 25.01 the model gets the number's "
            "bytes as a text, from then on each request is refused.",
            next_step="Let clients send text ids, or let the model read a number.",
            key="control_type",
        )
    if reads == "none":
        return None, "The model is not given the correlation ID, as answered."
    if reads == "unknown" and name == "sequence-direct":
        return None, ""
    text_is = (
        "a text id is refused"
        if release >= TYPE_CHECKED
        else f"on release {release} a text id can end the server"
    )
    why = f"Send whole numbers only: {text_is}."
    if ids.type in ("unknown", "none"):
        why += " The study does not say which ids are sent; whole numbers are assumed."
    chosen = _TYPES.get(reads, "UINT64")
    if chosen in ("UINT32", "INT32"):
        why += " Triton passes on the low 32 bits alone: two ids that differ above them look alike"
        why += (
            " to the model, and ids here are hashed or random."
            if ids.made_as in _WIDE_IDS
            else "; keep ids below 4,294,967,296."
        )
    elif chosen == "INT64":
        why += " Ids of 2^63 and more look negative to the model."
    return chosen, why


def _for_text(ids: CorrelationId, backend: Backend) -> tuple[IdDataType | None, str]:
    known = support(backend, "text_correlation_id")
    reads = ids.control_type
    if reads in ("uint64", "int64", "uint32", "int32"):
        raise InputError(
            f"Clients send text as correlation ID, but the model reads it as {reads}.",
            why="Until 24.12 the server writes past the end of the number and can end; from 25.01 "
            "on it refuses each such request.",
            next_step="Let clients send numbers, or let the model read text.",
            key="control_type",
        )
    if reads == "string" and known.answer == "no":
        raise InputError(
            f"The model is to be given the correlation ID as text, but its backend is '{backend}'.",
            why=f"{known.why} Source: {known.source}.",
            next_step="Let clients send numbers, or answer that the model is not given the id.",
            key="control_type",
        )
    if reads == "string":
        return "STRING", (
            "The id is passed on as text, as the model reads it. Try it before relying on it: on "
            "release 24.10 another backend could not take ids shorter than 128 characters."
        )
    return None, "No CORRID: the answers do not say that the model takes the text id as an input."


def _flag(kind: Literal["START", "END", "READY"]) -> ControlInput:
    """One control input of its own: several kinds in one tensor overwrite each other."""
    return ControlInput(name=kind, kind=kind, data_type="INT32")


def _corrid(data_type: IdDataType) -> ControlInput:
    return ControlInput(name=CORRID, kind=CORRID, data_type=data_type)
