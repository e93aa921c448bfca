"""What Triton refuses of instance groups and warm-up, or what ends it when a group is used."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.enum_names import enum_name
from backend.modelconfig.lint.memory import MOST_BYTES, byte_size
from backend.modelconfig.lint.refused_model import REFUSED_LATE
from backend.modelconfig.lint.refused_scheduling import sequence
from backend.modelconfig.lint.rule import Context, Hit, LintRule

Group: Final = model_config_pb2.ModelInstanceGroup
_GROUP: Final = "Triton core, src/model_config_utils.cc, ValidateInstanceGroup"
_WARM_UP: Final = (
    "Triton core, src/backend_model_instance.cc, TritonModelInstance::GenerateWarmupData"
)


MOST_WARM_UPS: Final = 10_000_000
"""Runs of a sample: at a tenth of a millisecond each they take a quarter of an hour."""


def _groups(context: Context) -> Iterator[tuple[str, Any]]:
    for index, group in enumerate(context.config.instance_group):
        yield f"instance_group[{index}]", group


def _cpu_gpus(context: Context) -> Iterator[Hit]:
    kinds = (Group.KIND_CPU, Group.KIND_MODEL)
    for path, group in _groups(context):
        if group.kind in kinds and group.gpus:
            yield Hit(
                f"{path}.gpus",
                f"A group of {enum_name(group, 'kind')} names GPUs.",
                REFUSED_LATE,
                "Leave gpus out, or write kind: KIND_GPU.",
            )


def _gpu_numbers(context: Context) -> Iterator[Hit]:
    for path, group in _groups(context):
        for index, number in enumerate(group.gpus):
            if number < 0:
                yield Hit(
                    f"{path}.gpus[{index}]",
                    f"{number} is no number of a GPU.",
                    REFUSED_LATE,
                    "Count GPUs from 0, or leave gpus out: every GPU is then used.",
                )


def _profile(context: Context) -> Iterator[Hit]:
    config = context.config
    if config.backend == "tensorrt" or config.platform == "tensorrt_plan":
        for path, group in _groups(context):
            for index, profile in enumerate(group.profile):
                if not profile.lstrip("-").isdecimal() or int(profile) < 0:
                    yield Hit(
                        f"{path}.profile[{index}]",
                        f"'{profile[:40]}' is no number of a TensorRT profile.",
                        REFUSED_LATE,
                        "Write a number of 0 or more, in quotes.",
                    )
        return
    for path, group in _groups(context):
        if group.profile:
            yield Hit(
                f"{path}.profile",
                "A group names profiles, which only TensorRT has.",
                REFUSED_LATE,
                "Leave profile out.",
            )


def _kind(context: Context) -> Iterator[Hit]:
    for path, group in _groups(context):
        if group.kind not in Group.Kind.values():
            yield Hit(f"{path}.kind", f"{group.kind} is no kind of instance group.", REFUSED_LATE,
                      "Write KIND_CPU or KIND_GPU.")  # fmt: skip


def _passive(context: Context) -> Iterator[Hit]:
    if sequence(context) is None:
        return
    for path, group in _groups(context):
        if group.passive:
            yield Hit(
                f"{path}.passive",
                "A passive group stands beside the sequence batcher.",
                "It gets sequence slots, but nothing runs there: the first sequence that is bound "
                "to one ends the whole server (SIGSEGV, seen on 24.10).",
                "Leave passive out.",
            )


def _warm_up(context: Context) -> Iterator[Hit]:
    declared = {entry.name: entry for entry in context.config.input}
    for path, sample in _samples(context):
        for name in sorted(sample.inputs):
            what = _wrong_input(sample.inputs[name], declared.get(name), name)
            if what:
                yield Hit(f'{path}.inputs["{name}"]', what, REFUSED_LATE,
                          "Write data_type, full dims without -1, and zero_data, random_data or "
                          "input_data_file.")  # fmt: skip
        needed = [entry.name for entry in context.config.input if not entry.optional]
        if len(set(needed)) < len(needed):
            yield Hit(path, "The model has two inputs of one name, and a sample can give one.",
                      REFUSED_LATE, "Give each input a name of its own.")  # fmt: skip
        missing = [name for name in dict.fromkeys(needed) if name not in sample.inputs]
        if missing:
            yield Hit(
                path,
                f"The warm-up sample '{sample.name}' lacks the input"
                f"{'s' * (len(missing) > 1)} {', '.join(missing)}.",
                REFUSED_LATE,
                "Give each input that is not optional.",
            )


def _samples(context: Context) -> Iterator[tuple[str, Any]]:
    """Path and message of every sample that is run: those without a batch and a device are not."""
    groups = context.config.instance_group
    if groups and all(group.passive for group in groups):
        return
    for index, sample in enumerate(context.config.model_warmup):
        if sample.batch_size:
            yield f"model_warmup[{index}]", sample


def _wrong_input(given: Any, declared: Any, name: str) -> str:
    if -1 in given.dims:
        return f"The warm-up input '{name}' has a variable dimension."
    if given.WhichOneof("input_data_type") is None:
        return f"The warm-up input '{name}' does not say what it holds."
    if given.data_type not in model_config_pb2.DataType.values():
        return f"The warm-up input '{name}' has a data_type that has no name ({given.data_type})."
    if any(dim < -1 for dim in given.dims):
        return f"The warm-up input '{name}' has a dimension below -1."
    if declared is None:
        untyped = given.data_type == model_config_pb2.TYPE_INVALID
        return f"The warm-up input '{name}' has no data_type." if untyped else ""
    if given.data_type != declared.data_type:
        return f"The warm-up input '{name}' has another data_type than the model's input."
    wanted = list(declared.dims)
    fits = len(given.dims) == len(wanted) and all(
        want in (-1, have) for want, have in zip(wanted, given.dims, strict=False)
    )
    if not fits:
        return (
            f"The warm-up input '{name}' has dims {list(given.dims)}, the model's input {wanted}."
        )
    return ""


def _warm_up_size(context: Context) -> Iterator[Hit]:
    most = max(context.config.max_batch_size, 1)
    for path, sample in _samples(context):
        if sample.batch_size > most:
            yield Hit(
                f"{path}.batch_size",
                f"The warm-up batch of {sample.batch_size} is above the {most} that the model "
                "takes.",
                "Triton refuses to load the model, or ends while it cleans up after the sample "
                "(both seen on 24.10).",
                f"Write at most {most}.",
            )


def _warm_up_memory(context: Context) -> Iterator[Hit]:
    for path, sample in _samples(context):
        for name in sorted(sample.inputs):
            given = sample.inputs[name]
            most = math.prod(given.dims) * (byte_size(given.data_type) or 0) * sample.batch_size
            if min(given.dims, default=0) >= 0 and most >= MOST_BYTES:
                yield Hit(
                    f'{path}.inputs["{name}"].dims',
                    f"The warm-up input '{name}' takes {most / 2**40:,.0f} TiB.",
                    "Triton makes it while it loads the model, and ends (SIGSEGV, seen on 24.10).",
                    "Write dims as real requests have them.",
                )


def _warm_up_count(context: Context) -> Iterator[Hit]:
    for path, sample in _samples(context):
        if sample.count >= MOST_WARM_UPS:
            yield Hit(
                f"{path}.count",
                f"The warm-up sample '{sample.name}' is run {sample.count:,} times.",
                "Triton runs all of them on every instance before the model is ready: the load "
                "does not end.",
                "A few runs warm a model up.",
            )


def _warm_up_nothing(context: Context) -> Iterator[Hit]:
    if context.backend != "python" or context.config.max_batch_size < 1:
        return
    for path, sample in _samples(context):
        if not sample.inputs and not any(not entry.optional for entry in context.config.input):
            yield Hit(
                path,
                f"The warm-up sample '{sample.name}' gives no input at all.",
                "Triton refuses to load the model, or ends while it cleans up after the sample "
                "(both seen on 24.10).",
                "Give at least one of the model's inputs, or leave model_warmup out.",
            )


RULES: Final = (
    LintRule("cpu-group-with-gpus", "error", "GPUs named for a group that has none", _GROUP,
             _cpu_gpus),
    LintRule("group-kind", "error", "A kind of instance group that is none",
             "Triton core, src/backend_model.cc, TritonModelInstance::SetInstances", _kind),
    LintRule("gpu-number", "error", "A GPU below 0", _GROUP, _gpu_numbers),
    LintRule("group-profile", "error", "A profile without TensorRT, or no number", _GROUP,
             _profile),
    LintRule("passive-with-sequences", "error", "A passive group under the sequence batcher",
             "Triton core, src/sequence_batch_scheduler/sequence_batch_scheduler.cc, "
             "SequenceBatchScheduler::CreateBatchers; seen on the running server", _passive),
    LintRule("warm-up-input", "error", "A warm-up sample that the model cannot take", _WARM_UP,
             _warm_up),
    LintRule("warm-up-batch", "error", "A warm-up batch above max_batch_size", _WARM_UP,
             _warm_up_size),
    LintRule("warm-up-memory", "error", "A warm-up input that fits no memory",
             f"{_WARM_UP}; seen on the running server", _warm_up_memory),
    LintRule("warm-up-count", "error", "A warm-up that does not end", _WARM_UP, _warm_up_count),
    LintRule("warm-up-nothing", "error", "A warm-up sample without any input", _WARM_UP,
             _warm_up_nothing),
)  # fmt: skip
