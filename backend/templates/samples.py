"""The sample inputs that a template keeps: recordings to replay, or single requests."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.contracts.errors import InputError
from backend.templates.template import Template, Tensor

_TYPES: Final[dict[str, type[np.generic]]] = {
    "BOOL": np.bool_,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
}


@dataclass(frozen=True, eq=False)
class Sample:
    """One file of samples, read-only and in the input's type.

    ``array`` has shape ``[steps, *dims]`` for a clip and ``dims`` for an item.
    """

    name: str
    array: NDArray[Any]


def load_samples(template: Template) -> tuple[Sample, ...]:
    """All samples of the template, by name; none where inputs are generated.

    Raises:
        InputError: if the folder or the array in a file is missing, a file cannot be read, or an
            array does not have the shape, or fit the type, of the input.
    """
    samples = template.samples
    if samples.kind == "generated" or samples.folder is None:
        return ()
    tensor = next(tensor for tensor in template.inputs if tensor.name == samples.input)
    folder = template.folder / samples.folder
    files = sorted(folder.glob("*.npz"))
    if not files:
        raise InputError(
            f"The template {template.name} has no sample inputs: no .npz file in {folder}.",
            next_step="Restore the folder from the repository, or make the samples again as the "
            "template's README says.",
            key="samples",
        )
    return tuple(_load(path, samples.kind == "clips", tensor) for path in files)


def load_labels(template: Template) -> tuple[str, ...]:
    """The names of a classifier's labels, in the order of its output; empty where it has none.

    Raises:
        InputError: if the file cannot be read, or its lines are not as many as the output's values.
    """
    decision = template.decision
    if decision is None or decision.labels_file is None:
        return ()
    path = template.folder / decision.labels_file
    try:
        labels = tuple(path.read_text(encoding="utf-8").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("The labels cannot be read.", why=str(error), file=path) from error
    tensor = next(tensor for tensor in template.outputs if tensor.name == decision.output)
    if tensor.dims[-1:] != (len(labels),) and tensor.dims[-1:] != (-1,):
        raise InputError(
            f"There are {len(labels)} labels, but {tensor.name} has {list(tensor.dims)} values.",
            file=path,
        )
    return labels


def _load(path: Path, clip: bool, tensor: Tensor) -> Sample:
    key = "frames" if clip else "item"
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if key not in arrays:
                raise InputError(
                    f"A sample file holds an array '{key}'; this one holds "
                    f"{', '.join(arrays) or 'none'}.",
                    file=path,
                )
            array = arrays[key]
            scale = arrays.get("scale")
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError("The sample file cannot be read.", why=str(error), file=path) from error
    if scale is not None:
        if scale.shape != () or scale.dtype.kind != "f":
            raise InputError("'scale' is not a single floating-point number.", file=path)
        array = array.astype(scale.dtype) * scale
    _check_shape(path, array.shape, clip, tensor)
    array = _in_type(path, array, tensor)
    array.setflags(write=False)
    return Sample(name=path.stem, array=array)


def _check_shape(path: Path, shape: tuple[int, ...], clip: bool, tensor: Tensor) -> None:
    own = shape[1:] if clip else shape
    # A named dimension follows a parameter and a variable one the sample: any size may be right.
    fits = len(own) == len(tensor.dims) and all(
        isinstance(dim, str) or dim in (-1, size)
        for dim, size in zip(tensor.dims, own, strict=True)
    )
    if fits and (not clip or (len(shape) > 0 and shape[0] > 0)):
        return
    wanted = [*(["steps"] if clip else []), *tensor.dims]
    raise InputError(
        f"The sample has shape {list(shape)}: input {tensor.name} needs "
        f"[{', '.join(str(dim) for dim in wanted)}].",
        file=path,
    )


def _in_type(path: Path, array: NDArray[Any], tensor: Tensor) -> NDArray[Any]:
    """The array in the input's own type; refused where values would change."""
    if tensor.data_type == "BYTES":
        if array.dtype.kind in "SU":
            return array
        raise InputError(f"The sample holds {array.dtype}, not text.", file=path)
    wanted = np.dtype(_TYPES[tensor.data_type])
    if np.can_cast(array.dtype, wanted, casting="same_kind") or (
        array.dtype.kind in "iu" and wanted.kind in "iu"
    ):
        with np.errstate(over="ignore"):
            cast = array.astype(wanted)
        # A float may be rounded, a whole number may not wrap around.
        if np.isfinite(cast).all() and (wanted.kind == "f" or np.array_equal(cast, array)):
            return cast
    raise InputError(
        f"The sample holds {array.dtype} values that do not fit {tensor.data_type}.", file=path
    )
