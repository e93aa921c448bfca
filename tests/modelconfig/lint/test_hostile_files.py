"""Files made to keep a reader busy: read in time that grows with their length alone (M12).

A reader that looks back over the whole file at every sign needs hours for these; so no clock is
needed here, and a suite that ends has shown it.
"""

from __future__ import annotations

import pytest

from backend.modelconfig.lint.linter import lint_text

TIMES = 60_000
FILES = {
    "openings of a template": "a: {{ " * TIMES,
    "openings of ERB": "<% " * TIMES,
    "openings in a text": 'name: "' + "{{" * TIMES + '" max_batch_size: -1',
    "words and dots": "a." * TIMES,
    "openings of make": "$(" * TIMES,
    "a list without an end": "input [ " * TIMES,
    "objects without an end": '{"a":' * TIMES,
    "one long number": "max_batch_size: " + "9" * TIMES,
    "faults that silence what follows from them": "input { data_type: FP32 }\n" * (TIMES // 6),
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES.keys())
def test_it_comes_to_an_end_and_says_where_it_stopped(text: str) -> None:
    errors = [item for item in lint_text(text) if item.severity == "error"]
    assert errors
    assert all(item.line is not None and item.column is not None for item in errors)
