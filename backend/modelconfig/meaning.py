"""What one field of a configuration makes Triton do, in concrete words with its value.

A meaning is a clause without a full stop: *a request waits up to 5 ms for others*. ``None`` stands
for a field that is not there, which means something as well. Source of each: Triton's
``model_config.proto`` and the schedulers of core (``dynamic_batch_scheduler.cc``,
``sequence_batch_scheduler.cc``, ``scheduler_utils.cc``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from backend.modelconfig.lint.release import EMBEDDED, Release
from backend.modelconfig.meaning_by_release import BY_RELEASE
from backend.modelconfig.meaning_model import MEANINGS as MODEL
from backend.modelconfig.meaning_scheduling import MEANINGS as SCHEDULING

Meaning = Callable[[Any, str, str | None], str]
"""From the configuration, the key within the path's brackets and the value as text."""


def meaning(config: Any, path: str, value: str | None, release: Release = EMBEDDED) -> str:
    """What a field with this value makes Triton do.

    Args:
        config: The whole configuration that has, or lacks, the field.
        path: The field, as ``fields.flat`` names it.
        value: Its value as text; None where the configuration does not have it.
        release: The release that is to load it.
    """
    if value is None and (section := _missing_section(config, path)):
        return f"no {section} here"
    if path in BY_RELEASE and (said := BY_RELEASE[path](release, value)):
        return said
    for pattern, say in _MEANINGS:
        if found := pattern.fullmatch(path):
            return say(config, found[1] if pattern.groups else "", value)
    name = path.rpartition(".")[2]
    return f"{name} is not set" if value is None else f"{name} is {value}"


def _missing_section(config: Any, path: str) -> str:
    """The scheduler section above a field that the configuration lacks; empty where it has it."""
    if path.startswith("dynamic_batching.") and not config.HasField("dynamic_batching"):
        return "dynamic batcher"
    if not path.startswith("sequence_batching."):
        return ""
    if not config.HasField("sequence_batching"):
        return "sequence batcher"
    for strategy in ("oldest", "direct"):
        # how many sessions fit is worth saying under either strategy
        inside = path.startswith(f"sequence_batching.{strategy}.") and "candidate" not in path
        if inside and not config.sequence_batching.HasField(strategy):
            return f"strategy {strategy}"
    return ""


_MEANINGS: Final[tuple[tuple[re.Pattern[str], Meaning], ...]] = tuple(
    (re.compile(pattern), say) for pattern, say in (*SCHEDULING, *MODEL)
)
