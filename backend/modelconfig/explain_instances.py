"""What instance groups and the rate limiter do.

Source: core, ``model_config_utils.cc`` (``NormalizeInstanceGroup``) and ``rate_limiter.cc``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.enum_names import enum_name
from backend.modelconfig.meaning_model import KINDS
from backend.modelconfig.slots import default_count, group_count

_Group = model_config_pb2.ModelInstanceGroup


def explain_instances(config: Any) -> Iterator[str]:
    """Sentences about a configuration's instances."""
    if config.HasField("ensemble_scheduling"):
        return
    if not config.instance_group:
        yield (
            "No instance group: one model instance on each GPU where there is one, else on the "
            "CPU" + (", two there for this backend." if _two(config) else ".")
        )
    for group in config.instance_group:
        yield from _group(config, group)


def _two(config: Any) -> bool:
    return default_count(config, _Group(kind=_Group.KIND_CPU)) > 1


def _group(config: Any, group: Any) -> Iterator[str]:
    count = group_count(config, group)
    noun = "instance" if count == 1 else "instances"
    kind = enum_name(group, "kind")
    where = KINDS.get(kind, f"of the kind {kind}, which is none")
    if group.gpus:
        gpus = ", ".join(map(str, group.gpus))
        where = f"on each of the GPUs {gpus}" if len(group.gpus) > 1 else f"on GPU {gpus}"
    elif group.kind == _Group.KIND_GPU:
        where = "on each GPU of the server, which refuses the model if it has none"
    yield f"{count} model {noun} {where}; each runs one batch at a time."
    if group.passive:
        yield "A passive group executes nothing of its own accord." + (
            " A session bound to it ends the server."
            if config.HasField("sequence_batching")
            else ""
        )
    if group.profile:
        yield f"TensorRT uses the optimisation profiles {', '.join(group.profile)}."
    for device in group.secondary_devices:
        kind = enum_name(device, "kind")
        yield f"The group also uses {kind} {device.device_id}."
    if group.host_policy:
        yield f"Threads and memory follow the host policy '{group.host_policy}' of the server."
    if group.HasField("rate_limiter"):
        yield from _limiter(group.rate_limiter)


def _limiter(limiter: Any) -> Iterator[str]:
    needs = [
        f"{item.count} of {item.name}" + (" (one pool for all devices)" if is_global else "")
        for item in limiter.resources
        for is_global in (getattr(item, "global"),)
    ]
    takes = f"needs {', '.join(needs)} while it runs" if needs else "needs no resources"
    yield (
        f"Rate limiter: an instance {takes}, and has priority {limiter.priority or 1}: the larger "
        "the number, the less often it runs. Only with --rate-limit=execution_count; without that "
        "option it has no effect."
    )
