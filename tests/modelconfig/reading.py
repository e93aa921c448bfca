"""A configuration from text that has no fault."""

from __future__ import annotations

from typing import Any

from backend.modelconfig.lint.reading import read_configuration


def parse(text: str) -> Any:
    reading = read_configuration(text)
    assert reading.troubles == ()
    return reading.config
