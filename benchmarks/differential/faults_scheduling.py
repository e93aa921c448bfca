"""Faults of ``dynamic_batching`` and ``sequence_batching``."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from tritonclient.grpc import model_config_pb2

from benchmarks.differential.fault import Fault
from benchmarks.differential.schedulers import fill_control
from benchmarks.differential.values import INT32, UINT64

_Control: Final = model_config_pb2.ModelSequenceBatching.Control
_START: Final = _Control.CONTROL_SEQUENCE_START
_CORRID: Final = _Control.CONTROL_SEQUENCE_CORRID
_FLAGS: Final = ("int32_false_true", "fp32_false_true", "bool_false_true")
_DELAY: Final = model_config_pb2.ModelQueuePolicy.DELAY


def _dynamic(config: Any) -> Any:
    config.ClearField("sequence_batching")
    config.ClearField("dynamic_batching")
    config.dynamic_batching.SetInParent()
    return config.dynamic_batching


def _preferred_low(draw: Any, config: Any) -> None:
    _dynamic(config).preferred_batch_size[:] = draw(st.sampled_from(([0], [-1], [0, 1], [-INT32])))


def _preferred_high(draw: Any, config: Any) -> None:
    config.ClearField("model_warmup")
    config.max_batch_size = draw(st.sampled_from((0, 1, 4)))
    above = draw(st.sampled_from((config.max_batch_size + 1, INT32)))
    _dynamic(config).preferred_batch_size[:] = [above]


def _default_level(draw: Any, config: Any) -> None:
    batching = _dynamic(config)
    batching.priority_levels = draw(st.sampled_from((1, 2, 10)))
    batching.default_priority_level = draw(
        st.sampled_from((0, batching.priority_levels + 1, UINT64))
    )


def _policy_level(draw: Any, config: Any) -> None:
    batching = _dynamic(config)
    batching.priority_levels = draw(st.sampled_from((1, 2, 10)))
    batching.default_priority_level = 1
    key = draw(st.sampled_from((0, batching.priority_levels + 1, UINT64)))
    batching.priority_queue_policy[key].max_queue_size = 1


def _ordered_levels(draw: Any, config: Any) -> None:
    batching = _dynamic(config)
    batching.preserve_ordering = True
    batching.priority_levels = draw(st.sampled_from((2, 10, UINT64)))
    batching.default_priority_level = 1


def _ordered(draw: Any, config: Any) -> Any:
    batching = _dynamic(config)
    batching.preserve_ordering = True
    batching.priority_levels = draw(st.sampled_from((0, 1)))
    batching.default_priority_level = 1
    return batching


def _ordered_delay(draw: Any, config: Any) -> None:
    policy = _ordered(draw, config).default_queue_policy
    policy.timeout_action = _DELAY
    policy.default_timeout_microseconds = draw(st.sampled_from((1, UINT64)))


def _ordered_level_delay(draw: Any, config: Any) -> None:
    policy = _ordered(draw, config).priority_queue_policy[1]
    policy.timeout_action = _DELAY
    policy.default_timeout_microseconds = draw(st.sampled_from((1, UINT64)))


def sequence_section(config: Any) -> Any:
    """A new, empty ``sequence_batching``, and nothing that does not go with it."""
    config.ClearField("dynamic_batching")
    config.ClearField("sequence_batching")
    config.sequence_batching.SetInParent()
    config.response_cache.enable = False
    for group in config.instance_group:
        group.passive = False
    return config.sequence_batching


def _cache_sequence(draw: Any, config: Any) -> None:
    sequence_section(config)
    config.response_cache.enable = True


def _cache_decoupled(draw: Any, config: Any) -> None:
    config.ClearField("sequence_batching")
    config.response_cache.enable = True
    config.model_transaction_policy.decoupled = True


def _controls(draw: Any, config: Any, count: int) -> list[Any]:
    """Controls of different kinds that would be right."""
    batching = sequence_section(config)
    found = []
    for kind in draw(st.permutations(_Control.Kind.values()))[:count]:
        entry = batching.control_input.add(name=f"CONTROL_{kind}")
        fill_control(draw, entry.control.add(kind=kind))
        found.append(entry)
    return found


def _control_nameless(draw: Any, config: Any) -> None:
    draw(st.sampled_from(_controls(draw, config, 3))).name = ""


def _control_name_twice(draw: Any, config: Any) -> None:
    first, *_, last = _controls(draw, config, draw(st.sampled_from((2, 4))))
    last.name = first.name


def _control_kind_twice(draw: Any, config: Any) -> None:
    (first,) = _controls(draw, config, 1)
    again = config.sequence_batching.control_input.add(name="AGAIN")
    fill_control(draw, again.control.add(kind=first.control[0].kind))


def _flag(draw: Any, config: Any) -> Any:
    entry = sequence_section(config).control_input.add(name="FLAG")
    return entry.control.add(kind=draw(st.sampled_from((_START, 1, 2))))


def _flag_without_values(draw: Any, config: Any) -> None:
    _flag(draw, config)


def _flag_with_two_types(draw: Any, config: Any) -> None:
    control = _flag(draw, config)
    for field in draw(st.permutations(_FLAGS))[: draw(st.sampled_from((2, 3)))]:
        getattr(control, field).extend([0, 1])


def _flag_with_wrong_length(draw: Any, config: Any) -> None:
    values = draw(st.sampled_from(([0], [0, 1, 1], [1, 0, 1, 0])))
    getattr(_flag(draw, config), draw(st.sampled_from(_FLAGS))).extend(values)


def _id_control(config: Any) -> Any:
    return sequence_section(config).control_input.add(name="ID").control.add(kind=_CORRID)


def _id_with_flag(draw: Any, config: Any) -> None:
    control = _id_control(config)
    control.data_type = model_config_pb2.TYPE_UINT64
    getattr(control, draw(st.sampled_from(_FLAGS))).extend([0, 1])


def _id_of_wrong_type(draw: Any, config: Any) -> None:
    wrong = (0, model_config_pb2.TYPE_FP32, model_config_pb2.TYPE_UINT8, model_config_pb2.TYPE_BOOL)
    _id_control(config).data_type = draw(st.sampled_from(wrong))


def _oldest_preferred_low(draw: Any, config: Any) -> None:
    sizes = draw(st.sampled_from(([0], [-1], [-INT32])))
    sequence_section(config).oldest.preferred_batch_size[:] = sizes


def _oldest_preferred_high(draw: Any, config: Any) -> None:
    config.ClearField("model_warmup")
    config.max_batch_size = draw(st.sampled_from((0, 1, 4)))
    above = draw(st.sampled_from((config.max_batch_size + 1, INT32)))
    sequence_section(config).oldest.preferred_batch_size[:] = [above]


def _slot_share(draw: Any, config: Any) -> None:
    wrong = (-0.5, 1.5, -1e-30, 1.0 + 2**-23, float("inf"), float("-inf"), 1e38)
    sequence_section(config).direct.minimum_slot_utilization = draw(st.sampled_from(wrong))


def _batching_library(draw: Any, config: Any) -> None:
    sequence_section(config)
    config.parameters["TRITON_BATCH_STRATEGY_PATH"].string_value = draw(
        st.sampled_from(("x.so", "", "1/model.py"))
    )


def _too_many_slots(draw: Any, config: Any) -> None:
    if draw(st.booleans()):
        config.max_batch_size = INT32
        sequence_section(config)
    else:
        sequence_section(config).oldest.max_candidate_sequences = INT32


FAULTS: Final[tuple[Fault, ...]] = (
    ("7", _preferred_low),
    ("8", _preferred_high),
    ("9", _default_level),
    ("10", _policy_level),
    ("11", _ordered_levels),
    ("12", _ordered_delay),
    ("13", _ordered_level_delay),
    ("14", _cache_sequence),
    ("15", _cache_decoupled),
    ("16", _control_nameless),
    ("17", _control_name_twice),
    ("18", _control_kind_twice),
    ("19", _flag_without_values),
    ("20", _flag_with_two_types),
    ("21", _flag_with_wrong_length),
    ("22", _id_with_flag),
    ("23", _id_of_wrong_type),
    ("24", _oldest_preferred_low),
    ("24", _oldest_preferred_high),
    ("25", _slot_share),
    ("39", _batching_library),
    ("too many slots", _too_many_slots),
)
