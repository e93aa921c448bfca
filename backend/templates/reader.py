"""Finds the model templates and reads them; checks chosen parameters and what a template needs."""

from __future__ import annotations

import difflib
import importlib.metadata
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from backend.contracts.errors import InputError
from backend.templates.consistency import check_consistent
from backend.templates.template import Parameter, Template
from backend.templates.template_file import FILE_NAME, TemplateFile

TEMPLATES: Final = Path(__file__).resolve().parents[2] / "model_templates"
"""The folder of the templates that come with the console."""


def list_templates(root: Path = TEMPLATES) -> tuple[Template, ...]:
    """All templates, by name.

    Raises:
        InputError: naming file and line of the first description that is wrong.
    """
    return tuple(load_template(name, root) for name in _names(root))


def load_template(name: str, root: Path = TEMPLATES) -> Template:
    """The template of that name.

    Args:
        name: Name of its folder.
        root: The folder of all templates.

    Raises:
        InputError: if there is none, listing those there are; or if its description is wrong,
            naming file and line.
    """
    names = _names(root)
    if name not in names:
        raise InputError(
            f"There is no model template '{name}'.",
            why=f"Templates in {root}: {', '.join(names) or 'none'}.",
            next_step=_did_you_mean(name, names),
            key="template",
        )
    file = root / name / FILE_NAME
    stat = file.stat()
    return _read(file, stat.st_mtime_ns, stat.st_size)


def check_parameters(
    template: Template, chosen: Mapping[str, int | float | str]
) -> dict[str, int | float | str]:
    """All parameters with their values: the chosen ones, checked, over the defaults.

    Raises:
        InputError: for the first parameter that the template does not have (with the nearest
            name), or whose value is of the wrong kind or out of range; ``key`` is its name.
    """
    known = {parameter.name: parameter for parameter in template.parameters}
    for name, value in chosen.items():
        if name not in known:
            raise InputError(
                f"The template {template.name} has no parameter '{name}'.",
                why=f"Its parameters: {', '.join(known) or 'none'}.",
                next_step=_did_you_mean(name, known),
                key=name,
            )
        fault = parameter_fault(known[name], value)
        if fault:
            raise InputError(
                f"Parameter '{name}' of the template {template.name} is {value!r}: {fault}.",
                why=known[name].about,
                next_step=_nearest_choice(known[name], value),
                key=name,
            )
    return template.parameter_values(dict(chosen))


def parameter_fault(parameter: Parameter, value: object) -> str:
    """What is wrong with a value, naming what is allowed; empty where nothing is."""
    if parameter.kind == "choice":
        allowed = " or ".join(parameter.choices)
        return "" if value in parameter.choices else f"it must be {allowed}"
    allowed = _allowed(parameter)
    # True is an int in Python, but nobody means a number by it.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return f"it must be {allowed}"
    if parameter.kind == "integer" and not isinstance(value, int):
        return f"it must be {allowed}"
    low, high = parameter.minimum, parameter.maximum
    outside = (low is not None and value < low) or (high is not None and value > high)
    return f"it must be {allowed}" if outside else ""


def missing_requirements(template: Template) -> tuple[str, ...]:
    """The Python packages that the model imports and this environment lacks, as pip names them."""
    missing = []
    for name in template.requires:
        try:
            importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    return tuple(missing)


def _names(root: Path) -> tuple[str, ...]:
    return tuple(sorted(file.parent.name for file in root.glob(f"*/{FILE_NAME}")))


@lru_cache(maxsize=64)
def _read(path: Path, modified_ns: int, size: int) -> Template:
    # Pages ask on every rerun: a file is parsed again only when it has changed.
    file = TemplateFile(path)
    check_consistent(file)
    for place, parameter in enumerate(file.template.parameters):
        fault = parameter_fault(parameter, parameter.default)
        if fault:
            raise file.error(
                f"The default of '{parameter.name}' is {parameter.default!r}: {fault}.",
                ("parameters", place, "default"),
            )
    return file.template


def _allowed(parameter: Parameter) -> str:
    kind = "a whole number" if parameter.kind == "integer" else "a number"
    unit = f" {parameter.unit}" if parameter.unit else ""
    low, high = parameter.minimum, parameter.maximum
    if low is not None and high is not None:
        return f"{kind} from {low:g} to {high:.15g}{unit}"
    if low is not None:
        return f"{kind} of at least {low:.15g}{unit}"
    if high is not None:
        return f"{kind} of at most {high:.15g}{unit}"
    return kind + (f" ({parameter.unit})" if parameter.unit else "")


def _nearest_choice(parameter: Parameter, value: object) -> str:
    return _did_you_mean(str(value), parameter.choices) if parameter.choices else ""


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"Did you mean '{near[0]}'?" if near else ""
