"""A model described by its tensors alone: enough to propose a configuration, not to run one."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from backend.contracts.values import Value
from backend.workload.answers import YesNo
from backend.workload.placed_error import placed_error

TensorType = Literal[
    "BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64",
    "FP16", "FP32", "FP64", "BF16", "BYTES",
]  # fmt: skip
TensorName = Annotated[str, Field(min_length=1, max_length=256)]


def _possible(dims: tuple[int, ...]) -> tuple[int, ...]:
    for index, dim in enumerate(dims):
        if dim == 0 or dim < -1:
            raise placed_error(
                f"a dimension is {dim}; it is at least 1, or -1 where it varies",
                index,
                right="The batch dimension is left out.",
            )
    return dims


Dims = Annotated[tuple[int, ...], Field(min_length=1), AfterValidator(_possible)]
"""Without the batch dimension; -1 for a variable one."""


class DeclaredTensor(Value):
    """An input or output of the model."""

    name: TensorName
    data_type: TensorType
    dims: Dims
    optional: bool = False


class DeclaredState(Value):
    """A state tensor that Triton carries from one request of a sequence to the next.

    ``initial``: what the first request of a sequence gets; *uninitialised* is Triton's own default.
    """

    input_name: TensorName
    output_name: TensorName
    data_type: TensorType
    dims: Dims
    initial: Literal["uninitialised", "zero", "file"] = "zero"
    file: str | None = None


class DeclaredModel(Value):
    """What a user says of a model that is not at hand; its backend is an answer (``serving``)."""

    max_batch_size: Annotated[int, Field(ge=0, le=65_536)]
    """The most requests that one execution of the model takes; 0: no batch dimension."""
    inputs: Annotated[tuple[DeclaredTensor, ...], Field(min_length=1)]
    outputs: Annotated[tuple[DeclaredTensor, ...], Field(min_length=1)]
    states: tuple[DeclaredState, ...] = ()
    keeps_state: YesNo = "unknown"
