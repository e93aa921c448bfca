"""On which device a candidate's instances run, and why: never chosen without saying so."""

from __future__ import annotations

from typing import Final

from backend.contracts.errors import InputError
from backend.contracts.values import Value
from backend.modelconfig.backend_support import support
from backend.modelconfig.candidate import InstanceKind
from backend.templates.template import Template
from backend.workload.answers import Hardware

_WORDS: Final[dict[InstanceKind, str]] = {
    "KIND_CPU": "on the CPU",
    "KIND_GPU": "on a GPU; a server without one refuses the model",
    "KIND_MODEL": "where the model itself decides",
}


class Placement(Value):
    """The instances' kind and the reason."""

    kind: InstanceKind
    reason: str


def placement(
    template: Template, hardware: Hardware, chosen: InstanceKind | None, *, declared: bool
) -> Placement:
    """Where the instances run.

    Args:
        template: The model.
        hardware: The answer about the hardware.
        chosen: The study's own value.
        declared: The model is known by its tensors alone; else it is one of our templates.

    Raises:
        InputError: if the backend does not run there.
    """
    if chosen is not None:
        _can(template, chosen)
        return Placement(kind=chosen, reason=f"Set by the study: {_WORDS[chosen]}.")
    if not declared:
        text = "The model computes on the CPU."
        if hardware == "gpu":
            text += (
                " The answers name a GPU, but this template's model does not use one: KIND_GPU "
                "would ask for a GPU and leave it idle."
            )
        return Placement(kind="KIND_CPU", reason=text)
    if template.backend == "vllm":
        return Placement(
            kind="KIND_MODEL",
            reason="KIND_MODEL: vLLM places itself on the GPUs that it needs.",
        )
    if hardware == "unknown":
        only_gpu = support(template.backend, "cpu")
        if only_gpu.answer == "no":
            return Placement(
                kind="KIND_GPU", reason=f"The answers name no hardware. {only_gpu.why}"
            )
        return Placement(
            kind="KIND_CPU",
            reason="The answers name no hardware: the CPU, which every server has. Written out, "
            "since Triton's own default takes a GPU where it finds one.",
        )
    kind: InstanceKind = "KIND_GPU" if hardware == "gpu" else "KIND_CPU"
    _can(template, kind)
    reason = f"The answers name the {hardware.upper()}: instances run {_WORDS[kind]}."
    if kind == "KIND_GPU":
        reason += " So many instances on each GPU of the server."
        if template.backend == "python":
            reason += " KIND_GPU only tells a Python model its device; its code has to use it."
    return Placement(kind=kind, reason=reason)


def _can(template: Template, kind: InstanceKind) -> None:
    if kind == "KIND_MODEL":
        return
    known = support(template.backend, "gpu" if kind == "KIND_GPU" else "cpu")
    if known.answer == "no":
        raise InputError(
            f"The instances are to run as {kind}, but the backend is '{template.backend}'.",
            why=f"{known.why} Source: {known.source}.",
            next_step="Answer the question about the hardware accordingly, or choose another "
            "backend.",
            key="instance_kind",
        )
