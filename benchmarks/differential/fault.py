"""A fault: one change that should keep a configuration from being loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Change = Callable[[Any, Any], None]
"""Takes Hypothesis' ``draw`` and a ``ModelConfig``, which it changes."""

Fault = tuple[str, Change]
"""The rule that the server should name, as in ``reasons.py``, and the change."""
