"""Sections of ``scheduling_choice``, drawn so that they mostly hold together."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from tritonclient.grpc import model_config_pb2

from benchmarks.differential.values import (
    INT32,
    UINT32,
    UINT64,
    data_types,
    microseconds,
    names,
    shares,
    small_dims,
    sometimes,
)

_Control: Final = model_config_pb2.ModelSequenceBatching.Control
_ID_TYPES: Final = (
    model_config_pb2.TYPE_UINT64,
    model_config_pb2.TYPE_INT64,
    model_config_pb2.TYPE_UINT32,
    model_config_pb2.TYPE_INT32,
)
"""Not TYPE_STRING: it loads, and no short ID is ever accepted (docs/linter.md)."""


def preferred_sizes(draw: Any, ceiling: int) -> list[int]:
    """Sizes of a batch that fit, from the edges; rarely one above."""
    if ceiling < 1:
        return []
    fitting = sorted({1, 2, (ceiling + 1) // 2, ceiling} & set(range(1, ceiling + 1)))
    if sometimes(draw, 25):
        fitting.append(ceiling + 1)
    return list(draw(st.lists(st.sampled_from(fitting), max_size=3)))


def add_dynamic(draw: Any, config: Any) -> None:
    """A ``dynamic_batching`` with queue policies and priorities."""
    batching = config.dynamic_batching
    batching.SetInParent()
    batching.preferred_batch_size[:] = preferred_sizes(draw, config.max_batch_size)
    batching.max_queue_delay_microseconds = draw(microseconds)
    levels = draw(st.sampled_from((0, 0, 1, 2, 10, UINT64)))
    batching.priority_levels = levels
    if levels:
        batching.default_priority_level = draw(st.sampled_from((1, levels, min(levels, 2))))
    elif sometimes(draw, 5):
        batching.default_priority_level = 3
    batching.preserve_ordering = levels < 2 and sometimes(draw, 4)
    delay = not batching.preserve_ordering
    if sometimes(draw, 2):
        batching.default_queue_policy.CopyFrom(_policy(draw, delay))
    for key in draw(st.lists(st.sampled_from((1, max(levels, 1))), max_size=2)):
        batching.priority_queue_policy[key].CopyFrom(_policy(draw, delay))


def _policy(draw: Any, may_delay: bool) -> Any:
    return model_config_pb2.ModelQueuePolicy(
        timeout_action=draw(st.integers(0, 1)) if may_delay else 0,
        default_timeout_microseconds=draw(microseconds),
        allow_timeout_override=draw(st.booleans()),
        max_queue_size=draw(st.sampled_from((0, 1, 100, UINT32))),
    )


def add_sequence(draw: Any, config: Any, taken: set[str]) -> None:
    """A ``sequence_batching`` with controls and states."""
    batching = config.sequence_batching
    batching.SetInParent()
    batching.max_sequence_idle_microseconds = draw(microseconds)
    batching.iterative_sequence = sometimes(draw, 8)
    strategy = draw(st.sampled_from(("direct", "oldest", "")))
    if strategy == "direct":
        batching.direct.SetInParent()
        batching.direct.max_queue_delay_microseconds = draw(microseconds)
        batching.direct.minimum_slot_utilization = draw(shares)
    elif strategy == "oldest":
        oldest = batching.oldest
        oldest.SetInParent()
        oldest.max_candidate_sequences = draw(st.sampled_from((0, 1, 4, 64, 10_000, -1, -INT32)))
        oldest.preferred_batch_size[:] = preferred_sizes(draw, config.max_batch_size)
        oldest.max_queue_delay_microseconds = draw(microseconds)
        oldest.preserve_ordering = draw(st.booleans())
    kinds = draw(st.lists(st.sampled_from(_Control.Kind.values()), unique=True, max_size=4))
    for kind, name in zip(kinds, names(draw, len(kinds), taken), strict=False):
        entry = batching.control_input.add(name=name)
        fill_control(draw, entry.control.add(kind=kind))
    if sometimes(draw, 3):
        add_state(draw, batching, taken)


def fill_control(draw: Any, control: Any) -> None:
    """What a control of its kind needs."""
    if control.kind == _Control.CONTROL_SEQUENCE_CORRID:
        control.data_type = draw(st.sampled_from(_ID_TYPES))
        return
    field = draw(st.sampled_from(("int32_false_true", "fp32_false_true", "bool_false_true")))
    getattr(control, field).extend(draw(st.sampled_from(((0, 1), (1, 0), (1, 1)))))
    if sometimes(draw, 8):
        control.data_type = draw(data_types)


def add_state(draw: Any, batching: Any, taken: set[str]) -> Any:
    """A state, mostly with an initial one."""
    read, written = names(draw, 2, taken)
    state = batching.state.add(
        input_name=read, output_name=written, data_type=draw(data_types), dims=draw(small_dims)
    )
    state.use_same_buffer_for_input_output = sometimes(draw, 4)
    state.use_growable_memory = sometimes(draw, 6)
    if sometimes(draw, 2):
        initial = state.initial_state.add(
            name="first", data_type=state.data_type, dims=state.dims, zero_data=True
        )
        if sometimes(draw, 4):
            # a variable state begins with any fixed size
            state.dims[0] = -1
            initial.dims[0] = draw(st.sampled_from((0, 1, 7)))
    elif sometimes(draw, 3):
        state.dims[0] = -1
    return state
