"""What inputs and outputs mean for batching: shapes, ragged and optional inputs, batch inputs.

Source: core, ``backend_model.cc`` (``SetConfiguredScheduler``), ``scheduler_utils.cc``
(``HasEqualInputs``); Triton server, ``docs/user_guide/ragged_batching.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from backend.modelconfig.enum_names import enum_name

EQUAL_SHAPES: Final = (
    "Equal shapes prove nothing about safety: whether requests may share a batch depends on "
    "whether each can be answered by itself, not on the size of its tensors."
)


def explain_tensors(config: Any) -> Iterator[str]:
    """Sentences about a configuration's tensors."""
    if config.max_batch_size == 0 and not config.HasField("ensemble_scheduling"):
        yield "max_batch_size is 0: tensors have no batch dimension and nothing is batched."
    if config.WhichOneof("scheduling_choice") in ("dynamic_batching", "sequence_batching"):
        yield from _shapes(config)
    for entry in (*config.input, *config.output):
        if entry.HasField("reshape"):
            shape = ", ".join(map(str, entry.reshape.shape))
            yield f"{entry.name}: the model sees the shape [{shape}], clients another one."
        if entry.is_shape_tensor:
            yield f"{entry.name} is a shape tensor: a batch holds requests with equal values."
    for entry in config.output:
        if entry.label_filename:
            yield f"{entry.name}: names of classes come from {entry.label_filename}."
    for entry in (*config.batch_input, *config.batch_output):
        kind = enum_name(entry, "kind")
        targets, sources = ", ".join(entry.target_name), ", ".join(entry.source_input)
        yield f"Triton fills {targets} for each batch: {kind} of {sources}. Clients do not see it."


def _shapes(config: Any) -> Iterator[str]:
    batches = config.max_batch_size > 1
    variable = [entry for entry in config.input if -1 in entry.dims]
    ragged = [entry.name for entry in variable if entry.allow_ragged_batch]
    equal = [entry.name for entry in variable if not entry.allow_ragged_batch]
    if batches and ragged:
        yield (
            f"Ragged: requests whose {', '.join(ragged)} differ in shape share a batch, without "
            "padding; how they reach the model depends on the backend."
        )
    if batches and equal:
        direct = config.HasField("sequence_batching") and not config.sequence_batching.HasField(
            "oldest"
        )
        otherwise = (
            "others wait for a later batch, in which this one's slot is padded"
            if direct
            else "the first that differs ends the batch and leads the next, nobody overtakes it"
        )
        yield (
            f"Variable shape: only requests whose {', '.join(equal)} have the same shape share a "
            f"batch; {otherwise}."
        )
    if batches:
        yield EQUAL_SHAPES
    optional = [entry.name for entry in config.input if entry.optional]
    if optional:
        together = "; only requests with the same set of inputs share a batch" if batches else ""
        yield f"Clients may leave out {', '.join(optional)}{together}."
