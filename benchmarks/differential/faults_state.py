"""Faults of implicit state and of warm-up samples."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from tritonclient.grpc import model_config_pb2

from benchmarks.differential.fault import Fault
from benchmarks.differential.faults_scheduling import sequence_section

_FP32: Final = model_config_pb2.TYPE_FP32


def _state(draw: Any, config: Any) -> Any:
    state = sequence_section(config).state.add(
        input_name="S", output_name="S2", data_type=_FP32, dims=draw(st.sampled_from(([1], [2, 3])))
    )
    state.initial_state.add(name="first", data_type=_FP32, dims=state.dims, zero_data=True)
    return state


def _two_initial(draw: Any, config: Any) -> None:
    state = _state(draw, config)
    state.initial_state.add().CopyFrom(state.initial_state[0])


def _initial_type(draw: Any, config: Any) -> None:
    wrong = (0, model_config_pb2.TYPE_FP16, model_config_pb2.TYPE_STRING)
    _state(draw, config).initial_state[0].data_type = draw(st.sampled_from(wrong))


def _initial_nameless(draw: Any, config: Any) -> None:
    _state(draw, config).initial_state[0].name = ""


def _initial_rank(draw: Any, config: Any) -> None:
    _state(draw, config).initial_state[0].dims.append(1)


def _initial_variable(draw: Any, config: Any) -> None:
    state = _state(draw, config)
    if draw(st.booleans()):
        state.dims[0] = -1
    state.initial_state[0].dims[0] = draw(st.sampled_from((-1, -2)))


def _initial_dim(draw: Any, config: Any) -> None:
    _state(draw, config).initial_state[0].dims[0] += draw(st.sampled_from((1, 100)))


def _initial_without_data(draw: Any, config: Any) -> None:
    _state(draw, config).initial_state[0].ClearField("zero_data")


def _state_twice(draw: Any, config: Any) -> None:
    config.sequence_batching.state.add().CopyFrom(_state(draw, config))


def _warm_up(config: Any) -> Any:
    for field in ("input", "batch_input", "batch_output", "model_warmup"):
        config.ClearField(field)
    config.model_transaction_policy.decoupled = False
    config.input.add(name="W", data_type=_FP32, dims=[-1])
    sample = config.model_warmup.add(name="w", batch_size=1)
    sample.inputs["W"].data_type = _FP32
    sample.inputs["W"].dims.append(2)
    sample.inputs["W"].zero_data = True
    return sample


def _warm_up_variable(draw: Any, config: Any) -> None:
    _warm_up(config).inputs["W"].dims[0] = -1


def _warm_up_input(draw: Any, config: Any) -> None:
    sample = _warm_up(config)
    given = sample.inputs["W"]
    fault = draw(st.sampled_from(("type", "rank", "data", "absent", "batch")))
    if fault == "type":
        given.data_type = draw(st.sampled_from((0, model_config_pb2.TYPE_STRING, 99)))
    elif fault == "rank":
        given.dims.append(1)
    elif fault == "data":
        given.ClearField("zero_data")
    elif fault == "absent":
        del sample.inputs["W"]
    else:
        sample.batch_size = max(config.max_batch_size, 1) + draw(st.sampled_from((1, 5)))


def _no_memory(draw: Any, config: Any) -> None:
    many = draw(st.sampled_from((2**40, 2**50)))
    if draw(st.booleans()):
        _warm_up(config).inputs["W"].dims[0] = many
    else:
        state = _state(draw, config)
        state.dims[0] = state.initial_state[0].dims[0] = many


FAULTS: Final[tuple[Fault, ...]] = (
    ("40", _two_initial),
    ("41", _initial_type),
    ("41", _initial_nameless),
    ("41", _initial_rank),
    ("41", _initial_variable),
    ("41", _initial_dim),
    ("42", _initial_without_data),
    ("42", _state_twice),
    ("44", _warm_up_variable),
    ("44", _warm_up_input),
    ("died", _no_memory),
)
