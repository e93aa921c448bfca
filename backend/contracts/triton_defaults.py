"""What Triton takes where a configuration leaves a value out."""

from __future__ import annotations

from typing import Final

DEFAULT_IDLE_MICROSECONDS: Final = 1_000_000
"""``max_sequence_idle_microseconds`` of 0 or none: Triton core, SequenceBatchScheduler::Create."""
