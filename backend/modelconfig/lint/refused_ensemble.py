"""What Triton refuses of an ensemble: what it may not have, and how its tensors must flow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from backend.modelconfig.lint.refused_model import REFUSED, VALIDATE
from backend.modelconfig.lint.rule import Context, Hit, LintRule

_ENSEMBLE: Final = "Triton core, src/model_config_utils.cc, ValidateEnsembleSchedulingConfig"
_GRAPH: Final = (
    "Triton core, src/model_config_utils.cc, ValidateEnsembleSchedulingConfig, BuildEnsembleGraph"
)


def ensemble(context: Context) -> Any | None:
    """The section of an ensemble; null where there is none."""
    config = context.config
    return config.ensemble_scheduling if config.HasField("ensemble_scheduling") else None


def _platform(context: Context) -> Iterator[Hit]:
    config = context.config
    if ensemble(context) is not None and config.platform != "ensemble":
        yield Hit(
            "ensemble_scheduling",
            "The file has ensemble_scheduling, but its platform is not ensemble.",
            REFUSED,
            'Write platform: "ensemble" and no backend.',
        )
    elif config.platform == "ensemble" and ensemble(context) is None:
        yield Hit(
            "platform",
            "The platform is ensemble, but there is no ensemble_scheduling.",
            REFUSED,
            "Write ensemble_scheduling with its steps, and no other scheduler.",
        )


def _not_allowed(context: Context) -> Iterator[Hit]:
    config = context.config
    if config.platform != "ensemble":
        return
    for field, there in (
        ("instance_group", bool(config.instance_group)),
        ("optimization", config.HasField("optimization")),
        ("model_warmup", bool(config.model_warmup)),
    ):
        if there:
            yield Hit(
                field,
                f"An ensemble has {field}, although it runs nothing by itself.",
                REFUSED,
                f"Leave {field} out; give it to the models of the steps.",
            )


def _steps(context: Context) -> Iterator[Hit]:
    section = ensemble(context)
    if section is None:
        return
    if not section.step:
        yield Hit("ensemble_scheduling", "The ensemble has no step.", REFUSED, "Write its steps.")
    for index, step in enumerate(section.step):
        lacking = [
            field for field in ("model_name", "input_map", "output_map") if not getattr(step, field)
        ]
        if lacking:
            yield Hit(
                f"ensemble_scheduling.step[{index}]",
                f"A step lacks {', '.join(lacking)}.",
                REFUSED,
                "A step names a model and where its inputs and outputs go.",
            )


def _step_names(context: Context) -> Iterator[Hit]:
    section = ensemble(context)
    for index, step in enumerate(section.step if section is not None else ()):
        for field in ("input_map", "output_map"):
            if "" in getattr(step, field):
                yield Hit(
                    f'ensemble_scheduling.step[{index}].{field}[""]',
                    f"An entry of {field} has no key: it names no tensor of '{step.model_name}'.",
                    REFUSED,
                    "The key is the tensor of the step's model, the value the ensemble's.",
                )


def _versions(context: Context) -> Iterator[Hit]:
    section = ensemble(context)
    for index, step in enumerate(section.step if section is not None else ()):
        if step.model_version == -1 or step.model_version > 0:
            continue
        base = f"ensemble_scheduling.step[{index}]"
        path = f"{base}.model_version"
        there = context.written(path)
        yield Hit(
            path if there else base,
            f"The step asks for version {step.model_version} of '{step.model_name}'"
            + ("." if there else ", since no model_version stands there."),
            f"{REFUSED} Only a model with a folder of that version would do.",
            "Write model_version: -1 for the newest version, or the version's number.",
        )


def _graph(context: Context) -> Iterator[Hit]:
    config, section = context.config, ensemble(context)
    if section is None or not section.step:
        return
    base = "ensemble_scheduling.step"
    written: Counter[str] = Counter()
    read: set[str] = set()
    inputs = {entry.name for entry in config.input}
    for index, step in enumerate(section.step):
        for source, name in sorted(step.output_map.items()):
            written[name] += 1
            if written[name] > 1:
                yield Hit(
                    f'{base}[{index}].output_map["{source}"]',
                    f"The tensor '{name}' is written by more than one output.",
                    REFUSED,
                    "Give each output a tensor of its own.",
                )
        read |= set(step.input_map.values())
    outputs = {entry.name for entry in config.output}
    for index, entry in enumerate(config.input):
        if entry.name and entry.name not in read:
            yield Hit(f"input[{index}]", f"No step reads the input '{entry.name}'.", REFUSED,
                      "Map it to a step's input, or leave it out.")  # fmt: skip
    for index, entry in enumerate(config.output):
        passed_on = entry.name in inputs and entry.name in read
        if entry.name and entry.name not in written and not passed_on:
            yield Hit(f"output[{index}]", f"No step writes the output '{entry.name}'.", REFUSED,
                      "Map a step's output to it, or leave it out.")  # fmt: skip
    reached = _reached(section, inputs)
    for index, step in enumerate(section.step):
        for target, name in sorted(step.input_map.items()):
            if name in written and name not in reached:
                yield Hit(
                    f'{base}[{index}].input_map["{target}"]',
                    f"No inputs of the ensemble lead to the tensor '{name}'.",
                    REFUSED,
                    "Let the steps begin at the ensemble's inputs, and not go in a circle.",
                )
            elif name not in written and name not in inputs:
                yield Hit(
                    f'{base}[{index}].input_map["{target}"]',
                    f"Nothing writes the tensor '{name}'.",
                    REFUSED,
                    "Name an input of the ensemble or an output of another step.",
                )
        for source, name in sorted(step.output_map.items()):
            if name not in read and name not in outputs:
                yield Hit(
                    f'{base}[{index}].output_map["{source}"]',
                    f"Nothing reads the tensor '{name}'.",
                    REFUSED,
                    "Leave it out of output_map, or use it.",
                )


def _reached(section: Any, inputs: set[str]) -> set[str]:
    """Tensors that are there in the end: the inputs, and what steps make of tensors that are."""
    found = set(inputs)
    while True:
        new = {
            name
            for step in section.step
            if set(step.input_map.values()) <= found
            for name in step.output_map.values()
        }
        if new <= found:
            return found
        found |= new


RULES: Final = (
    LintRule("ensemble-platform", "error", "ensemble_scheduling and platform do not agree",
             VALIDATE, _platform),
    LintRule("ensemble-extra", "error", "A section that an ensemble cannot have", _ENSEMBLE,
             _not_allowed),
    LintRule("ensemble-step", "error", "A step without model or tensors", _ENSEMBLE, _steps),
    LintRule("ensemble-step-key", "error", "A tensor of a step without a name", _GRAPH,
             _step_names),
    LintRule("ensemble-step-version", "error", "A step that asks for version 0, or none that is",
             "Triton core, src/model_repository_manager/model_repository_manager.cc; seen on the "
             "running server", _versions),
    LintRule("ensemble-graph", "error", "Tensors of an ensemble that lead nowhere", _GRAPH, _graph),
)  # fmt: skip
