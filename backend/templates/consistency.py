"""What must agree inside a template's description, beyond the type of each value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.templates.template import Template
from backend.templates.template_file import Place, TemplateFile

_PACKAGE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
"""A package's name as PyPA's name normalisation allows it."""


def check_consistent(file: TemplateFile) -> None:
    """Refuse a description whose parts contradict each other or the folder around it.

    Raises:
        InputError: naming file, line and key of the first contradiction.
    """
    template = file.template
    folder = template.folder
    if template.name != folder.name:
        raise file.error(
            f"The template is called '{template.name}', its folder '{folder.name}'.", ("name",)
        )
    if not (folder / "1" / "model.py").is_file():
        raise file.error("The template has no model: 1/model.py is missing beside it.", ())
    if template.backend != "python":
        raise file.error(
            f"The template's backend is '{template.backend}': a template is a Python model.",
            ("backend",),
            next_step="Leave the key out.",
        )
    _check_names(file)
    _check_parameters(file)
    _check_outputs(file)
    _check_samples(file)
    for place, package in enumerate(template.requires):
        if not _PACKAGE.fullmatch(package):
            raise file.error(
                f"'{package}' is no package name.",
                ("requires", place),
                next_step="Write the name alone, as pip takes it; versions stand elsewhere.",
            )


def _check_names(file: TemplateFile) -> None:
    template = file.template
    if not template.inputs or not template.outputs:
        raise file.error("A model has at least one input and one output.", ())
    if not template.state_places:
        raise file.error("Name at least one place in state_places.", ("state_places",))
    if template.stateful == ("none" in template.state_places):
        raise file.error(
            f"stateful is {str(template.stateful).lower()}, but state_places is "
            f"{list(template.state_places)}.",
            ("state_places",),
            why="A stateful model keeps its state somewhere, a stateless one has 'none'.",
        )
    lists: tuple[tuple[str, Sequence[str]], ...] = (
        ("inputs", [tensor.name for tensor in template.inputs]),
        ("outputs", [tensor.name for tensor in template.outputs]),
        ("parameters", [parameter.name for parameter in template.parameters]),
    )
    for key, names in lists:
        for place, name in enumerate(names):
            if name in names[:place]:
                raise file.error(f"'{name}' stands twice in {key}.", (key, place))


def _check_parameters(file: TemplateFile) -> None:
    template = file.template
    for place, parameter in enumerate(template.parameters):
        here: Place = ("parameters", place)
        if (parameter.kind == "choice") != bool(parameter.choices):
            raise file.error(
                f"Parameter '{parameter.name}' is of kind {parameter.kind} and has "
                f"{len(parameter.choices)} choices.",
                here,
                why="A choice lists its choices, a number has none.",
            )
        low, high = parameter.minimum, parameter.maximum
        if low is not None and high is not None and low > high:
            raise file.error(f"Parameter '{parameter.name}' has a minimum above its maximum.", here)
        if parameter.name == "state_place" and set(parameter.choices) != set(template.state_places):
            raise file.error(
                f"Parameter state_place offers {list(parameter.choices)}, state_places says "
                f"{list(template.state_places)}.",
                here,
            )
    whole = {parameter.name for parameter in template.parameters if parameter.kind == "integer"}
    for key, tensors in (("inputs", template.inputs), ("outputs", template.outputs)):
        for place, tensor in enumerate(tensors):
            if tensor.data_type == "BF16":
                raise file.error(
                    f"'{tensor.name}' is BF16, which samples and replies cannot hold.",
                    (key, place, "data_type"),
                    next_step="Use FP32 or FP16.",
                )
            for dim in tensor.dims:
                if isinstance(dim, str) and dim not in whole:
                    raise file.error(
                        f"A dimension of '{tensor.name}' is '{dim}', which is no whole-number "
                        "parameter of the template.",
                        (key, place, "dims"),
                    )
                if isinstance(dim, int) and dim < 1 and dim != -1:
                    raise file.error(
                        f"A dimension of '{tensor.name}' is {dim}: it must be at least 1, or -1 "
                        "for a variable one.",
                        (key, place, "dims"),
                    )


def _check_outputs(file: TemplateFile) -> None:
    template = file.template
    outputs = [tensor.name for tensor in template.outputs]
    for place, rule in enumerate(template.rules):
        if rule.output not in outputs:
            raise file.error(f"There is no output '{rule.output}'.", ("rules", place, "output"))
        if rule.absolute < 0:
            raise file.error("A tolerance is 0 or more.", ("rules", place, "absolute"))
    if not template.rules:
        raise file.error("Give a rule for at least one output.", ("rules",))
    decision = template.decision
    if decision is None:
        return
    if decision.output not in outputs:
        raise file.error(f"There is no output '{decision.output}'.", ("decision", "output"))
    if (decision.threshold is None) == (decision.labels_file is None):
        raise file.error(
            "A decision has either a threshold or a labels_file.",
            ("decision",),
        )
    if decision.labels_file is not None and not (template.folder / decision.labels_file).is_file():
        raise file.error(
            f"The file '{decision.labels_file}' is missing beside the description.",
            ("decision", "labels_file"),
        )


def _check_samples(file: TemplateFile) -> None:
    template: Template = file.template
    samples = template.samples
    if samples.input not in [tensor.name for tensor in template.inputs]:
        raise file.error(f"There is no input '{samples.input}'.", ("samples", "input"))
    if (samples.kind == "generated") != (samples.folder is None):
        raise file.error(
            f"Samples of kind {samples.kind} "
            + ("have no folder." if samples.kind == "generated" else "need a folder."),
            ("samples",),
        )
