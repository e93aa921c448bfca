"""Faults of a model as a whole, of its tensors and of its instances."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from tritonclient.grpc import model_config_pb2

from benchmarks.differential.fault import Fault
from benchmarks.differential.values import INT32, INT64

_FP32: Final = model_config_pb2.TYPE_FP32
_Group: Final = model_config_pb2.ModelInstanceGroup


def _negative_batch(draw: Any, config: Any) -> None:
    config.max_batch_size = draw(st.sampled_from((-1, -2, -INT32 - 1)))


def _platform_ensemble(draw: Any, config: Any) -> None:
    config.platform = "ensemble"
    config.backend = ""


def _platform_unknown(draw: Any, config: Any) -> None:
    config.backend = ""
    config.platform = draw(st.sampled_from(("python", "custom", "onnx", "Ensemble")))


def _other_name(draw: Any, config: Any) -> None:
    config.name = draw(st.sampled_from(("other", "THE_MODEL", " ", "é")))


def _tensor(draw: Any, config: Any) -> Any:
    tensors = draw(st.sampled_from((config.input, config.output)))
    if not tensors:
        tensors.add(name="T", data_type=_FP32, dims=[1])
    tensor = draw(st.sampled_from(list(tensors)))
    tensor.ClearField("reshape")
    return tensor


def _tensor_nameless(draw: Any, config: Any) -> None:
    _tensor(draw, config).name = ""


def _tensor_typeless(draw: Any, config: Any) -> None:
    _tensor(draw, config).data_type = 0


def _tensor_without_dims(draw: Any, config: Any) -> None:
    _tensor(draw, config).ClearField("dims")


def _tensor_dim(draw: Any, config: Any) -> None:
    dims = draw(st.sampled_from(([0], [1, -2], [-INT64, 1], [3, 0, 3])))
    _tensor(draw, config).dims[:] = dims


def _reshape_to_nothing(draw: Any, config: Any) -> None:
    config.ClearField("dynamic_batching")
    config.ClearField("sequence_batching")
    config.max_batch_size = 0
    tensor = _tensor(draw, config)
    tensor.dims[:] = draw(st.sampled_from(([1], [2])))
    tensor.reshape.SetInParent()


def _reshape(draw: Any, config: Any) -> None:
    config.max_batch_size = max(config.max_batch_size, 1)
    tensor = _tensor(draw, config)
    given, shape = draw(st.sampled_from((
        ([4], [3]), ([2], []), ([-1], [4]), ([4], [-1]), ([2, -1, 3], [6, -1]), ([-1, -1], [-1]),
        ([1], [0]), ([1], [1, -2]), ([-1], [2, -1]),
    )))  # fmt: skip
    tensor.dims[:] = given
    tensor.reshape.shape[:] = shape


def _shape_tensor(draw: Any, config: Any) -> None:
    _tensor(draw, config).is_shape_tensor = True


def _non_linear(draw: Any, config: Any) -> None:
    _tensor(draw, config).is_non_linear_format_io = True


def _image_rank(draw: Any, config: Any) -> None:
    if not config.input:
        config.input.add(name="T", data_type=_FP32)
    tensor = draw(st.sampled_from(list(config.input)))
    tensor.ClearField("reshape")
    tensor.format = draw(st.sampled_from((1, 2)))
    tensor.dims[:] = draw(st.sampled_from(([3], [8, 8], [1, 8, 8, 3])))


def _batch_input(draw: Any, config: Any) -> Any:
    if not config.input:
        config.input.add(name="T", data_type=_FP32, dims=[1])
    kind = draw(st.sampled_from(model_config_pb2.BatchInput.Kind.values()))
    source = config.input[0].name
    return config.batch_input.add(
        kind=kind, target_name=["EXTRA"], data_type=_FP32, source_input=[source]
    )


def _batch_input_count(draw: Any, config: Any) -> None:
    entry = _batch_input(draw, config)
    entry.source_input[:] = draw(st.sampled_from(([], [*entry.source_input] * 2)))


def _batch_input_type(draw: Any, config: Any) -> None:
    wrong = (0, model_config_pb2.TYPE_INT64, model_config_pb2.TYPE_STRING)
    _batch_input(draw, config).data_type = draw(st.sampled_from(wrong))


def _batch_input_unknown(draw: Any, config: Any) -> None:
    _batch_input(draw, config).source_input[:] = ["nowhere"]


def _batch_output(draw: Any, config: Any) -> None:
    entry = config.batch_output.add(target_name=["nowhere"], source_input=["nowhere"])
    fault = draw(st.sampled_from(("unknown", "count", "no target")))
    if config.output and fault != "unknown":
        entry.target_name[:] = [config.output[0].name] if fault == "count" else []
    if config.input and fault == "no target":
        entry.source_input[:] = [config.input[0].name]


def _cpu_with_gpus(draw: Any, config: Any) -> None:
    del config.instance_group[:]
    kind = draw(st.sampled_from((_Group.KIND_CPU, _Group.KIND_MODEL)))
    config.instance_group.add(kind=kind, gpus=draw(st.sampled_from(([0], [1, 2], [-1]))))


def _kind_by_number(draw: Any, config: Any) -> None:
    del config.instance_group[:]
    config.instance_group.add(kind=draw(st.sampled_from((4, -1, 99))))


def _profile(draw: Any, config: Any) -> None:
    if not config.instance_group:
        config.instance_group.add(kind=_Group.KIND_CPU)
    config.instance_group[0].profile[:] = draw(st.sampled_from((["0"], ["x"], ["0", "1"])))


def _name_in_shell(draw: Any, config: Any) -> None:
    if not config.instance_group:
        config.instance_group.add(kind=_Group.KIND_CPU)
    names = ("a b", "a;true", "a&b", "(a)", "#a", "a{1,2}", "a ", "a'b", "a|b")
    config.instance_group[0].name = draw(st.sampled_from(names))


def _version_policy(draw: Any, config: Any) -> None:
    if draw(st.booleans()):
        config.version_policy.latest.num_versions = 0
        config.version_policy.latest.SetInParent()
    else:
        config.version_policy.specific.ClearField("versions")
        config.version_policy.specific.SetInParent()


def _metric_tag(draw: Any, config: Any) -> None:
    key = draw(st.sampled_from(("a b", "_", "a:b", "a-b", "é", "__", "a.b")))
    config.metric_tags[key] = "x"


def _no_agents(draw: Any, config: Any) -> None:
    config.model_repository_agents.SetInParent()


def _cpu_only(draw: Any, config: Any) -> None:
    config.parameters["FORCE_CPU_ONLY_INPUT_TENSORS"].string_value = draw(
        st.sampled_from(("", "true", "Yes"))
    )


def _gpu_below_0(draw: Any, config: Any) -> None:
    config.ClearField("instance_group")
    config.instance_group.add(gpus=[draw(st.sampled_from((-1, -INT32 - 1)))])


def _python_file(draw: Any, config: Any) -> None:
    # files that are there, so that only their names are wrong
    names = ("./model.py", "../1/./model.py", ".", "..")
    config.default_model_filename = draw(st.sampled_from(names))


def _library_path(draw: Any, config: Any) -> None:
    if config.HasField("sequence_batching"):
        config.ClearField("sequence_batching")
    config.parameters["TRITON_BATCH_STRATEGY_PATH"].SetInParent()


def _nameless_agent(draw: Any, config: Any) -> None:
    config.model_repository_agents.agents.add()


FAULTS: Final[tuple[Fault, ...]] = (
    ("6", _negative_batch),
    ("26", _platform_ensemble),
    ("29", _platform_unknown),
    ("30", _other_name),
    ("31", _tensor_nameless),
    ("31", _tensor_typeless),
    ("31", _tensor_without_dims),
    ("31", _tensor_dim),
    ("32", _reshape_to_nothing),
    ("32", _reshape),
    ("33", _shape_tensor),
    ("33", _non_linear),
    ("34", _batch_input_count),
    ("34", _batch_input_type),
    ("34", _batch_input_unknown),
    ("36", _cpu_with_gpus),
    ("38", _profile),
    ("batch output", _batch_output),
    ("image format", _image_rank),
    ("group kind", _kind_by_number),
    ("name in shell", _name_in_shell),
    ("version policy", _version_policy),
    ("metric tag", _metric_tag),
    ("no agents", _no_agents),
    ("cpu only", _cpu_only),
    ("36", _gpu_below_0),
    ("python file", _python_file),
    ("library path", _library_path),
    ("no agents", _nameless_agent),
)
