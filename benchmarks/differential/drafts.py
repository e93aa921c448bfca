"""Configurations that Triton should load: every section now and then, values from their edges."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from hypothesis import strategies as st
from tritonclient.grpc import model_config_pb2

from benchmarks.differential.schedulers import add_dynamic, add_sequence
from benchmarks.differential.tensors import add_batch_tensors, add_tensors, small
from benchmarks.differential.values import (
    FOLDER,
    INT32,
    SUPPORT,
    TAG_KEYS,
    UINT32,
    batch_sizes,
    names,
    sometimes,
    texts,
)

MOST_INSTANCES: Final = 4
_Group: Final = model_config_pb2.ModelInstanceGroup
_KINDS: Final = (_Group.KIND_CPU, _Group.KIND_CPU, _Group.KIND_MODEL, _Group.KIND_AUTO)


@st.composite
def drafts(draw: Any) -> Any:
    """A ``ModelConfig`` for a Python model that does nothing."""
    config = model_config_pb2.ModelConfig()
    taken: set[str] = set()
    if draw(st.booleans()):
        config.name = FOLDER
    config.backend = "python"
    if sometimes(draw, 15):
        config.platform = draw(st.sampled_from(("python", "onnxruntime_onnx", "of our own")))
    config.max_batch_size = draw(batch_sizes)
    add_tensors(draw, config, taken)
    scheduler = draw(st.sampled_from(("", "dynamic", "dynamic", "sequence", "sequence")))
    if scheduler == "dynamic":
        add_dynamic(draw, config)
    elif scheduler == "sequence":
        add_sequence(draw, config, taken)
    elif sometimes(draw, 10):
        config.max_batch_size = INT32
    if sometimes(draw, 6):
        config.model_transaction_policy.decoupled = True
    _add_groups(draw, config)
    for add in draw(st.lists(st.sampled_from(_EXTRAS), max_size=3, unique=True)):
        add(draw, config)
    if sometimes(draw, 6):
        add_batch_tensors(draw, config, taken)
    if sometimes(draw, 6):
        add_warm_up(draw, config)
    return config


def _add_groups(draw: Any, config: Any) -> None:
    left = MOST_INSTANCES
    for number in range(draw(st.sampled_from((1, 1, 2, 0)))):
        group = config.instance_group.add(kind=draw(st.sampled_from(_KINDS)))
        group.count = draw(st.sampled_from((1, 1, 2, 0, -1)))
        left -= max(group.count, 1)
        if left < 0:
            del config.instance_group[-1]
            return
        if sometimes(draw, 4):
            group.name = draw(st.sampled_from(("g", f"{FOLDER}_{number}", "a/b", "é")))
        if sometimes(draw, 8):
            group.passive = not config.HasField("sequence_batching")
        if sometimes(draw, 8):
            group.host_policy = draw(texts)
        if sometimes(draw, 8):
            group.secondary_devices.add(device_id=draw(st.sampled_from((0, -1, 7))))
        if sometimes(draw, 5):
            group.rate_limiter.priority = draw(st.sampled_from((0, 1, UINT32)))
            for shared in draw(st.lists(st.booleans(), max_size=2)):
                group.rate_limiter.resources.add(
                    name=draw(st.sampled_from(("R", ""))),
                    count=draw(st.sampled_from((1, 0, UINT32))),
                    **{"global": shared},
                )


def add_warm_up(draw: Any, config: Any) -> Any:
    """A warm-up sample that the model can take; null where there is no telling."""
    twice = len({tensor.name for tensor in config.input}) < len(config.input)
    if (
        not config.input
        or twice
        or not small(config.input)
        # what a decoupled model may answer is its own affair
        or config.model_transaction_policy.decoupled
        or config.batch_input
        or config.batch_output
    ):
        return None
    sample = config.model_warmup.add(name=draw(texts), count=draw(st.sampled_from((0, 1, 2))))
    sample.batch_size = draw(st.sampled_from((1, 0, min(max(config.max_batch_size, 1), 4))))
    for tensor in config.input:
        if tensor.optional and tensor is not config.input[0]:
            continue
        given = sample.inputs[tensor.name]
        given.data_type = tensor.data_type
        given.dims[:] = [2 if dim == -1 else dim for dim in tensor.dims]
        kind = draw(st.sampled_from(("zero_data", "random_data")))
        setattr(given, kind, draw(st.booleans()))
    return sample


def _version_policy(draw: Any, config: Any) -> None:
    policy = config.version_policy
    policy.SetInParent()
    choice = draw(st.sampled_from(("latest", "all", "specific", "")))
    if choice == "latest":
        policy.latest.num_versions = draw(st.sampled_from((1, 2, UINT32)))
    elif choice == "all":
        policy.all.SetInParent()
    elif choice == "specific":
        policy.specific.versions[:] = draw(st.sampled_from(([1], [1, 1], [2, 1], [-1, 0, 1])))


def _optimization(draw: Any, config: Any) -> None:
    policy = config.optimization
    policy.SetInParent()
    policy.priority = draw(st.integers(0, 2))
    policy.eager_batching = draw(st.booleans())
    policy.gather_kernel_buffer_threshold = draw(st.sampled_from((0, UINT32)))
    if sometimes(draw, 2):
        policy.graph.level = draw(st.sampled_from((-1, 0, 1, INT32)))
        policy.input_pinned_memory.enable = draw(st.booleans())
    if sometimes(draw, 2):
        policy.cuda.graphs = draw(st.booleans())
        spec = policy.cuda.graph_spec.add(batch_size=draw(st.sampled_from((-1, 0, 1))))
        spec.input["x"].dim.extend(draw(st.sampled_from(([], [0], [1, -1]))))
        policy.execution_accelerators.cpu_execution_accelerator.add(name=draw(texts))


def _metric_tags(draw: Any, config: Any) -> None:
    for key in draw(st.lists(st.sampled_from(TAG_KEYS), max_size=2)):
        config.metric_tags[key] = draw(texts)


def _parameters(draw: Any, config: Any) -> None:
    for key in draw(st.lists(texts, max_size=3)):
        config.parameters[key].string_value = draw(texts)
    if sometimes(draw, 3):
        config.parameters["FORCE_CPU_ONLY_INPUT_TENSORS"].string_value = draw(
            st.sampled_from(("yes", "no"))
        )


def _cache(draw: Any, config: Any) -> None:
    possible = not (
        config.HasField("sequence_batching") or config.model_transaction_policy.decoupled
    )
    config.response_cache.enable = possible and draw(st.booleans())


def _files(draw: Any, config: Any) -> None:
    config.default_model_filename = draw(st.sampled_from(("model.py", "", "../1/model.py")))
    config.cc_model_filenames[draw(texts)] = draw(texts)
    if draw(st.booleans()):
        config.model_operations.op_library_filename.append(draw(texts))


_EXTRAS: Final = (_version_policy, _optimization, _metric_tags, _parameters, _cache, _files)


@st.composite
def ensembles(draw: Any) -> Any:
    """An ensemble: one to three calls of the model beside it, in a row."""
    config = model_config_pb2.ModelConfig(platform="ensemble")
    config.max_batch_size = draw(st.sampled_from((4, 1, 0, 3)))
    steps = draw(st.sampled_from((1, 2, 3)))
    line = names(draw, steps + 1, set())
    dims = draw(st.sampled_from(([2], [-1])))
    fp32 = model_config_pb2.TYPE_FP32
    config.input.add(name=line[0], data_type=fp32, dims=dims)
    config.output.add(name=line[-1], data_type=fp32, dims=dims)
    for read, written in pairwise(line):
        step = config.ensemble_scheduling.step.add(
            model_name=SUPPORT, model_version=draw(st.sampled_from((-1, 1)))
        )
        step.input_map["IN"] = read
        step.output_map["OUT"] = written
    if sometimes(draw, 3) and len(line) > 2:
        config.output.add(name=line[1], data_type=fp32, dims=dims)
    if sometimes(draw, 5):
        config.response_cache.enable = True
    if sometimes(draw, 4):
        _parameters(draw, config)
    return config
