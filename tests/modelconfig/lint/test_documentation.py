"""The linter gives no error for what the documentation of 24.10 shows (M12).

``documentation_24_10`` holds the configurations of Triton's server (user guide, examples) and of
its Python backend (README, examples); core's documentation has none. They are written anew, as
protobuf prints them. ``index.json`` says where each is from, and from which commit it was read,
whether it is complete or a section shown alone, and, where 24.10 itself refuses it, why.
``tests/server/test_differential.py`` asks the server about those that the Python backend can load.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.lint.release import EMBEDDED

FOLDER = Path(__file__).parent / "documentation_24_10"
INDEX = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))


def errors(entry: dict[str, Any]) -> list[str]:
    found = lint_text((FOLDER / entry["file"]).read_bytes(), release=EMBEDDED)
    return [f"{item.rule}: {item.message}" for item in found if item.severity == "error"]


def test_the_index_names_every_file_and_its_source() -> None:
    assert sorted(entry["file"] for entry in INDEX) == sorted(
        path.name for path in FOLDER.glob("*.pbtxt")
    )
    assert all(entry["repository"] and entry["document"] for entry in INDEX)


@pytest.mark.parametrize("entry", INDEX, ids=lambda entry: entry["file"])
def test_documented_configurations_have_no_error(entry: dict[str, Any]) -> None:
    if "refused" in entry:
        assert errors(entry), entry["refused"]
    else:
        assert errors(entry) == []
