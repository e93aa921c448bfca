"""What Triton refuses at load, said before the load.

Triton answers most of these through the repository API with "failed to poll from model repository"
and leaves the reason to its log. Only what cannot load, or ends the server, is here; a file that
loads and behaves badly is another matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tritonclient.grpc import model_config_pb2

from backend.contracts.errors import InputError
from backend.contracts.values import Value

_Control = model_config_pb2.ModelSequenceBatching.Control
_Group = model_config_pb2.ModelInstanceGroup
_CORRID_TYPES = ("TYPE_UINT64", "TYPE_INT64", "TYPE_UINT32", "TYPE_INT32", "TYPE_STRING")
_FLAG_FIELDS = ("int32_false_true", "fp32_false_true", "bool_false_true")


class Refusal(Value):
    """One reason why a configuration cannot be served; ``field`` is its path in the file."""

    field: str
    what: str
    next_step: str


def refuse(config: Any) -> None:
    """Refuse a configuration that cannot be served.

    Raises:
        InputError: with the first reason, and the others below it.
    """
    found = refusals(config)
    if not found:
        return
    first, *others = found
    raise InputError(
        f"Triton would refuse the configuration of '{config.name}': {first.what}",
        why="\n".join(f"Also: {other.what}" for other in others),
        next_step=first.next_step,
        key=first.field,
    )


def refusals(config: Any) -> tuple[Refusal, ...]:
    """All reasons why Triton would refuse a configuration, or end when it is used.

    Source: core, ``model_config_utils.cc`` (``ValidateModelConfig``,
    ``GetBooleanSequenceControlProperties``, ``GetTypedSequenceControlProperties``).
    """
    return (*_top(config), *_dynamic(config), *_sequence(config), *_groups(config))


def _top(config: Any) -> Iterator[Refusal]:
    if config.max_batch_size < 0:
        yield Refusal(
            field="max_batch_size",
            what=f"max_batch_size is {config.max_batch_size}.",
            next_step="Set it to 0 (no batch dimension) or more.",
        )
    for field in ("input", "output"):
        for entry in getattr(config, field):
            for what in _tensor_faults(entry):
                yield Refusal(
                    field=field,
                    what=f"{field} '{entry.name}' {what}.",
                    next_step="Give name, data_type and dims.",
                )
    if config.HasField("response_cache") and config.response_cache.enable:
        for field, wrong in (
            ("sequence_batching", config.HasField("sequence_batching")),
            ("model_transaction_policy", config.model_transaction_policy.decoupled),
        ):
            if wrong:
                yield Refusal(
                    field="response_cache",
                    what=f"response_cache cannot be used together with {field}.",
                    next_step="Leave response_cache out.",
                )


def _tensor_faults(entry: Any) -> Iterator[str]:
    if not entry.name:
        yield "has no name"
    if entry.data_type == model_config_pb2.TYPE_INVALID:
        yield "has no data_type"
    if not entry.dims:
        yield "has no dims"
    if any(dim == 0 or dim < -1 for dim in entry.dims):
        yield f"has dims {list(entry.dims)}; each must be at least 1, or -1 for a variable one"


def _sizes(sizes: Any, ceiling: int, field: str) -> Iterator[Refusal]:
    for size in sizes:
        if size < 1:
            yield Refusal(
                field=field,
                what=f"a preferred batch size is {size}; it must be at least 1.",
                next_step="Leave preferred_batch_size out.",
            )
        elif size > ceiling:
            yield Refusal(
                field=field,
                what=f"a preferred batch size of {size} is above max_batch_size {ceiling}.",
                next_step=f"Set it to at most {ceiling}, or leave preferred_batch_size out.",
            )


def _dynamic(config: Any) -> Iterator[Refusal]:
    if not config.HasField("dynamic_batching"):
        return
    batching = config.dynamic_batching
    yield from _sizes(
        batching.preferred_batch_size,
        config.max_batch_size,
        "dynamic_batching.preferred_batch_size",
    )
    levels = batching.priority_levels
    if levels and not 1 <= batching.default_priority_level <= levels:
        yield Refusal(
            field="dynamic_batching.default_priority_level",
            what=f"default_priority_level is {batching.default_priority_level}; with "
            f"{levels} priority levels it must be 1 to {levels}.",
            next_step="Set it within that range.",
        )
    if batching.preserve_ordering and levels > 1:
        yield Refusal(
            field="dynamic_batching.preserve_ordering",
            what="preserve_ordering allows one priority level only.",
            next_step="Leave one of the two out.",
        )


def _sequence(config: Any) -> Iterator[Refusal]:
    if not config.HasField("sequence_batching"):
        return
    batching = config.sequence_batching
    yield from _sizes(
        batching.oldest.preferred_batch_size,
        config.max_batch_size,
        "sequence_batching.oldest.preferred_batch_size",
    )
    share = batching.direct.minimum_slot_utilization
    if not 0 <= share <= 1:
        yield Refusal(
            field="sequence_batching.direct.minimum_slot_utilization",
            what=f"minimum_slot_utilization is {share:g}; it is a share of the slots.",
            next_step="Set it between 0 and 1.",
        )
    names = Counter(entry.name for entry in batching.control_input)
    kinds = Counter(c.kind for entry in batching.control_input for c in entry.control)
    for name, count in names.items():
        if count > 1:
            yield _control(f"the control input '{name}' stands there {count} times")
    for kind, count in kinds.items():
        if count > 1:
            yield _control(f"{_Control.Kind.Name(kind)} stands there {count} times")
    for entry in batching.control_input:
        if not entry.name:
            yield _control("a control input has no name")
        for control in entry.control:
            for what in _control_faults(control):
                yield _control(f"the control input '{entry.name}' {what}")


def _control(what: str) -> Refusal:
    return Refusal(
        field="sequence_batching.control_input",
        what=f"{what}.",
        next_step="Give each kind one control input with a name of its own.",
    )


def _control_faults(control: Any) -> Iterator[str]:
    given = [name for name in _FLAG_FIELDS if len(getattr(control, name))]
    if control.kind == _Control.CONTROL_SEQUENCE_CORRID:
        kind = model_config_pb2.DataType.Name(control.data_type)
        if given:
            yield f"is a CORRID, which takes no {given[0]}"
        if kind not in _CORRID_TYPES:
            yield f"is a CORRID of {kind}; it must be one of {', '.join(_CORRID_TYPES)}"
        return
    if len(given) != 1:
        yield f"needs exactly one of {', '.join(_FLAG_FIELDS)}"
    elif len(getattr(control, given[0])) != 2:
        yield f"needs two entries in {given[0]}: false, then true"


def _groups(config: Any) -> Iterator[Refusal]:
    for group in config.instance_group:
        kind = _Group.Kind.Name(group.kind)
        if kind in ("KIND_CPU", "KIND_MODEL") and len(group.gpus):
            yield Refusal(
                field="instance_group.gpus",
                what=f"an instance group of {kind} names GPUs.",
                next_step="Leave gpus out.",
            )
        if group.passive and config.HasField("sequence_batching"):
            yield Refusal(
                field="instance_group.passive",
                what="a passive instance group gets sequence slots, but nothing runs there: the "
                "first sequence bound to it ends the server.",
                next_step="Leave passive out.",
            )
