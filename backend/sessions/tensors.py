"""Tensors as raw bytes: the types of the inference protocol, their sizes, encoding, decoding.

Raw tensors are little-endian and row-major; an element of ``BYTES`` is preceded by its length as
a 32-bit unsigned integer (KServe inference protocol v2, binary tensor data extension).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.contracts.errors import InputError
from backend.templates.template import Template, Tensor

NUMPY_TYPES: Final[dict[str, np.dtype[Any]]] = {
    "BOOL": np.dtype("?"),
    "UINT8": np.dtype("<u1"),
    "UINT16": np.dtype("<u2"),
    "UINT32": np.dtype("<u4"),
    "UINT64": np.dtype("<u8"),
    "INT8": np.dtype("<i1"),
    "INT16": np.dtype("<i2"),
    "INT32": np.dtype("<i4"),
    "INT64": np.dtype("<i8"),
    "FP16": np.dtype("<f2"),
    "FP32": np.dtype("<f4"),
    "FP64": np.dtype("<f8"),
}
"""Every type but ``BYTES``, whose elements have no fixed size."""


def input_tensor(template: Template) -> Tensor:
    """The input that samples fill.

    Raises:
        InputError: if it is not an input of the template, or not the only one (a plan holds one
            tensor per request).
    """
    named = [tensor for tensor in template.inputs if tensor.name == template.samples.input]
    if not named:
        raise InputError(
            f"Template '{template.name}' has samples for the input '{template.samples.input}', "
            "which is none of its inputs.",
            next_step=f"Name one of {', '.join(t.name for t in template.inputs)} in its "
            "template.yaml under samples.input.",
        )
    if len(template.inputs) > 1:
        raise InputError(
            f"Template '{template.name}' has {len(template.inputs)} inputs.",
            why="A plan holds one tensor per request.",
            next_step="Let the model take one input tensor.",
        )
    return named[0]


def output_tensor(template: Template, name: str) -> Tensor:
    """The output of that name.

    Raises:
        InputError: if the template has none.
    """
    for tensor in template.outputs:
        if tensor.name == name:
            return tensor
    raise InputError(
        f"Template '{template.name}' names an output '{name}', which it does not have.",
        next_step=f"Name one of {', '.join(t.name for t in template.outputs)} there.",
    )


def dimensions(tensor: Tensor, parameters: Mapping[str, int | float | str]) -> tuple[int, ...]:
    """The dims with named parameters replaced by their values; -1 stays.

    Raises:
        InputError: if a named parameter is missing, or is not a whole number of at least 1.
    """
    found = []
    for dim in tensor.dims:
        value = parameters.get(dim) if isinstance(dim, str) else dim
        if not isinstance(value, int) or isinstance(value, bool) or (value < 1 and value != -1):
            raise InputError(
                f"Tensor '{tensor.name}' takes its size from '{dim}', which is {value!r}.",
                next_step="Give that parameter a whole number of at least 1.",
                key=str(dim),
            )
        found.append(value)
    return tuple(found)


def encode(array: NDArray[Any], data_type: str) -> bytes:
    """An array as raw tensor bytes.

    Raises:
        InputError: if its elements cannot be that type without changing their kind.
    """
    if data_type == "BYTES":
        elements = (
            item.encode() if isinstance(item, str) else bytes(item) for item in array.ravel()
        )
        return b"".join(struct.pack("<I", len(element)) + element for element in elements)
    wanted = NUMPY_TYPES[data_type]
    if not np.can_cast(array.dtype, wanted, casting="same_kind"):
        raise InputError(
            f"A sample holds {array.dtype} where the model takes {data_type}.",
            next_step=f"Save the sample's array as {wanted.name}.",
        )
    return np.ascontiguousarray(array, dtype=wanted).tobytes()


def decode_texts(raw: bytes) -> list[bytes]:
    """The elements of a raw ``BYTES`` tensor.

    Raises:
        InputError: if the bytes end in the middle of an element.
    """
    elements, at = [], 0
    while at < len(raw):
        size = int.from_bytes(raw[at : at + 4], "little")
        at += 4 + size
        if at > len(raw):
            raise InputError("A BYTES tensor ends in the middle of an element.")
        elements.append(raw[at - size : at])
    return elements


def stack(raws: Sequence[bytes], data_type: str) -> NDArray[Any]:
    """Raw tensors of one size as an array with one row each, elements flattened."""
    return np.frombuffer(b"".join(raws), dtype=NUMPY_TYPES[data_type]).reshape(len(raws), -1)
