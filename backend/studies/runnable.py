"""Which classes can be run: a model that is only declared can be configured, never served."""

from __future__ import annotations

from backend.contracts.errors import InputError
from backend.templates.reader import load_template
from backend.templates.template import Template
from backend.workload.study import TrafficClass


def check_runnable(item: TrafficClass) -> None:
    """Refuse a class that has nothing to run.

    Raises:
        InputError: if its model is known by its tensors alone.
    """
    if item.model.declared is None:
        return
    raise InputError(
        f"The model of class '{item.name}' is described by its tensors only: there is nothing to "
        "run.",
        why="Tensors are enough for advice and for a configuration; a test needs a model that "
        "answers.",
        next_step="Choose a model template (model.template), or stay with advice and "
        "configuration, which need no model.",
        key="declared",
    )


def runnable_template(item: TrafficClass) -> Template:
    """The model template that serves a class.

    Raises:
        InputError: if the model is only declared, or there is no such template.
    """
    check_runnable(item)
    return load_template(item.model.template)
