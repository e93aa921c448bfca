"""Propose: the recommendation with its causes, the files, their differences (M07-M09)."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.contracts.home import Home
from backend.studies.drafts import create_draft
from backend.workload.study_file import load_study
from tests.pages.conftest import ROOT, Open, words


@pytest.mark.parametrize(
    ("study", "proposed"),
    [
        ("voice-activity", "sequence-oldest"),
        ("streaming-captions", "sequence-oldest"),
        ("slot-state", "sequence-direct"),
        ("file-labels", "dynamic"),
        ("mixed", "sequence-oldest"),
    ],
)
def test_m08_the_proposal_names_answers_rule_and_source(
    open_page: Open, empty_home: Path, study: str, proposed: str
) -> None:
    draft = create_draft(Home(empty_home), load_study(ROOT / "studies" / f"{study}.yaml"))
    app = open_page("propose", draft=draft.id)
    assert not app.exception
    assert not app.error
    said = words(app)
    assert f"**{proposed}**" in said
    assert "Because of: " in said
    assert "Triton user guide" in said
    code = [block.value for block in app.code]
    assert any("max_batch_size" in text for text in code)


def test_m09_two_files_stand_beside_each_other_with_what_differs(
    open_page: Open, empty_home: Path
) -> None:
    draft = create_draft(Home(empty_home), load_study(ROOT / "studies" / "voice-activity.yaml"))
    app = open_page("propose", draft=draft.id, left="sequence-oldest", right="dynamic")
    files = [block.value for block in app.code]
    assert "sequence_batching {" in files[0]
    assert "dynamic_batching {" in files[1]
    shown = app.table[-1].value
    fields = " ".join(shown["Field"]).replace("\u200b", "").replace("\\", "")
    assert "sequence_batching" in fields
    assert "dynamic_batching" in fields


def test_a_model_that_is_not_there_leaves_the_advice(open_page: Open, empty_home: Path) -> None:
    study = load_study(ROOT / "studies" / "voice-activity.yaml")
    item = study.classes[0]
    gone = item.model_copy(update={"model": item.model.model_copy(update={"template": "gone"})})
    draft = create_draft(Home(empty_home), study.model_copy(update={"classes": (gone,)}))
    app = open_page("propose", draft=draft.id)
    assert not app.exception
    assert "**sequence-oldest**" in words(app)
    assert "no model template 'gone'" in words(app)
