"""Warm-up by Triton itself: executions with zeros at load, one for each batch size that matters.

A sample of a sequence model has to give the control inputs as well, and belongs to no sequence, so
that Triton has no state for it. Source: core, ``backend_model_instance.cc``
(``GenerateWarmupData``, ``WarmUp``) and ``TRITONBACKEND_StateNew``; loads with and without control
inputs were tried on release 24.10.
"""

from __future__ import annotations

from typing import Final

from backend.contracts.errors import InputError
from backend.contracts.values import Value
from backend.modelconfig.candidate import Candidate
from backend.templates.template import Template

_BY_SIZE: Final = ("onnxruntime", "tensorrt", "pytorch", "tensorflow", "openvino")
"""Backends whose first execution of a batch size chooses kernels and takes memory."""


class WarmUp(Value):
    """Batch sizes to execute at load, none where warm-up is left out; and why."""

    batch_sizes: tuple[int, ...]
    reason: str


def warm_up(candidate: Candidate, template: Template, wanted: bool | None) -> WarmUp:
    """What Triton executes when it loads the candidate.

    Args:
        candidate: With its sizes, states and control inputs settled.
        template: Its model.
        wanted: The study's own word; null leaves it to the backend.

    Raises:
        InputError: if the study wants a warm-up that the model cannot have.
    """
    if wanted is False:
        return WarmUp(batch_sizes=(), reason="No warm-up, as the study sets.")
    obstacle = _obstacle(candidate, template)
    if obstacle:
        if wanted:
            raise InputError(
                f"'{candidate.name}' of {candidate.model_name} cannot be warmed up by Triton.",
                why=obstacle,
                next_step="Leave warm_up out, and send each instance a request of each size first.",
                key="warm_up",
            )
        return WarmUp(batch_sizes=(), reason=f"No warm-up: {obstacle[0].lower()}{obstacle[1:]}")
    if not wanted and template.backend not in _BY_SIZE:
        return WarmUp(
            batch_sizes=(),
            reason="No warm-up: nothing is compiled for a batch size, and whether the model can "
            "take zeros as input is its own affair. The first request of each instance is slower.",
        )
    sizes = _sizes(candidate)
    shown = ", ".join(map(str, sizes))
    source = "Set by the study. " if wanted else ""
    text = (
        f"{source}Before a client is served, each instance executes zeros in batches of {shown}: "
        "the first execution of a size can cost seconds. A model that cannot take zeros does not "
        "load: then take this out."
    )
    if candidate.is_sequence:
        text += " With all control inputs at zero a sample is no part of any session."
    return WarmUp(batch_sizes=sizes, reason=text)


def _obstacle(candidate: Candidate, template: Template) -> str:
    if candidate.is_sequence and candidate.states:
        return (
            "A warm-up request belongs to no sequence, so Triton has no state to give it and none "
            "to take from it; the load would fail."
        )
    if template.backend == "vllm":
        return "The backend warms itself up."
    values = template.parameter_values(candidate.parameters)
    for tensor in template.inputs:
        if tensor.name in candidate.optional_inputs:
            continue
        if any((values.get(d, d) if isinstance(d, str) else d) == -1 for d in tensor.dims):
            return (
                f"The input {tensor.name} has a variable dimension, and no typical size is known."
            )
        if tensor.data_type == "BYTES":
            return f"The input {tensor.name} is text, and empty text may be no input for the model."
    for state in candidate.states:
        if -1 in state.dims or state.data_type == "BYTES":
            return f"The state {state.input_name}, here an input, has no size that is known."
    return ""


def _sizes(candidate: Candidate) -> tuple[int, ...]:
    most = max(1, candidate.max_batch_size)
    if candidate.name == "no-batching":
        return (1,)
    if candidate.name == "sequence-direct" and most <= 8:
        # the size is the highest ready slot, so that any can come up
        return tuple(range(1, most + 1))
    return tuple(sorted({1, *candidate.preferred_batch_sizes, most}))
