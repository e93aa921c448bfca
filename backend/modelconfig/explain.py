"""What a configuration makes Triton do, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.effective import DEFAULT_IDLE_MICROSECONDS

_Control = model_config_pb2.ModelSequenceBatching.Control
_Group = model_config_pb2.ModelInstanceGroup

_KINDS: Final = {
    "KIND_CPU": "on the CPU",
    "KIND_GPU": "on a GPU",
    "KIND_AUTO": "on a GPU where there is one, else on the CPU",
    "KIND_MODEL": "where the model itself decides",
}
_CONTROLS: Final = {
    "CONTROL_SEQUENCE_START": "whether a request begins its session",
    "CONTROL_SEQUENCE_END": "whether it ends it",
    "CONTROL_SEQUENCE_READY": "whether it is a request at all, not padding",
    "CONTROL_SEQUENCE_CORRID": "which session it belongs to",
}


def explain(config: Any) -> tuple[str, ...]:
    """What Triton does with the model's requests, most important first."""
    return (*_scheduler(config), *_instances(config), *_others(config))


def milliseconds(microseconds: int) -> str:
    """A time as people read it: ``250 µs``, ``20 ms``, ``60 s``."""
    if microseconds < 1000:
        return f"{microseconds} µs"
    if microseconds < 1_000_000:
        return f"{microseconds / 1000:g} ms"
    return f"{microseconds / 1_000_000:g} s"


def _scheduler(config: Any) -> Iterator[str]:
    if config.HasField("dynamic_batching"):
        yield from _dynamic(config)
    elif config.HasField("sequence_batching"):
        yield from _sequence(config)
    elif config.HasField("ensemble_scheduling"):
        yield "An ensemble: requests pass through other models, each with its own scheduler."
    else:
        yield (
            "No scheduler section: Triton executes each request by itself, in order of arrival, on "
            "any idle instance."
        )
        if config.backend in ("onnxruntime", "tensorrt") and config.max_batch_size > 1:
            yield (
                "This backend may add dynamic_batching by itself when it loads the model: read the "
                "effective configuration back."
            )


def _dynamic(config: Any) -> Iterator[str]:
    batching = config.dynamic_batching
    if config.max_batch_size < 2:
        yield (
            f"The dynamic batcher, but max_batch_size is {config.max_batch_size}: every request is "
            "executed alone and at once."
        )
        return
    sizes = list(batching.preferred_batch_size) or [config.max_batch_size]
    yield (
        "The dynamic batcher: requests that wait are merged, whichever session they belong to, "
        f"into batches of up to {config.max_batch_size}, and run on any idle instance. "
        "Correlation IDs and START and END flags have no effect here."
    )
    yield from _waiting(batching.max_queue_delay_microseconds, sizes, config.max_batch_size)
    policy = batching.default_queue_policy
    if batching.priority_levels or policy.ListFields():
        yield (
            "A queue policy or priorities are set: Triton then prepares no batch ahead, and a "
            "handover may wait up to 500 ms when nothing else arrives (seen on 24.10)."
        )


def _waiting(delay: int, sizes: list[int], ceiling: int) -> Iterator[str]:
    shown = ", ".join(str(size) for size in sizes)
    if delay:
        yield (
            f"A request waits up to {milliseconds(delay)} for others, until {shown} have gathered, "
            "even if an instance is idle."
        )
    else:
        yield "No request waits for others on purpose; batches form while instances are busy."
        if max(sizes) < ceiling or len(sizes) > 1:
            yield (
                f"While an instance is busy, a waiting batch stops growing at {min(sizes)}, the "
                "smallest preferred size it reaches."
            )


def _sequence(config: Any) -> Iterator[str]:
    batching = config.sequence_batching
    oldest = batching.HasField("oldest")
    ceiling = max(1, config.max_batch_size)
    instances = sum(group.count or 1 for group in config.instance_group) or 1
    each = (batching.oldest.max_candidate_sequences or ceiling) if oldest else ceiling
    yield (
        "The sequence batcher: a session keeps one instance from START to END, and its requests "
        "run one at a time, in order."
    )
    if oldest:
        yield (
            "Strategy oldest: the requests that have waited longest form a batch of up to "
            f"{ceiling}; a session's position in it changes. The model has to find its state by "
            "correlation ID."
        )
    else:
        yield (
            "Strategy direct: a session keeps its slot, the same position in every batch; silent "
            "slots below the highest ready one are padded. The model may find its state by "
            "position."
        )
    yield (
        f"{instances} x {each} = {instances * each} sessions can be live at once; a further one "
        "waits until a slot is free."
    )
    if oldest:
        sizes = list(batching.oldest.preferred_batch_size) or [ceiling]
        yield from _waiting(batching.oldest.max_queue_delay_microseconds, sizes, ceiling)
    else:
        yield from _direct_waiting(batching.direct)
    idle = batching.max_sequence_idle_microseconds or DEFAULT_IDLE_MICROSECONDS
    yield (
        f"A session from which nothing arrives for {milliseconds(idle)} is forgotten, also while "
        "its last request is still being served; its next request is refused. The model is not "
        "told."
    )
    yield from _controls(batching)


def _direct_waiting(direct: Any) -> Iterator[str]:
    delay, share = direct.max_queue_delay_microseconds, direct.minimum_slot_utilization
    if delay and share:
        yield (
            f"A batch waits up to {milliseconds(delay)} until {share:.0%} of the slots have a "
            "request."
        )
    elif delay or share:
        yield (
            "The queue delay has no effect: direct waits only if max_queue_delay_microseconds and "
            "minimum_slot_utilization are both above 0."
        )
    else:
        yield "No request waits for others on purpose; batches form while instances are busy."


def _controls(batching: Any) -> Iterator[str]:
    told = [
        f"{entry.name} ({_CONTROLS[_Control.Kind.Name(control.kind)]})"
        for entry in batching.control_input
        for control in entry.control
    ]
    if told:
        yield f"With each request the model gets: {', '.join(told)}. Clients do not send these."
    else:
        yield "The model is told nothing of sessions in its inputs."


def _instances(config: Any) -> Iterator[str]:
    for group in config.instance_group:
        count = group.count or 1
        noun = "instance" if count == 1 else "instances"
        where = _KINDS[_Group.Kind.Name(group.kind)]
        yield f"{count} model {noun} {where}; each runs one batch at a time."


def _others(config: Any) -> Iterator[str]:
    if config.max_batch_size == 0:
        yield "max_batch_size is 0: tensors have no batch dimension and nothing is batched."
    if config.response_cache.enable:
        yield "Answers to equal requests may come from a cache, without the model."
    if config.model_transaction_policy.decoupled:
        yield "A request may get several answers, or none (decoupled)."
    if config.parameters:
        listed = ", ".join(
            f"{name} = {config.parameters[name].string_value}" for name in sorted(config.parameters)
        )
        yield f"The model reads these settings: {listed}."
