"""Control inputs that load and leave the model in the dark, or tell it something wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.enum_names import enum_name
from backend.modelconfig.lint.refused_controls import CORRID, Control, controls, kind_name
from backend.modelconfig.lint.refused_scheduling import oldest, sequence
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.rule import Context, Hit, LintRule
from backend.modelconfig.lint.warning_sequence import is_direct

_GUIDE: Final = "Triton server, docs/user_guide/architecture.md, Control Inputs"
_SEQ: Final = "Triton core, src/sequence_batch_scheduler/sequence_batch_scheduler.cc"
_SET: Final = f"{_SEQ}, SequenceBatch::SetControlTensors"
_CREATE: Final = f"{_SEQ}, SequenceBatch::CreateCorrelationIDControl"
_THIRTY_TWO: Final = (model_config_pb2.TYPE_UINT32, model_config_pb2.TYPE_INT32)


def kinds(context: Context) -> set[int]:
    """The kinds of control that the file has."""
    return {control.kind for _, _, control in controls(context)}


def _ready(context: Context) -> Iterator[Hit]:
    if (
        is_direct(context)
        and context.config.max_batch_size > 1
        and Control.CONTROL_SEQUENCE_READY not in kinds(context)
    ):
        yield Hit(
            "sequence_batching",
            f"Strategy direct with {context.config.max_batch_size} slots and no READY control.",
            "A silent slot below a ready one is padded with a row of junk; without READY the model "
            "takes it for a request of the session in that slot.",
            "Add a control_input with CONTROL_SEQUENCE_READY, and leave rows alone where it is "
            "false.",
        )


def _id(context: Context) -> Iterator[Hit]:
    if oldest(context) is None or CORRID in kinds(context):
        return
    code = context.code
    if code is not None and code.reads_correlation_id:
        return
    python = context.backend == "python"
    yield Hit(
        "sequence_batching",
        "Strategy oldest and no CORRID control.",
        "A session's position in the batch changes with every execution: the model cannot tell "
        + (
            "sessions apart unless it reads request.correlation_id()."
            if python
            else "sessions apart."
        ),
        "Add a control_input with CONTROL_SEQUENCE_CORRID"
        + (", or read request.correlation_id()." if python else ", or let Triton carry the state."),
    )


def _start(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    if section is None or Control.CONTROL_SEQUENCE_START in kinds(context):
        return
    code = context.code
    if (code is not None and code.reads_flags) or section.state:
        return
    yield Hit(
        "sequence_batching",
        "No START control.",
        "The model is not told when a new session begins in a slot or under a used ID; a session "
        "that was cancelled or reached its idle limit never had an END either.",
        "Add a control_input with CONTROL_SEQUENCE_START, and begin afresh where it is true"
        + ("; or read request.flags()." if context.backend == "python" else "."),
    )


def _in_inputs(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    names = {entry.name for entry in section.control_input} if section is not None else set()
    for index, entry in enumerate(context.config.input):
        if entry.name and entry.name in names:
            yield Hit(
                f"input[{index}]",
                f"'{entry.name}' is both an input and a control input.",
                "Clients then have to send it, although Triton sets it.",
                "Leave it out of input.",
            )


def _several(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    for index, entry in enumerate(section.control_input if section is not None else ()):
        told = [control for control in entry.control if control.kind in Control.Kind.values()]
        if len(told) > 1:
            names = ", ".join(kind_name(control) for control in told)
            yield Hit(
                f"sequence_batching.control_input[{index}]",
                f"The control input '{entry.name}' is to carry {names}.",
                "It loads, and the tensor carries the last of them only (seen on 24.10).",
                "Give each kind a control input of its own.",
            )


def _empty(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    for index, entry in enumerate(section.control_input if section is not None else ()):
        unknown = [c for c in entry.control if c.kind not in Control.Kind.values()]
        if not entry.control or unknown:
            what = (
                f"kind {unknown[0].kind}, which Triton does not have" if unknown else "no control"
            )
            yield Hit(
                f"sequence_batching.control_input[{index}]",
                f"The control input '{entry.name}' has {what}.",
                "It loads, and the model never gets the tensor.",
                "Say which kind it carries, or leave it out.",
            )


def _narrow(context: Context) -> Iterator[Hit]:
    for path, name, control in controls(context):
        if control.kind == CORRID and control.data_type in _THIRTY_TWO:
            kind = enum_name(control, "data_type")
            yield Hit(
                f"{path}.data_type",
                f"The control '{name}' hands the correlation ID over as {kind}.",
                "Only the low 32 bits arrive: two sessions whose IDs differ above them (hashed or "
                "random 64-bit IDs) look alike to the model.",
                "Write TYPE_UINT64.",
            )


def _heap(context: Context) -> Iterator[Hit]:
    for path, name, control in controls(context):
        if control.kind == CORRID and control.data_type in (
            model_config_pb2.TYPE_UINT64,
            model_config_pb2.TYPE_INT64,
            *_THIRTY_TWO,
        ):
            yield Hit(
                f"{path}.data_type" if context.written(f"{path}.data_type") else path,
                f"The control '{name}' carries whole numbers, and this release does not check "
                "which IDs clients send.",
                "A text ID overruns the 8 bytes kept for it: the model reads a meaningless number, "
                "and IDs of 36 or more characters end the server or the model's process (seen on "
                "24.10).",
                "Let every client send whole numbers, or take release 25.01, which refuses text.",
            )


RULES: Final = (
    LintRule("direct-without-ready", "warning", "Direct without a READY control", _GUIDE, _ready),
    LintRule("oldest-without-id", "warning", "Oldest without a CORRID control", _GUIDE, _id),
    LintRule("no-start-control", "info", "No START control", _GUIDE, _start),
    LintRule("control-in-inputs", "warning", "A control input listed as an input", _SET,
             _in_inputs),
    LintRule("control-several-kinds", "warning", "Several kinds in one control input", _SET,
             _several),
    LintRule("control-empty", "warning", "A control input that carries nothing", _SET, _empty),
    LintRule("control-id-narrow", "warning", "A correlation ID of 32 bits", _SET, _narrow),
    LintRule("control-id-unchecked", "info", "Text IDs can end the server", _CREATE, _heap,
             until=Release(24, 12)),
)  # fmt: skip
