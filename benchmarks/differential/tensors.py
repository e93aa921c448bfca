"""Inputs and outputs, and what is computed from them for a batch."""

from __future__ import annotations

from math import prod
from typing import Any, Final

from hypothesis import strategies as st
from tritonclient.grpc import model_config_pb2

from benchmarks.differential.values import data_types, dims, names, sometimes

_RESHAPES: Final = (
    ([1], []), ([4], [2, 2]), ([2, 2], [4]), ([1, 1], [1]), ([-1, 4], [-1, 2, 2]),
    ([2, -1, 4, -1], [2, 1, -1, 2, 2, -1]), ([1, -1], [-1]), ([6], [1, 6, 1]),
)  # fmt: skip
_IMAGE: Final = (
    model_config_pb2.ModelInput.FORMAT_NHWC,
    model_config_pb2.ModelInput.FORMAT_NCHW,
)
_BATCH_TYPES: Final = (model_config_pb2.TYPE_INT32, model_config_pb2.TYPE_FP32)


def add_tensors(draw: Any, config: Any, taken: set[str]) -> None:
    """None to three inputs and outputs; sometimes the same name twice, which Triton takes."""
    for tensors in (config.input, config.output):
        for name in names(draw, draw(st.sampled_from((1, 1, 2, 3, 0))), taken):
            tensors.add(name=name)
        if tensors and sometimes(draw, 30):
            tensors.add(name=tensors[0].name)
        for tensor in tensors:
            _fill(draw, tensor, batched=config.max_batch_size > 0)
    for tensor in config.input:
        tensor.allow_ragged_batch = sometimes(draw, 8)
        tensor.optional = sometimes(draw, 8)
        if len(tensor.dims) == 3 and not tensor.HasField("reshape"):
            tensor.format = draw(st.sampled_from((0, *_IMAGE)))


def _fill(draw: Any, tensor: Any, *, batched: bool) -> None:
    tensor.data_type = draw(data_types)
    if sometimes(draw, 5):
        given, shape = draw(st.sampled_from(_RESHAPES if batched else _RESHAPES[1:]))
        tensor.dims[:] = given
        tensor.reshape.shape[:] = shape
    else:
        tensor.dims[:] = draw(dims)


def add_batch_tensors(draw: Any, config: Any, taken: set[str]) -> None:
    """Tensors that the backend is given about a whole batch."""
    if config.input and sometimes(draw, 2):
        kind = draw(st.sampled_from(list(model_config_pb2.BatchInput.Kind.values())))
        config.batch_input.add(
            kind=kind,
            target_name=names(draw, draw(st.sampled_from((1, 1, 2, 0))), taken),
            data_type=draw(st.sampled_from(_BATCH_TYPES)),
            source_input=[draw(st.sampled_from(list(config.input))).name],
        )
    if config.input and config.output and sometimes(draw, 3):
        config.batch_output.add(
            target_name=[draw(st.sampled_from(list(config.output))).name],
            source_input=[draw(st.sampled_from(list(config.input))).name],
        )


def small(tensors: Any) -> bool:
    """Whether requests for all of them fit into memory without thought."""
    return all(prod(abs(dim) for dim in tensor.dims) <= 1_000_000 for tensor in tensors)
