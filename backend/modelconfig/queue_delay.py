"""Whether a queue delay makes a request wait for others.

Source: core, ``dynamic_batch_scheduler.cc`` (``DynamicBatchScheduler::GetDynamicBatch``).
"""

from __future__ import annotations

from collections.abc import Iterable


def waits_for_others(delay: int, preferred: Iterable[int], max_batch_size: int) -> bool:
    """Whether a request that comes alone waits: a batch can grow, and one is no preferred size.

    Args:
        delay: ``max_queue_delay_microseconds``.
        preferred: ``preferred_batch_size`` of the dynamic batcher or of oldest.
        max_batch_size: The model's.
    """
    return bool(delay) and max_batch_size > 1 and 1 not in preferred
