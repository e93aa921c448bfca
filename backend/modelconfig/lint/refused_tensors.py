"""What Triton refuses of inputs, outputs and the tensors that it makes of a batch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.enum_names import enum_name
from backend.modelconfig.lint.refused_model import REFUSED, VALIDATE
from backend.modelconfig.lint.rule import Context, Hit, LintRule

_IO: Final = "Triton core, src/model_config_utils.cc, ValidateModelIOConfig"
_INPUT: Final = "Triton core, src/model_config_utils.cc, ValidateModelInput"
_BATCH_IO: Final = "Triton core, src/model_config_utils.cc, ValidateBatchIO"
_BatchInput = model_config_pb2.BatchInput
_BatchOutput = model_config_pb2.BatchOutput


def _entries(context: Context) -> Iterator[tuple[str, str, Any]]:
    """Path, what to call it, and the message of every input and output."""
    for kind in ("input", "output"):
        for index, entry in enumerate(getattr(context.config, kind)):
            yield f"{kind}[{index}]", f"{kind} '{entry.name or index}'", entry


def _name(context: Context) -> Iterator[Hit]:
    for path, called, entry in _entries(context):
        if not entry.name:
            yield Hit(path, f"The {called} has no name.", REFUSED, "Write its name.")


def _type(context: Context) -> Iterator[Hit]:
    for path, called, entry in _entries(context):
        if entry.data_type == model_config_pb2.TYPE_INVALID:
            where = f"{path}.data_type" if context.written(f"{path}.data_type") else path
            yield Hit(
                where,
                f"The {called} has no data_type.",
                REFUSED,
                "Write data_type: TYPE_FP32, or what the model takes.",
            )


def _dims(context: Context) -> Iterator[Hit]:
    for path, called, entry in _entries(context):
        if not entry.dims:
            yield Hit(
                path,
                f"The {called} has no dims.",
                REFUSED,
                "Write dims without the batch dimension; [ 1 ] for one value.",
            )
        for index, dim in enumerate(entry.dims):
            if dim == 0 or dim < -1:
                yield Hit(
                    f"{path}.dims[{index}]",
                    f"A dimension of the {called} is {dim}.",
                    REFUSED,
                    "Write at least 1, or -1 for a variable one.",
                )


def _empty_reshape(context: Context) -> Iterator[Hit]:
    if context.config.max_batch_size != 0:
        return
    for path, called, entry in _entries(context):
        if entry.HasField("reshape") and not entry.reshape.shape:
            yield Hit(
                f"{path}.reshape",
                f"The {called} is reshaped to no dimension, and the model has no batch dimension.",
                REFUSED,
                "Give reshape a dimension, or max_batch_size at least 1.",
            )


def _reshape(context: Context) -> Iterator[Hit]:
    for path, called, entry in _entries(context):
        if not entry.HasField("reshape") or any(dim == 0 or dim < -1 for dim in entry.dims):
            continue
        shape = list(entry.reshape.shape)
        if any(dim == 0 or dim < -1 for dim in shape):
            what = f"reshape of the {called} has a dimension that is neither -1 nor at least 1."
        elif not shape and context.config.max_batch_size == 0:
            continue
        elif not _same_size(list(entry.dims), shape):
            what = (
                f"dims {list(entry.dims)} and reshape {shape} of the {called} do not hold the same "
                "number of values between their variable dimensions."
            )
        else:
            continue
        yield Hit(
            f"{path}.reshape",
            what,
            REFUSED,
            "Give both the same number of values, and as many variable dimensions, in one order.",
        )


def _same_size(dims: list[int], shape: list[int]) -> bool:
    """Whether both have the same values before, between and after their variable dimensions.

    Source: core, ``ValidateIOShape``: segments between variable dimensions are compared one by one.
    """
    return _segments(dims) == _segments(shape)


def _segments(dims: list[int]) -> list[int]:
    parts: list[list[int]] = [[]]
    for dim in dims:
        if dim == -1:
            parts.append([])
        else:
            parts[-1].append(dim)
    return [math.prod(part) for part in parts]


def _format(context: Context) -> Iterator[Hit]:
    formats = (model_config_pb2.ModelInput.FORMAT_NHWC, model_config_pb2.ModelInput.FORMAT_NCHW)
    for index, entry in enumerate(context.config.input):
        if entry.format in formats and len(entry.dims) != 3:
            yield Hit(
                f"input[{index}].format",
                f"The input '{entry.name}' has an image format and {len(entry.dims)} dimensions.",
                REFUSED,
                "An image has three dimensions; leave format out for anything else.",
            )


def _tensorrt_only(context: Context) -> Iterator[Hit]:
    config = context.config
    if config.backend == "tensorrt" or config.platform == "tensorrt_plan":
        return
    for path, called, entry in _entries(context):
        for field, what in (
            ("is_shape_tensor", "a shape tensor"),
            ("is_non_linear_format_io", "in a non-linear format"),
        ):
            if getattr(entry, field):
                yield Hit(
                    f"{path}.{field}",
                    f"The {called} is said to be {what}, which only TensorRT has.",
                    REFUSED,
                    f"Leave {field} out.",
                )


_TAKE_ONE: Final = tuple(_BatchInput.Kind.Name(number) for number in range(5))


def _batch_input(context: Context) -> Iterator[Hit]:
    known = {entry.name for entry in context.config.input}
    for index, entry in enumerate(context.config.batch_input):
        path = f"batch_input[{index}]"
        if entry.data_type not in (model_config_pb2.TYPE_INT32, model_config_pb2.TYPE_FP32):
            yield Hit(
                f"{path}.data_type",
                "A batch input is neither TYPE_INT32 nor TYPE_FP32.",
                REFUSED,
                "Write one of the two.",
            )
        kind = entry.kind
        if kind not in _BatchInput.Kind.values():
            yield Hit(f"{path}.kind", f"{kind} is no kind of batch input.", REFUSED,
                      "Write one of the names.")  # fmt: skip
        elif len(entry.source_input) != 1:
            yield Hit(
                path,
                f"{enum_name(entry, 'kind')} is made from one input, not "
                f"{len(entry.source_input)}.",
                REFUSED,
                "Name one source_input.",
            )
        yield from _sources(path, entry, known)


def _batch_output(context: Context) -> Iterator[Hit]:
    known = {entry.name for entry in context.config.input}
    outputs = {entry.name for entry in context.config.output}
    for index, entry in enumerate(context.config.batch_output):
        path = f"batch_output[{index}]"
        if entry.kind not in _BatchOutput.Kind.values():
            yield Hit(f"{path}.kind", f"{entry.kind} is no kind of batch output.", REFUSED,
                      "Write BATCH_SCATTER_WITH_INPUT_SHAPE.")  # fmt: skip
        elif len(entry.source_input) != 1:
            yield Hit(
                path,
                f"A batch output is shaped by one input, not {len(entry.source_input)}.",
                REFUSED,
                "Name one source_input.",
            )
        elif not entry.target_name:
            yield Hit(
                path,
                "A batch output shapes no output.",
                "The whole server ends (SIGSEGV, seen on 24.10).",
                "Name the outputs as target_name.",
            )
        yield from _sources(path, entry, known)
        for number, name in enumerate(entry.target_name):
            if name not in outputs:
                yield Hit(
                    f"{path}.target_name[{number}]",
                    f"'{name}' is no output of this model.",
                    REFUSED,
                    f"Outputs: {', '.join(sorted(outputs)) or 'none'}.",
                )


def _sources(path: str, entry: Any, known: set[str]) -> Iterator[Hit]:
    for number, name in enumerate(entry.source_input):
        if name not in known:
            yield Hit(
                f"{path}.source_input[{number}]",
                f"'{name}' is no input of this model.",
                REFUSED,
                f"Inputs: {', '.join(sorted(known)) or 'none'}.",
            )


RULES: Final = (
    LintRule("tensor-without-name", "error", "An input or output without a name", _IO, _name),
    LintRule("tensor-without-type", "error", "An input or output without a data type", _IO, _type),
    LintRule("tensor-dims", "error", "No dims, or a dimension of 0 or below -1", _IO, _dims),
    LintRule("reshape-to-nothing", "error", "A reshape to no dimension without a batch dimension",
             _IO, _empty_reshape),
    LintRule("reshape-size", "error", "dims and reshape of different size", _IO, _reshape),
    LintRule("image-format-dims", "error", "An image format without three dimensions", _INPUT,
             _format),
    LintRule("tensorrt-only-tensor", "error", "A kind of tensor that only TensorRT has", VALIDATE,
             _tensorrt_only),
    LintRule("batch-input", "error", "A batch input that cannot be made", _BATCH_IO, _batch_input),
    LintRule("batch-output", "error", "A batch output that cannot be shaped", _BATCH_IO,
             _batch_output),
)  # fmt: skip
