"""What the sections around the schedulers do: versions, warm-up, cache, replies, optimisation.

Source: Triton server, ``docs/user_guide/model_configuration.md``, ``optimization.md``,
``response_cache.md`` and ``decoupled_models.md``; core, ``backend_model_instance.cc``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

_PRIORITIES: Final = {1: "higher", 2: "lower"}
"""By ``ModelOptimizationPolicy.ModelPriority``."""


def explain_model(config: Any) -> Iterator[str]:
    """Sentences about everything but scheduling, instances and tensors."""
    yield from _versions(config)
    yield from _warm_up(config)
    if config.response_cache.enable:
        yield (
            "Answers to equal requests may come from a cache, without the model and without a "
            "queue, if the server runs with one (--cache-config)."
        )
    if config.model_transaction_policy.decoupled:
        yield from _decoupled(config)
    if config.HasField("optimization"):
        yield from _optimization(config.optimization)
    if config.default_model_filename:
        yield f"The file {config.default_model_filename} of the version's folder is loaded."
    for capability in sorted(config.cc_model_filenames):
        name = config.cc_model_filenames[capability]
        yield f"On GPUs of compute capability {capability} the file {name} is loaded."
    if config.model_operations.op_library_filename:
        files = ", ".join(config.model_operations.op_library_filename)
        yield f"Libraries of custom operations are loaded first: {files}."
    for agent in config.model_repository_agents.agents:
        yield f"The repository agent '{agent.name}' sees the model before it is loaded."
    if config.metric_tags:
        tags = ", ".join(f"{key} = {config.metric_tags[key]}" for key in sorted(config.metric_tags))
        yield f"Metrics of the model carry the tags {tags}."
    for metric in config.model_metrics.metric_control:
        buckets = ", ".join(f"{bound:g}" for bound in metric.histogram_options.buckets)
        yield f"The metric {metric.metric_identifier.family} counts in the buckets {buckets}."
    if config.parameters:
        listed = ", ".join(
            f"{name} = {config.parameters[name].string_value}" for name in sorted(config.parameters)
        )
        yield f"The model reads these settings: {listed}."


def _versions(config: Any) -> Iterator[str]:
    policy = config.version_policy
    chosen = policy.WhichOneof("policy_choice")
    if chosen == "all":
        yield "Every version folder is served at the same time, each with its own instances."
    elif chosen == "specific":
        versions = ", ".join(map(str, policy.specific.versions))
        yield (
            f"The versions {versions} are served, no other; a request without one gets the newest."
        )
    elif chosen == "latest" and policy.latest.num_versions > 1:
        yield (
            f"The newest {policy.latest.num_versions} versions are served at the same time, each "
            "with its own instances; a request without a version gets the newest."
        )
    else:
        yield "Only the newest version is served."


def _warm_up(config: Any) -> Iterator[str]:
    for sample in config.model_warmup:
        if not sample.batch_size:
            yield f"The warm-up sample '{sample.name}' has batch size 0 and is passed over."
            continue
        times = f", {sample.count} times" if sample.count > 1 else ""
        kinds = {entry.WhichOneof("input_data_type") for entry in sample.inputs.values()}
        data = " and ".join(
            sorted({"zero_data": "zeros", "random_data": "random values"}.get(kind or "", "a file")
                   for kind in kinds)
        )  # fmt: skip
        yield (
            f"Before the model is ready each instance executes {sample.batch_size} "
            f"{'request' if sample.batch_size == 1 else 'requests'} of {data or 'nothing'} in one "
            f"batch{times} (warm-up '{sample.name}'); if that fails, the model does not load."
        )


def _decoupled(config: Any) -> Iterator[str]:
    yield (
        "A request may get several answers, or none (decoupled): clients need a gRPC stream, since "
        "HTTP and unary calls take exactly one."
    )
    if config.HasField("sequence_batching"):
        yield (
            "The next request of a session may begin once execute has returned for the one before, "
            "even if its last answer is still to come."
        )
    if config.dynamic_batching.preserve_ordering:
        yield "With preserve_ordering a long stream of answers holds back all that follow it."


def _optimization(policy: Any) -> Iterator[str]:
    if word := _PRIORITIES.get(policy.priority):
        yield f"Optimisation: the model's threads and GPU streams have {word} priority than others."
    if policy.graph.level:
        how = "less" if policy.graph.level < 0 else "more"
        yield f"Optimisation: the framework rewrites the graph {how} (level {policy.graph.level})."
    if policy.cuda.graphs:
        yield (
            "Optimisation: CUDA graphs are recorded for batch sizes and replayed; other sizes run "
            "step by step."
        )
    for where in ("gpu", "cpu"):
        for item in getattr(policy.execution_accelerators, f"{where}_execution_accelerator"):
            yield f"Optimisation: {item.name} accelerates the model on the {where.upper()}."
    for side in ("input", "output"):
        field = f"{side}_pinned_memory"
        if policy.HasField(field) and not getattr(policy, field).enable:
            yield f"Optimisation: {side}s are copied without pinned memory."
    if policy.gather_kernel_buffer_threshold:
        yield (
            f"Optimisation: inputs of {policy.gather_kernel_buffer_threshold} and more requests "
            "are gathered by a GPU kernel."
        )
    if policy.eager_batching:
        yield (
            "Optimisation: the next batch is put together while an instance is still busy; it does "
            "not grow any more."
        )
