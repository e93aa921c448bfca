"""What Triton refuses of the sequence batcher's control inputs, or what breaks in their use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.enum_names import enum_name
from backend.modelconfig.lint.refused_model import REFUSED, VALIDATE
from backend.modelconfig.lint.refused_scheduling import sequence
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.rule import Context, Hit, LintRule

Control: Final = model_config_pb2.ModelSequenceBatching.Control
CORRID: Final = Control.CONTROL_SEQUENCE_CORRID
FLAGS: Final = ("int32_false_true", "fp32_false_true", "bool_false_true")
_BOOLEAN: Final = "Triton core, src/model_config_utils.cc, GetBooleanSequenceControlProperties"
_TYPED: Final = "Triton core, src/model_config_utils.cc, GetTypedSequenceControlProperties"
_ID_TYPES: Final = ("TYPE_UINT64", "TYPE_INT64", "TYPE_UINT32", "TYPE_INT32", "TYPE_STRING")
_KNOWN: Final = tuple(Control.Kind.values())


def controls(context: Context) -> Iterator[tuple[str, str, Any]]:
    """Path, name of its input, and message of every control."""
    section = sequence(context)
    if section is None:
        return
    for number, entry in enumerate(section.control_input):
        for index, control in enumerate(entry.control):
            path = f"sequence_batching.control_input[{number}].control[{index}]"
            yield path, entry.name, control


def kind_name(control: Any) -> str:
    """The kind of a control as the file spells it."""
    return enum_name(control, "kind")


def _name(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    for index, entry in enumerate(section.control_input if section is not None else ()):
        if not entry.name:
            yield Hit(
                f"sequence_batching.control_input[{index}]",
                "A control input has no name.",
                REFUSED,
                'Write its name, such as name: "START".',
            )


def _name_twice(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    seen: set[str] = set()
    for index, entry in enumerate(section.control_input if section is not None else ()):
        if entry.name and entry.name in seen:
            yield Hit(
                f"sequence_batching.control_input[{index}]",
                f"Two control inputs are called '{entry.name}'.",
                REFUSED,
                "Give each control a tensor of its own.",
            )
        seen.add(entry.name)


def _kind_twice(context: Context) -> Iterator[Hit]:
    seen: set[int] = set()
    for path, _, control in controls(context):
        if control.kind in _KNOWN and control.kind in seen:
            yield Hit(
                path,
                f"{kind_name(control)} is given by more than one control.",
                REFUSED,
                "Keep one of them.",
            )
        seen.add(control.kind)


def _flags(context: Context) -> Iterator[Hit]:
    for path, name, control in controls(context):
        if control.kind == CORRID or control.kind not in _KNOWN:
            continue
        given = [field for field in FLAGS if len(getattr(control, field))]
        if not given:
            yield Hit(
                path,
                f"The control '{name}' does not say which values stand for false and true.",
                REFUSED,
                "Write int32_false_true: [ 0, 1 ], or the same for fp32 or bool.",
            )
        elif len(given) > 1:
            yield Hit(
                path,
                f"The control '{name}' gives values for false and true in {len(given)} data types.",
                REFUSED,
                f"Keep one of {', '.join(given)}.",
            )
        elif len(getattr(control, given[0])) != 2:
            yield Hit(
                f"{path}.{given[0]}",
                f"{given[0]} of the control '{name}' has {len(getattr(control, given[0]))} "
                "entries.",
                REFUSED,
                "Write two: the value for false, then the one for true.",
            )


def _id_flags(context: Context) -> Iterator[Hit]:
    for path, name, control in controls(context):
        given = [field for field in FLAGS if len(getattr(control, field))]
        if control.kind == CORRID and given:
            yield Hit(
                f"{path}.{given[0]}",
                f"The control '{name}' carries the correlation ID, which is neither false nor "
                "true.",
                REFUSED,
                f"Leave {given[0]} out and write data_type.",
            )


def _id_type(context: Context) -> Iterator[Hit]:
    for path, name, control in controls(context):
        if control.kind != CORRID or any(len(getattr(control, field)) for field in FLAGS):
            continue
        kind = enum_name(control, "data_type")
        if kind not in _ID_TYPES:
            where = f"{path}.data_type" if context.written(f"{path}.data_type") else path
            shown = "no data_type" if kind == "TYPE_INVALID" else f"data_type {kind}"
            yield Hit(
                where,
                f"The control '{name}' carries the correlation ID with {shown}.",
                REFUSED,
                f"Write data_type: with one of {', '.join(_ID_TYPES)}.",
            )


def _text_id_python(context: Context) -> Iterator[Hit]:
    if context.backend != "python":
        return
    for path, name, control in controls(context):
        if control.kind == CORRID and control.data_type == model_config_pb2.TYPE_STRING:
            yield Hit(
                f"{path}.data_type",
                f"The control '{name}' hands text IDs to a Python model.",
                "The model loads, but every request whose ID is shorter than 128 characters fails: "
                "'unexpected number of string elements 2 for inference input' (seen on 24.10).",
                "Leave this control out; the model reads request.correlation_id()"
                + (
                    "."
                    if context.release >= TEXT_IDS_SINCE
                    else f", which knows text from release {TEXT_IDS_SINCE} on."
                ),
            )


TEXT_IDS_SINCE: Final = Release(24, 4)
"""From this release on ``request.correlation_id()`` of the Python backend gives text as text."""

RULES: Final = (
    LintRule("control-without-name", "error", "A control input without a name", VALIDATE, _name),
    LintRule("control-name-twice", "error", "Two control inputs of one name", VALIDATE,
             _name_twice),
    LintRule("control-kind-twice", "error", "One kind of control given twice", _BOOLEAN,
             _kind_twice),
    LintRule("control-flag-values", "error", "No, or no clear, values for false and true", _BOOLEAN,
             _flags),
    LintRule("control-id-flags", "error", "A correlation ID with values for false and true", _TYPED,
             _id_flags),
    LintRule("control-id-type", "error", "A data type that no correlation ID has", _TYPED,
             _id_type),
    LintRule("control-id-text-python", "error", "Text IDs as a control of the Python backend",
             "Triton core, src/sequence_batch_scheduler/sequence_batch_scheduler.cc, "
             "SequenceBatch::SetControlTensors; python_backend, src/infer_request.cc",
             _text_id_python, until=Release(24, 12)),
)  # fmt: skip
