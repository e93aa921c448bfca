"""Changes any field of any section to an edge of what its type holds, without a plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor as FD
from hypothesis import strategies as st

from benchmarks.differential.drafts import MOST_INSTANCES
from benchmarks.differential.spelling import plain
from benchmarks.differential.values import INT32, INT64, UINT32, UINT64

_EDGES: Final = {
    FD.CPPTYPE_INT32: (0, 1, -1, 2, 5, INT32, -INT32 - 1),
    FD.CPPTYPE_INT64: (0, 1, -1, -2, 3, INT64, -INT64 - 1),
    FD.CPPTYPE_UINT32: (0, 1, 2, UINT32),
    FD.CPPTYPE_UINT64: (0, 1, 2, UINT64),
    FD.CPPTYPE_BOOL: (True, False),
    FD.CPPTYPE_FLOAT: (0.0, 1.0, -1.0, 0.5, 2.0, float("nan"), float("inf")),
    FD.CPPTYPE_DOUBLE: (0.0, 1.0, -1.0, float("nan"), float("inf")),
    FD.CPPTYPE_STRING: ("", "x", "INPUT0", "OUTPUT0", "x y", "é", "z" * 300),
}
_NOT_BY_A_FILE: Final = (
    # whether these are right depends on what else is on the server or in the folder
    "ModelConfig.backend", "ModelConfig.runtime", "ModelConfig.default_model_filename",
    "ModelConfig.model_repository_agents", "ModelConfig.ensemble_scheduling",
    "ModelOutput.label_filename", "InitialState.data_file", "Input.input_data_file",
    "Specific.versions", "ModelInstanceGroup.gpus",
    # what a warm-up sample does to the model or to memory is not read off a file
    "ModelConfig.model_warmup",
    # known differences are generated elsewhere, in known numbers
    "ModelInstanceGroup.passive", "Control.data_type",
    # of so many slots that memory is short for some machines
    "ModelConfig.max_batch_size", "StrategyOldest.max_candidate_sequences",
    "State.dims", "InitialState.dims",
)  # fmt: skip


def changed_anywhere(draw: Any, config: Any) -> str:
    """The text of a configuration with one or two fields changed."""
    config.ClearField("model_warmup")
    for _ in range(draw(st.sampled_from((1, 1, 2)))):
        holder, field = draw(st.sampled_from(list(_fields(config))))
        _change(draw, holder, field)
    _few_instances(config)
    return plain(config)


def _fields(message: Any) -> Iterator[tuple[Any, Any]]:
    """Every field of every section that is there."""
    for field in message.DESCRIPTOR.fields:
        if field.full_name.endswith(_NOT_BY_A_FILE):
            continue
        yield message, field
        if field.type != FD.TYPE_MESSAGE or _is_map(field):
            continue
        if field.is_repeated:
            for item in getattr(message, field.name):
                yield from _fields(item)
        elif message.HasField(field.name):
            yield from _fields(getattr(message, field.name))


def _change(draw: Any, message: Any, field: Any) -> None:
    if _is_map(field):
        message.ClearField(field.name)
        return
    if field.is_repeated:
        values = getattr(message, field.name)
        if values and draw(st.booleans()):
            del values[-1]
        elif field.type == FD.TYPE_MESSAGE:
            values.add()
        else:
            values.append(_value(draw, field))
    elif field.type == FD.TYPE_MESSAGE:
        if message.HasField(field.name):
            message.ClearField(field.name)
        else:
            getattr(message, field.name).SetInParent()
    else:
        setattr(message, field.name, _value(draw, field))


def _value(draw: Any, field: Any) -> Any:
    if field.cpp_type == FD.CPPTYPE_ENUM:
        return draw(st.sampled_from((*field.enum_type.values_by_number, -1, 99)))
    return draw(st.sampled_from(_EDGES[field.cpp_type]))


def _is_map(field: Any) -> bool:
    return field.type == FD.TYPE_MESSAGE and field.message_type.GetOptions().map_entry


def _few_instances(config: Any) -> None:
    left = MOST_INSTANCES
    for index, group in enumerate(config.instance_group):
        # another number would start as many processes, or need GPUs
        group.count = min(group.count, 2)
        if group.kind == 1:
            group.kind = 2
        left -= max(group.count, 1)
        if left < 0:
            del config.instance_group[index:]
            return
