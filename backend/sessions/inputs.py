"""Input tensors of a plan: values made from the seed, or rows of a template's samples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.contracts.errors import InputError
from backend.sessions.plan import Plan
from backend.sessions.tensors import NUMPY_TYPES, dimensions, encode, input_tensor
from backend.templates.samples import Sample
from backend.templates.template import Template, Tensor

_ANY_BITS: Final = tuple(name for name in NUMPY_TYPES if name.startswith(("UINT", "INT")))
"""Types for which every bit pattern is an ordinary value."""


def generated(
    template: Template,
    parameters: Mapping[str, int | float | str],
    count: int,
    draws: np.random.Generator,
) -> list[bytes]:
    """Input tensors by declared shape and type, one per request.

    Whole numbers have any bits, truth values are drawn evenly, numbers with a fraction come from
    the standard normal distribution.

    Raises:
        InputError: if the template's input has no fixed size, or is text.
    """
    tensor = input_tensor(template)
    dims = dimensions(tensor, parameters)
    if tensor.data_type not in NUMPY_TYPES or -1 in dims:
        raise InputError(
            f"Template '{template.name}' asks for generated inputs, but '{tensor.name}' is "
            f"{tensor.data_type} {list(tensor.dims)}.",
            why="Inputs are generated for numbers and truth values of fixed dims.",
            next_step="Keep samples with the template (samples.kind: clips or items).",
        )
    kind = NUMPY_TYPES[tensor.data_type]
    items = math.prod(dims)
    size = items * kind.itemsize
    if tensor.data_type in _ANY_BITS:
        whole = draws.bytes(size * count)
    elif tensor.data_type == "BOOL":
        whole = draws.integers(0, 2, items * count).astype(kind).tobytes()
    else:
        whole = draws.standard_normal(items * count).astype(kind).tobytes()
    return [whole[at : at + size] for at in range(0, size * count, size)]


def check_samples(
    template: Template,
    samples: Sequence[Sample],
    parameters: Mapping[str, int | float | str] | None = None,
) -> None:
    """Make sure that there are samples, and that each fits the input.

    Args:
        template: The model's template, with samples of kind ``clips`` or ``items``.
        samples: What was loaded from its folder.
        parameters: Values for dims that name a parameter; without them such a dim may be anything.

    Raises:
        InputError: naming the first sample that does not fit.
    """
    tensor = input_tensor(template)
    dims = _known_dimensions(tensor, parameters)
    if not samples:
        raise InputError(
            f"Template '{template.name}' has no samples.",
            next_step=f"Put .npz files into its folder '{template.samples.folder}'.",
        )
    clips = template.samples.kind == "clips"
    for sample in samples:
        shape = sample.array.shape[1:] if clips else sample.array.shape
        fits = len(shape) == len(dims) and all(
            wanted in (-1, size) for wanted, size in zip(dims, shape, strict=True)
        )
        if not fits or (clips and sample.array.shape[0] < 1):
            raise InputError(
                f"Sample '{sample.name}' of template '{template.name}' has shape "
                f"{list(sample.array.shape)}.",
                why=f"The model's input '{tensor.name}' takes {list(tensor.dims)}"
                + (" per step, and a clip has at least one step." if clips else "."),
                next_step="Save the sample's array in that shape.",
            )


def input_bytes(plan: Plan, template: Template, samples: Sequence[Sample]) -> list[bytes]:
    """The raw input tensor of every row of a plan, in the plan's order.

    Raises:
        InputError: if the plan names a sample, or a row of one, that is not there, or if a sample
            does not fit the model's input.
    """
    names = plan.table["sample"].to_pylist()
    rows = plan.table["sample_row"].to_pylist()
    inline = plan.table["input"].to_pylist()
    if any(raw is None for raw in inline):
        check_samples(template, samples)
    data_type = input_tensor(template).data_type
    by_name = {sample.name: sample for sample in samples}
    encoded: dict[str, list[bytes]] = {}
    found: list[bytes] = []
    for name, row, raw in zip(names, rows, inline, strict=True):
        if raw is not None:
            found.append(raw)
            continue
        if name not in by_name:
            raise InputError(
                f"The plan uses the sample '{name}', which template '{template.name}' lacks.",
                next_step="Use the template's samples that the plan was made with.",
            )
        if name not in encoded:
            array = by_name[name].array
            items = [array] if template.samples.kind == "items" else list(array)
            encoded[name] = [encode(_as_array(item), data_type) for item in items]
        at = row or 0
        if at >= len(encoded[name]):
            raise InputError(
                f"The plan uses step {at} of the sample '{name}', which has {len(encoded[name])}.",
                next_step="Use the template's samples that the plan was made with.",
            )
        found.append(encoded[name][at])
    return found


def _as_array(item: Any) -> NDArray[Any]:
    # a row of a clip without further dims is a scalar, which numpy hands out as a plain object
    return item if isinstance(item, np.ndarray) else np.array([item])


def _known_dimensions(
    tensor: Tensor, parameters: Mapping[str, int | float | str] | None
) -> tuple[int, ...]:
    if parameters is not None:
        return dimensions(tensor, parameters)
    return tuple(-1 if isinstance(dim, str) else dim for dim in tensor.dims)
