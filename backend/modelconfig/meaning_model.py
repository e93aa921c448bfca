"""What the fields outside the scheduler sections make Triton do; see ``meaning``."""

from __future__ import annotations

from typing import Any, Final

from backend.modelconfig.slots import instances, slots_per_instance

KINDS: Final = {
    "KIND_CPU": "on the CPU",
    "KIND_GPU": "on a GPU",
    "KIND_AUTO": "on a GPU where there is one, else on the CPU",
    "KIND_MODEL": "where the model itself decides",
}


def _name(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "the model's folder gives the name"
    return f"clients ask for {value}, which must be the folder's name"


def _backend(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "Triton tells the backend from the model's file"
    return f"the backend {value} runs the model"


def _batch(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "no batch dimension, each request is executed by itself"
    most = f"up to {value} requests in one execution"
    scheduler = config.WhichOneof("scheduling_choice")
    if scheduler is None:
        return f"a client may put up to {value} items into a request; none are merged"
    if scheduler == "sequence_batching" and not config.sequence_batching.HasField("oldest"):
        count, each = instances(config), slots_per_instance(config)
        return f"{most}, and {count} x {each} = {count * each} sessions at once"
    return most


def _input(config: Any, name: str, value: str | None) -> str:
    if not any(entry.name == name for entry in config.input):
        return f"clients do not send {name}"
    return "not so" if value is None else f"clients send {name} with {value}"


def _output(config: Any, name: str, value: str | None) -> str:
    if not any(entry.name == name for entry in config.output):
        return f"clients do not get {name}"
    return "not so" if value is None else f"clients get {name} with {value}"


def _ragged(config: Any, name: str, value: str | None) -> str:
    entry = next((entry for entry in config.input if entry.name == name), None)
    if entry is None:
        return f"clients do not send {name}"
    if value == "true":
        return f"requests whose {name} differs in shape may share a batch"
    if any(dim == -1 for dim in entry.dims):
        return f"only requests whose {name} has the same shape share a batch"
    return f"{name} has one shape in every request"


def _optional(config: Any, name: str, value: str | None) -> str:
    if value == "true":
        return f"clients may leave {name} out; only requests with the same inputs share a batch"
    return f"a request without {name} is refused"


def _versions(config: Any, _: str, value: str | None) -> str:
    policy = config.version_policy
    if policy.WhichOneof("policy_choice") == "all":
        return "every version is served"
    if policy.WhichOneof("policy_choice") == "specific":
        named = ", ".join(map(str, policy.specific.versions))
        return f"the versions {named} are served, no other"
    newest = max(1, policy.latest.num_versions)
    return f"the newest {newest} versions are served" if newest > 1 else "the newest version only"


def _count(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "no such group"
    where = "on each GPU" if _group(config, _).kind == _GPU else "in this group"
    return f"{value} executions at the same time {where}"


def _kind(config: Any, number: str, value: str | None) -> str:
    if value is None and int(number) >= len(config.instance_group):
        return "no such group"
    return f"instances run {KINDS.get(value or 'KIND_AUTO', str(value))}"


def _gpus(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "every GPU of the server, if the group runs on GPUs"
    return f"the GPUs {value}"


def _passive(config: Any, _: str, value: str | None) -> str:
    if value == "true":
        return "the group is not used unless the model asks; a session bound to it ends the server"
    return "the group executes requests"


def _parameter(config: Any, name: str, value: str | None) -> str:
    if value is None:
        return f"the model finds no setting {name}"
    return f"the model reads {name} = {value}"


def _file(config: Any, _: str, value: str | None) -> str:
    return "the backend's own file name" if value is None else f"{value} is loaded"


def _cache(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "the model answers every request"
    return "a request equal to an earlier one is answered from the cache, without the model"


def _decoupled(config: Any, _: str, value: str | None) -> str:
    if value == "true":
        return "a request may get several replies, or none, over a gRPC stream"
    return "a request gets one reply"


def _warm_up(config: Any, name: str, value: str | None) -> str:
    if value is None:
        return f"no sample {name} is executed at load like this"
    return f"the sample {name} is executed at load with {value}"


def _pinned(config: Any, side: str, value: str | None) -> str:
    how = "through pinned memory" if value == "true" else "without pinned memory"
    return f"{side}s are copied to and from a GPU {how}"


def _eager(config: Any, _: str, value: str | None) -> str:
    if value == "true":
        return "inputs are gathered while an instance is still busy; the batch grows no more"
    return "inputs are gathered when an instance is free"


def _priority(config: Any, _: str, value: str | None) -> str:
    return f"{value or 'PRIORITY_DEFAULT'}, of the instances' threads or GPU streams"


def _graphs(config: Any, _: str, value: str | None) -> str:
    if value == "true":
        return "CUDA graphs are recorded for batch sizes and replayed"
    return "every execution is launched step by step"


def _limits(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "not so; the instances need nothing of the rate limiter here"
    return f"{value}, which counts only if the server runs with --rate-limit=execution_count"


_GPU: Final = 1
"""``KIND_GPU`` in Triton's protocol."""


def _group(config: Any, number: str) -> Any:
    return config.instance_group[int(number)]


MEANINGS: Final = (
    (r"name", _name),
    (r"(?:backend|platform)", _backend),
    (r"max_batch_size", _batch),
    (r"input\[(.*)\]\.allow_ragged_batch", _ragged),
    (r"input\[(.*)\]\.optional", _optional),
    (r"input\[(.*?)\]\..*", _input),
    (r"output\[(.*?)\]\..*", _output),
    (r"version_policy.*", _versions),
    (r"instance_group\[(\d+)\]\.count", _count),
    (r"instance_group\[(\d+)\]\.kind", _kind),
    (r"instance_group\[(\d+)\]\.gpus", _gpus),
    (r"instance_group\[(\d+)\]\.passive", _passive),
    (r"instance_group\[(\d+)\]\.rate_limiter.*", _limits),
    (r"parameters\[(.*)\]\.string_value", _parameter),
    (r"default_model_filename", _file),
    (r"response_cache(?:\.enable)?", _cache),
    (r"model_transaction_policy\.decoupled", _decoupled),
    (r"model_warmup\[(.*?)\]\..*", _warm_up),
    (r"optimization\.(input|output)_pinned_memory(?:\.enable)?", _pinned),
    (r"optimization\.eager_batching", _eager),
    (r"optimization\.priority", _priority),
    (r"optimization\.cuda\.graphs", _graphs),
)
