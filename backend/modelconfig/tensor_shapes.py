"""Which inputs may differ in shape within a batch, or be left out; what follows for batching.

Source: core, ``backend_model.cc`` (``SetConfiguredScheduler``) and ``scheduler_utils.cc``
(``HasEqualInputs``); Triton server, ``docs/user_guide/ragged_batching.md``.
"""

from __future__ import annotations

from backend.contracts.errors import InputError
from backend.contracts.values import Value
from backend.modelconfig.backend_support import support
from backend.templates.template import Template
from backend.workload.answers import Shapes
from backend.workload.declared_model import DeclaredModel
from backend.workload.study import CandidateName


class TensorShapes(Value):
    """Names of inputs by what is special about them, and why."""

    ragged: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    reason: str = ""


def tensor_shapes(
    template: Template, declared: DeclaredModel | None, shapes: Shapes, name: CandidateName
) -> TensorShapes:
    """Ragged and optional inputs of a candidate.

    Args:
        template: The model, or what stands for a declared one.
        declared: The declaration, which alone knows of optional inputs.
        shapes: The answer about the inputs' shapes.
        name: The candidate's scheduler.

    Raises:
        InputError: if requests of different shapes are to share a batch, and the backend cannot.
    """
    variable = tuple(tensor.name for tensor in template.inputs if -1 in tensor.dims)
    optional = (
        tuple(tensor.name for tensor in declared.inputs if tensor.optional) if declared else ()
    )
    batches = name != "no-batching" and template.max_batch_size > 1
    ragged = variable if shapes == "ragged" and batches else ()
    known = support(template.backend, "ragged")
    if ragged and known.answer == "no":
        raise InputError(
            f"Requests of different lengths are to share a batch, but the backend is "
            f"'{template.backend}'.",
            why=f"{known.why} Source: {known.source}.",
            next_step="Answer that shapes are variable: only requests of equal shape then share a "
            "batch.",
            key="shapes",
        )
    parts = []
    if ragged and known.answer == "unknown":
        parts.append(
            f"Requests of different lengths are to share a batch. {known.why} Set "
            f"allow_ragged_batch of {', '.join(ragged)} once its documentation says how."
        )
        ragged = ()
    elif ragged:
        parts.append(
            f"allow_ragged_batch of {', '.join(ragged)}: requests of different lengths share a "
            f"batch without padding. {known.why}"
        )
        if template.backend != "python":
            parts.append(
                "Which of the model's inputs takes that is not known here: add the batch_input by "
                "hand."
            )
    elif variable and batches:
        share = (
            "only sessions whose ready requests have equal shape share a batch"
            if name == "sequence-direct"
            else "only neighbours of equal shape in the queue share a batch"
        )
        parts.append(
            f"{', '.join(variable)} may differ in shape: {share}. Equal shape says nothing about "
            "whether they may."
        )
    elif shapes == "ragged" and batches:
        parts.append(
            "The answers say that lengths differ, but every input has a fixed shape: clients pad."
        )
    if optional and batches:
        parts.append(
            f"{', '.join(optional)} may be left out: only requests with the same set of inputs "
            "share a batch."
        )
    return TensorShapes(ragged=ragged, optional=optional, reason=" ".join(parts))
