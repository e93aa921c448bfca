"""Faults of ensembles."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from tritonclient.grpc import model_config_pb2

from benchmarks.differential.fault import Fault
from benchmarks.differential.values import SUPPORT

_FP32: Final = model_config_pb2.TYPE_FP32


def _platform(draw: Any, config: Any) -> None:
    config.platform = draw(st.sampled_from(("", "python", "ensemble")))
    config.backend = draw(st.sampled_from(("python", "ensemble")))


def _section(draw: Any, config: Any) -> None:
    section = draw(st.sampled_from(("instance_group", "optimization", "model_warmup", "step")))
    if section == "step":
        config.ensemble_scheduling.ClearField("step")
    elif section == "optimization":
        config.optimization.SetInParent()
    else:
        getattr(config, section).add()


def _step(draw: Any, config: Any) -> None:
    step = config.ensemble_scheduling.step[0]
    step.ClearField(draw(st.sampled_from(("model_name", "input_map", "output_map"))))


def _version(draw: Any, config: Any) -> None:
    step = draw(st.sampled_from(list(config.ensemble_scheduling.step)))
    step.model_version = draw(st.sampled_from((0, -2)))


def _key(draw: Any, config: Any) -> None:
    step = config.ensemble_scheduling.step[0]
    mapped = draw(st.sampled_from((step.input_map, step.output_map)))
    name = next(iter(mapped))
    mapped[""] = mapped[name]
    del mapped[name]


def _graph(draw: Any, config: Any) -> None:
    fault = draw(st.sampled_from(("unused", "unread", "unwritten", "twice", "nowhere", "circle")))
    steps = config.ensemble_scheduling.step
    if fault == "unused":
        config.input.add(name="unused", data_type=_FP32, dims=[2])
    elif fault == "unread":
        steps.add().CopyFrom(steps[0])
        steps[-1].output_map["OUT"] = "read by nobody"
    elif fault == "unwritten":
        config.output.add(name="unwritten", data_type=_FP32, dims=[2])
    elif fault == "twice":
        steps.add().CopyFrom(steps[-1])
    elif fault == "nowhere":
        _call(steps, "from nowhere", "Z")
        config.output.add(name="Z", data_type=_FP32, dims=[2])
    else:
        _call(steps, "forth", "back")
        _call(steps, "back", "forth")


def _call(steps: Any, read: str, written: str) -> None:
    step = steps.add(model_name=SUPPORT, model_version=-1)
    step.input_map["IN"] = read
    step.output_map["OUT"] = written


FAULTS: Final[tuple[Fault, ...]] = (
    ("26", _platform),
    ("27", _section),
    ("28", _step),
    ("28", _graph),
    ("28", _key),
    ("step version", _version),
)
