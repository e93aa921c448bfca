"""The model of a class as a template: one of ours, or one that is known by its tensors alone."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from backend.contracts.errors import InputError
from backend.modelconfig.backend_support import support
from backend.templates.reader import check_parameters, load_template
from backend.templates.template import Samples, StatePlace, Template, Tensor
from backend.workload.answers import Answers, Backend
from backend.workload.declared_model import DeclaredModel, DeclaredTensor
from backend.workload.study import ModelChoice

NAME: Final = "declared"
_NOT_KEPT: Final = ("none", "carried_in_request")


def template_of(choice: ModelChoice, answers: Answers) -> Template:
    """The model of a class, whichever way it is given.

    A declared model has neither files nor samples: it can be configured, never run.

    Args:
        choice: The class's model.
        answers: For a declared model, its backend and where it keeps its state.

    Raises:
        InputError: if there is no such template, a parameter is wrong, or a declared model's
            backend is not answered or does not fit its tensors.
    """
    if choice.declared is None:
        template = load_template(choice.template)
        check_parameters(template, choice.parameters)
        return template
    return _declared(choice.declared, answers)


def _declared(model: DeclaredModel, answers: Answers) -> Template:
    backend = answers.serving.backend
    if backend == "unknown":
        raise InputError(
            "The backend of this class's model is not known.",
            why="Which control inputs, states and shapes a configuration may hold depends on it.",
            next_step="Answer which backend runs the model (serving.backend).",
            key="backend",
        )
    _fits(model, backend)
    stateful = _stateful(model, answers)
    place = answers.state_place
    kept: StatePlace = "correlation_id"
    if place == "slot" or place == "request":
        kept = place
    return Template(
        name=NAME,
        title="Declared model",
        about="Known by its tensors alone; there is nothing to run.",
        backend=backend,
        stateful=stateful,
        state_places=(kept,) if stateful else ("none",),
        oracle="isolated_replay",
        max_batch_size=model.max_batch_size,
        inputs=tuple(map(_tensor, model.inputs)),
        outputs=tuple(map(_tensor, model.outputs)),
        samples=Samples(kind="generated", input=model.inputs[0].name),
        folder=Path(),
    )


def _stateful(model: DeclaredModel, answers: Answers) -> bool:
    """As the model declares; else as the answers say, where *unknown* counts as stateful (M03)."""
    if model.states or model.keeps_state == "yes":
        return True
    if model.keeps_state == "no":
        return False
    return answers.state_kind not in _NOT_KEPT


def _tensor(tensor: DeclaredTensor) -> Tensor:
    return Tensor(name=tensor.name, data_type=tensor.data_type, dims=tensor.dims)


def _fits(model: DeclaredModel, backend: Backend) -> None:
    batching = support(backend, "batching")
    if batching.answer == "no" and model.max_batch_size > 0:
        raise InputError(
            f"The model is declared with max_batch_size {model.max_batch_size}, but its backend is "
            f"'{backend}'.",
            why=f"{batching.why} Source: {batching.source}.",
            next_step="Declare max_batch_size 0.",
            key="max_batch_size",
        )
    for kind, tensors in (("input", model.inputs), ("output", model.outputs)):
        names = [tensor.name for tensor in tensors]
        for name in names:
            if names.count(name) > 1:
                raise InputError(
                    f"The declared model has two tensors named '{name}' among its {kind}s.",
                    next_step="Give each a name of its own.",
                    key="declared",
                )
        for tensor in tensors:
            if any(dim == 0 or dim < -1 for dim in tensor.dims):
                raise InputError(
                    f"The declared {kind} '{tensor.name}' has dims {list(tensor.dims)}.",
                    why="A dimension is at least 1, or -1 for a variable one; the batch dimension "
                    "is left out.",
                    next_step="Correct its dims.",
                    key="declared",
                )
