"""What a configuration makes Triton do, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from backend.modelconfig.backends import ADD_A_BATCHER
from backend.modelconfig.defaults import effective
from backend.modelconfig.explain_dynamic import explain_dynamic
from backend.modelconfig.explain_ensemble import explain_ensemble
from backend.modelconfig.explain_instances import explain_instances
from backend.modelconfig.explain_model import explain_model
from backend.modelconfig.explain_sequence import explain_sequence
from backend.modelconfig.explain_tensors import explain_tensors
from backend.modelconfig.lint.release import EMBEDDED, Release


def explain(config: Any, release: Release = EMBEDDED) -> tuple[str, ...]:
    """What Triton does with the model's requests, most important first.

    Args:
        config: The ``ModelConfig``.
        release: The release of Triton that serves it; some behaviour differs between them.
    """
    return (
        *_scheduler(config, release),
        *explain_instances(config),
        *explain_tensors(config),
        *explain_model(config),
    )


def _scheduler(config: Any, release: Release) -> Iterator[str]:
    choice = config.WhichOneof("scheduling_choice")
    if choice == "dynamic_batching":
        yield from explain_dynamic(config, release)
    elif choice == "sequence_batching":
        yield from explain_sequence(config, release)
    elif choice == "ensemble_scheduling":
        yield from explain_ensemble(config, release)
    else:
        yield (
            "No scheduler section: Triton executes each request by itself, in order of arrival, on "
            "any idle instance."
        )
        if config.max_batch_size > 1:
            if effective(config).backend in ADD_A_BATCHER:
                yield (
                    "This backend may add dynamic_batching by itself when it loads the model: read "
                    "the effective configuration back."
                )
            else:
                yield (
                    f"max_batch_size {config.max_batch_size} lets one client put that many items "
                    "into a request; Triton itself merges none."
                )
