"""Python's garbage collector, at rest while a measurement runs.

A collection stops the event loop for as long as it takes to walk every object: tens of
milliseconds once a plan's requests are in memory. What is alive before the clock starts is frozen
(never walked), and nothing is collected until it stops.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Collect, freeze and switch off; restore what was before, whatever happens inside."""
    enabled = gc.isenabled()
    ours_to_thaw = gc.get_freeze_count() == 0
    gc.collect()
    if ours_to_thaw:
        gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        if ours_to_thaw:
            gc.unfreeze()
        if enabled:
            gc.enable()
