"""The document of the study file names every key and every answer (M44)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from backend.workload.questions import QUESTIONS
from backend.workload.study import CandidateChoice, Study
from backend.workload.study_file import study_from_text
from backend.workload.study_keys import keys_below

DOCUMENT = (Path(__file__).parents[2] / "docs" / "study-file.md").read_text(encoding="utf-8")
OVERRIDES = set(CandidateChoice.model_fields) - {"name"}
KEYS = sorted({key for where, key in keys_below(Study, "") if "candidates[]" not in where})


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_explained(key: str) -> None:
    assert re.search(rf"`[a-z._]*\b{key}\b[a-z._]*`", DOCUMENT), key


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.id)
def test_every_answer_is_named(asked) -> None:
    for option in asked.options:
        assert f"`{option.value}`" in DOCUMENT, option.value


def test_its_examples_are_studies() -> None:
    first, second = (part.split("```")[0] for part in DOCUMENT.split("```yaml\n")[1:])
    assert study_from_text(first).classes[0].model.template == "session_probe"
    whole = "schema: 1\nname: declared\nclasses:\n  - name: speech\n" + second
    declared = study_from_text(whole).classes[0].model.declared
    assert declared is not None
    assert declared.states[0].initial == "zero"
