"""Two configurations side by side: each field that differs, both values, and what it changes."""

from __future__ import annotations

import re
from typing import Any, Final

from backend.contracts.values import Value
from backend.modelconfig.fields import flat


class Difference(Value):
    """A field with two values; null where one side does not have it."""

    field: str
    left: str | None
    right: str | None
    effect: str


def differences(left: Any, right: Any) -> tuple[Difference, ...]:
    """Every field in which two ``ModelConfig`` messages differ, in the left one's order."""
    first, second = flat(left), flat(right)
    return tuple(
        Difference(field=path, left=first.get(path), right=second.get(path), effect=effect_of(path))
        for path in (*first, *(path for path in second if path not in first))
        if first.get(path) != second.get(path)
    )


def effect_of(path: str) -> str:
    """What a field decides, in plain words."""
    for pattern, effect in _EFFECTS:
        if pattern.match(path):
            return effect
    return "See Triton's model configuration guide for this field."


_EFFECTS: Final = tuple(
    (re.compile(pattern), effect)
    for pattern, effect in (
        (r"name$", "The name that clients ask for; it must equal the model's folder."),
        (r"(backend|platform|runtime)$", "Which backend runs the model."),
        (
            r"max_batch_size$",
            "The most requests that one execution may hold; under direct also the slots of each "
            "instance.",
        ),
        (r"input\[", "What clients have to send."),
        (r"output\[", "What clients get back."),
        (r"instance_group\[\d+\]\.count", "How many executions can run at the same time."),
        (r"instance_group\[\d+\]\.kind", "Which device the instances use."),
        (r"instance_group", "How the model's instances are made."),
        (
            r"dynamic_batching\.max_queue_delay",
            "How long a request may wait for others although an instance is idle.",
        ),
        (
            r"dynamic_batching\.preferred_batch_size",
            "The batch sizes at which the batcher stops collecting.",
        ),
        (
            r"dynamic_batching\.(default_queue_policy|priority)",
            "Who waits, who is refused and who overtakes in the queue.",
        ),
        (
            r"dynamic_batching",
            "Requests of any session are merged and run on any idle instance.",
        ),
        (
            r"sequence_batching\.oldest\.max_candidate_sequences",
            "How many sessions each instance takes on at once; one more waits.",
        ),
        (
            r"sequence_batching\.oldest\.preferred_batch_size",
            "The batch sizes at which the batcher stops collecting.",
        ),
        (
            r"sequence_batching\.(oldest|direct)\.max_queue_delay",
            "How long a request may wait for those of other sessions.",
        ),
        (
            r"sequence_batching\.direct\.minimum_slot_utilization",
            "The share of slots that must be ready before a batch goes ahead of its delay.",
        ),
        (
            r"sequence_batching\.oldest",
            "A session keeps its instance; its position in a batch changes.",
        ),
        (
            r"sequence_batching\.direct",
            "A session keeps its instance and its slot; silent slots are padded.",
        ),
        (
            r"sequence_batching\.max_sequence_idle",
            "How long a session may be silent before Triton forgets it.",
        ),
        (
            r"sequence_batching\.control_input\[[^]]*\]",
            "What the model is told of the session with each request.",
        ),
        (
            r"sequence_batching",
            "Requests of a session stay on one instance, one at a time and in order.",
        ),
        (r"parameters\[", "A setting that the model itself reads."),
        (r"version_policy", "Which versions of the model are served."),
        (r"optimization", "How tensors are copied and graphs are optimised."),
        (r"default_model_filename", "The file in the version folder that is loaded."),
        (r"response_cache", "Whether answers to equal requests come from a cache."),
        (r"model_transaction_policy", "Whether a request may get several answers."),
    )
)
