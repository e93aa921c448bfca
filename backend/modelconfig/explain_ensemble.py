"""What an ensemble_scheduling section does: steps, what flows between them, limits.

Source: core, ``ensemble_scheduler.cc``; Triton server, ``docs/user_guide/ensemble_models.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from backend.modelconfig.lint.release import Release

FULL_QUEUE_HANGS: Final = Release(26, 3)
"""Before this a step that a full queue refuses leaves the ensemble's client without an answer."""


def explain_ensemble(config: Any, release: Release) -> Iterator[str]:
    """Sentences about an ensemble."""
    section = config.ensemble_scheduling
    count = len(section.step)
    yield (
        "An ensemble: requests pass through other models, each with its own scheduler; batches "
        f"form there, never here. {count} {'step' if count == 1 else 'steps'}:"
    )
    for number, step in enumerate(section.step, start=1):
        version = f"version {step.model_version}" if step.model_version > 0 else "newest version"
        takes = ", ".join(f"{step.input_map[name]} as {name}" for name in sorted(step.input_map))
        gives = ", ".join(f"{name} as {step.output_map[name]}" for name in sorted(step.output_map))
        yield (
            f"Step {number}: {step.model_name} ({version}) takes {takes or 'nothing'} and gives "
            f"{gives or 'nothing'}. It runs as soon as what it takes is there."
        )
    yield (
        "Correlation ID, START and END, priority and timeout of a request go on to every step: a "
        "step with a sequence batcher sees the session, and refuses what has no ID."
    )
    if section.max_inflight_requests:
        yield (
            f"At most {section.max_inflight_requests} requests are under way in a step; those "
            "before it wait."
        )
    if release < FULL_QUEUE_HANGS:
        yield (
            f"A step whose queue is full leaves the client without an answer on release {release} "
            f"(mended in {FULL_QUEUE_HANGS})."
        )
