"""What loads of a model as a whole and surprises: no scheduler, shapes that break batches."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from tritonclient.grpc import model_config_pb2

from backend.modelconfig.backends import ADD_A_BATCHER
from backend.modelconfig.fields import is_map
from backend.modelconfig.lint.refused_ensemble import ensemble
from backend.modelconfig.lint.refused_scheduling import dynamic, oldest, sequence
from backend.modelconfig.lint.rule import Context, Hit, LintRule
from backend.modelconfig.lint.warning_sequence import is_direct
from backend.modelconfig.slots import default_count, instances

_GUIDE: Final = "Triton server, docs/user_guide/model_configuration.md"
_EQUAL: Final = "Triton core, src/scheduler_utils.cc, RequiredEqualInputs::HasEqualInputs"
_KNOWN: Final = ("python", "onnxruntime", "tensorrt", "pytorch", "tensorflow", "openvino", "dali",
                 "fil", "vllm", "tensorrtllm", "identity", "repeat", "square")  # fmt: skip
_GROUP: Final = model_config_pb2.ModelInstanceGroup
MANY_INSTANCES: Final = 8


def _no_scheduler(context: Context) -> Iterator[Hit]:
    config = context.config
    if config.WhichOneof("scheduling_choice") is not None or config.platform == "ensemble":
        return
    if config.max_batch_size > 1:
        completed = context.backend in ADD_A_BATCHER
        yield Hit(
            "max_batch_size",
            f"max_batch_size is {config.max_batch_size}, and there is no scheduler section.",
            "Triton merges no requests; only what one client sends as a batch runs as one."
            + (
                " This backend adds dynamic_batching by itself where auto-completion is on: read "
                "the effective configuration back."
                if completed
                else ""
            ),
            "Write dynamic_batching { } where every request stands alone, sequence_batching for "
            "parts of a session, or max_batch_size: 1 to say that nothing is to be merged.",
        )


def _variable(context: Context) -> Iterator[Hit]:
    config = context.config
    batches = dynamic(context) is not None or sequence(context) is not None
    if not batches or config.max_batch_size < 2:
        return
    for index, entry in enumerate(config.input):
        if -1 in entry.dims and not entry.allow_ragged_batch:
            yield Hit(
                f"input[{index}].dims",
                f"The input '{entry.name}' has a variable dimension.",
                _otherwise(
                    context,
                    "Only requests with equal shapes share a batch",
                    "of another shape",
                )
                + _spins(context)
                + " (Equal shapes do not show that requests may be mixed.)",
                "Pad on the client, or set allow_ragged_batch where the model takes ragged input.",
            )


def _otherwise(context: Context, rule: str, which: str) -> str:
    """What becomes of a request that cannot join the batch: under direct only its slot waits."""
    if is_direct(context):
        return f"{rule}: one {which} waits for a later batch, in which the others are padded."
    return f"{rule}: one {which} ends the batch, and leads the next."


def _spins(context: Context) -> str:
    if dynamic(context) is None and oldest(context) is None:
        return ""
    return (
        " Every arrival wakes the batcher, and while a batch waits for an instance, a request of "
        "another shape behind it keeps the batcher's thread busy at 100 % (seen on 24.10)."
    )


def _optional(context: Context) -> Iterator[Hit]:
    if dynamic(context) is None and sequence(context) is None:
        return
    for index, entry in enumerate(context.config.input):
        if entry.optional and context.config.max_batch_size > 1:
            yield Hit(
                f"input[{index}].optional",
                f"The input '{entry.name}' is optional.",
                _otherwise(
                    context,
                    "Requests of one batch must all have it, or all lack it",
                    "that differs",
                ),
                "Let clients always send it, with a value that means nothing.",
            )


def _ragged(context: Context) -> Iterator[Hit]:
    for index, entry in enumerate(context.config.input):
        if entry.allow_ragged_batch and context.config.max_batch_size == 0:
            yield Hit(
                f"input[{index}].allow_ragged_batch",
                f"The input '{entry.name}' may be ragged, but the model has no batch dimension.",
                "Nothing is batched, so that nothing is ragged.",
                "Leave allow_ragged_batch out, or set max_batch_size.",
            )


def _default(context: Context, group: Any) -> str:
    two = default_count(context.config, group, context.backend) > 1
    return "two instances on the CPU" if two else "one instance"


def _instances(context: Context) -> Iterator[Hit]:
    for index, group in enumerate(context.config.instance_group):
        if group.count < 0:
            yield Hit(f"instance_group[{index}].count", f"count is {group.count}.",
                      f"It loads, and counts as not set: {_default(context, group)}.",
                      "Write how many instances there are to be.")  # fmt: skip
    total = instances(context.config, context.backend, context.gpus)
    if total > MANY_INSTANCES:
        yield Hit(
            "instance_group",
            f"The model is to have {total} instances.",
            "Each has a memory and a state of its own, and all share the device's cores.",
            "Begin with one or two; before raising it watch memory, the busy share of the "
            "instances and whether sessions stay apart.",
        )


def _resources(context: Context) -> Iterator[Hit]:
    wide: dict[str, bool] = {}
    for index, group in enumerate(context.config.instance_group):
        for number, resource in enumerate(group.rate_limiter.resources):
            known = wide.setdefault(resource.name, getattr(resource, "global"))
            if known != getattr(resource, "global"):
                yield Hit(
                    f"instance_group[{index}].rate_limiter.resources[{number}]",
                    f"The resource '{resource.name}' is global in one place and counted per device "
                    "in another.",
                    "It loads as long as rate limiting is off; with --rate-limit=execution_count "
                    "the model is refused.",
                    "Make it one of the two everywhere.",
                )


def _gpu(context: Context) -> Iterator[Hit]:
    if context.gpus is not None:
        return
    for index, group in enumerate(context.config.instance_group):
        if group.kind == _GROUP.KIND_GPU or (group.kind == _GROUP.KIND_AUTO and group.gpus):
            yield Hit(
                f"instance_group[{index}].{'kind' if group.kind else 'gpus'}",
                "The group runs on a GPU.",
                "On a machine without one the model is refused ('no GPUs are available').",
                "Write KIND_CPU for a machine without a GPU; the embedded server has none.",
            )


def _backend(context: Context) -> Iterator[Hit]:
    config = context.config
    if ensemble(context) is not None or config.platform == "ensemble":
        return
    if not config.backend and not config.platform and not context.backend:
        yield Hit(
            "",
            "Neither backend nor platform is named.",
            "Triton guesses by the file in the version folder (model.py: python, model.onnx: "
            "onnxruntime …) and refuses the model where it finds none.",
            'Write backend: "python", or the one that runs the model.',
        )
    elif config.backend and config.backend not in _KNOWN:
        close = difflib.get_close_matches(config.backend.lower(), _KNOWN, n=1)
        yield Hit(
            "backend",
            f"'{config.backend[:40]}' is no backend that comes with Triton.",
            "The model loads only where a library of that name was added to the server.",
            f'Did you mean "{close[0]}"?' if close else "Check the spelling; case counts.",
        )


def _tensors(context: Context) -> Iterator[Hit]:
    config = context.config
    for field in ("input", "output"):
        if not getattr(config, field):
            yield Hit(
                "",
                f"The file declares no {field}.",
                "The backend has to complete it when it loads the model; without auto-completion "
                "the model has none.",
                f"Declare each {field} with name, data_type and dims.",
            )
        seen: set[str] = set()
        for index, entry in enumerate(getattr(config, field)):
            if entry.name and entry.name in seen:
                yield Hit(f"{field}[{index}]", f"The {field} '{entry.name}' stands there twice.",
                          "It loads, and one of the two is used.", "Keep one.")  # fmt: skip
            seen.add(entry.name)


def _cache(context: Context) -> Iterator[Hit]:
    if context.config.response_cache.enable:
        yield Hit(
            "response_cache.enable",
            "Answers to equal requests may come from a cache.",
            "Only where the server was started with --cache-config; a hit never reaches the model.",
            "Leave it out where an answer depends on anything but the request.",
        )


def _decoupled(context: Context) -> Iterator[Hit]:
    if context.config.model_transaction_policy.decoupled:
        yield Hit(
            "model_transaction_policy.decoupled",
            "A request may get several answers, or none.",
            "Clients have to use a gRPC stream (or generate_stream): plain HTTP and unary gRPC "
            "calls are refused. A sequence's next request may run while answers still stream.",
            "Leave decoupled out where every request gets one answer.",
        )


def _unnamed(context: Context) -> Iterator[Hit]:
    for path, field, number in _numbers(context.config, ""):
        yield Hit(
            path,
            f"{number} is no value of {field.name} that has a name.",
            "It loads, and counts as none of the values that have one.",
            f"Write one of {', '.join(value.name for value in field.enum_type.values[:12])}.",
        )


_REFUSED_ANYWAY: Final = (
    "inference.ModelInstanceGroup.kind",
    "inference.BatchInput.kind",
    "inference.BatchInput.data_type",
    "inference.BatchOutput.kind",
    "inference.ModelWarmup.Input.data_type",
    "inference.ModelSequenceBatching.Control.data_type",
)


def _numbers(message: Any, path: str) -> Iterator[tuple[str, Any, int]]:
    """Path, field and number of every value of an enumeration that names nothing."""
    for field, value in message.ListFields():
        where = f"{path}.{field.name}" if path else field.name
        if field.type == FieldDescriptor.TYPE_ENUM:
            known = field.enum_type.values_by_number
            if value not in known and field.full_name not in _REFUSED_ANYWAY:
                yield where, field, value
        elif is_map(field):
            if field.message_type.fields_by_name["value"].type == FieldDescriptor.TYPE_MESSAGE:
                for key in sorted(value):
                    shown = f'"{key}"' if isinstance(key, str) else key
                    yield from _numbers(value[key], f"{where}[{shown}]")
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            entries = enumerate(value) if field.is_repeated else [(None, value)]
            for index, entry in entries:
                yield from _numbers(entry, where if index is None else f"{where}[{index}]")


RULES: Final = (
    LintRule("no-scheduler", "warning", "Batches, and no scheduler", f"{_GUIDE}, Default Scheduler",
             _no_scheduler),
    LintRule("variable-shape", "warning", "A variable dimension that breaks batches", _EQUAL,
             _variable),
    LintRule("optional-input", "info", "An optional input that breaks batches", _EQUAL, _optional),
    LintRule("ragged-without-batch", "warning", "Ragged input without a batch dimension",
             "Triton server, docs/user_guide/ragged_batching.md", _ragged),
    LintRule("instance-count", "warning", "No or very many instances",
             f"{_GUIDE}, Instance Groups", _instances),
    LintRule("resource-both", "warning", "A resource both global and per device",
             "Triton server, docs/user_guide/rate_limiter.md", _resources),
    LintRule("gpu-needed", "info", "A group that needs a GPU", f"{_GUIDE}, Instance Groups", _gpu),
    LintRule("backend-named", "warning", "No backend, or one that does not come with Triton",
             "Triton backend, README.md, Backends", _backend),
    LintRule("tensors-declared", "warning", "Inputs or outputs not declared, or declared twice",
             f"{_GUIDE}, Inputs and Outputs", _tensors),
    LintRule("cache-answers", "info", "Answers from the response cache",
             "Triton server, docs/user_guide/response_cache.md", _cache),
    LintRule("decoupled-clients", "info", "A decoupled model",
             "Triton server, docs/user_guide/decoupled_models.md", _decoupled),
    LintRule("value-unnamed", "warning", "A number in place of a name, and none that has one",
             "Triton common, protobuf/model_config.proto", _unnamed),
)  # fmt: skip
