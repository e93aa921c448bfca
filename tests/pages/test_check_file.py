"""Propose, the part that checks a file: pasted, or on this machine (M12)."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend.contracts.home import Home
from backend.studies.drafts import Draft, create_draft
from backend.workload.study_file import load_study
from tests.pages.conftest import ROOT, Open, words

SOUND = (
    'name: "m"\nbackend: "python"\nmax_batch_size: 4\n'
    'input [ { name: "X" data_type: TYPE_FP32 dims: [ 1 ] } ]\n'
    'output [ { name: "Y" data_type: TYPE_FP32 dims: [ 1 ] } ]\n'
    "dynamic_batching { }\n"
)


@pytest.fixture
def draft(empty_home: Path) -> Draft:
    return create_draft(Home(empty_home), load_study(ROOT / "studies" / "voice-activity.yaml"))


def pasted(open_page: Open, draft: Draft, text: str) -> AppTest:
    app = open_page("propose", draft=draft.id, view="check")
    app.text_area[0].set_value(text).run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return words(app).replace("\\", "").replace("\u200b", "").replace("\u2060", "")


def test_before_a_file_is_there_the_page_says_what_will_come(open_page: Open, draft: Draft) -> None:
    app = open_page("propose", draft=draft.id, view="check")
    assert "Findings will stand here" in words(app)


def test_a_file_is_checked_against_the_class_explained_and_compared(
    open_page: Open, draft: Draft
) -> None:
    app = pasted(open_page, draft, SOUND)
    text = said(app)
    # the class has sessions: without the sequence batcher that is an error, in the file's line
    assert "1 error" in text
    assert "6:1" in text
    assert "class-stateful-mixed" in text
    assert "The dynamic batcher: requests that wait are merged" in text
    fields = "".join(app.table[-1].value["Field"]).replace("\\", "").replace("\u200b", "")
    assert "sequence_batching" in fields


def test_without_the_class_only_the_file_counts(open_page: Open, draft: Draft) -> None:
    app = pasted(open_page, draft, SOUND)
    app.checkbox[0].uncheck().run()
    assert "nothing found" in said(app)


def test_what_is_no_configuration_is_called_what_it_is(open_page: Open, draft: Draft) -> None:
    app = pasted(open_page, draft, "../shared/config.pbtxt")
    assert "This is a link" in said(app)
    assert "1 error" in said(app)


def test_a_release_that_is_none_is_refused(open_page: Open, draft: Draft) -> None:
    app = pasted(open_page, draft, SOUND)
    next(t for t in app.text_input if t.label == "Release of Triton").set_value("24.13").run()
    assert not app.exception
    assert "is no release of Triton" in said(app)


def test_a_model_of_this_machine_is_checked_with_its_code(
    open_page: Open, draft: Draft, tmp_path: Path
) -> None:
    folder = tmp_path / "m"
    (folder / "1").mkdir(parents=True)
    (folder / "config.pbtxt").write_text(SOUND, encoding="utf-8")
    (folder / "1" / "model.py").write_text(
        "pb_utils.get_input_tensor_by_name(r, 'AUDIO')\n", encoding="utf-8"
    )
    app = open_page("propose", draft=draft.id, view="check", way="path")
    next(t for t in app.text_input if t.label == "Path").set_value(str(folder)).run()
    assert not app.exception
    assert "The model reads the tensor 'AUDIO'" in said(app)


def test_a_path_that_is_not_there_is_an_error_with_a_next_step(
    open_page: Open, draft: Draft
) -> None:
    app = open_page("propose", draft=draft.id, view="check", way="path")
    next(t for t in app.text_input if t.label == "Path").set_value("/nowhere/config.pbtxt").run()
    assert not app.exception
    assert "cannot be read" in said(app)


def test_markup_in_a_file_stays_text(open_page: Open, draft: Draft) -> None:
    app = pasted(open_page, draft, "<b>:material/home: **x** $y$\n")
    assert not app.exception
    assert "**x**" not in words(app)


def test_a_file_that_breaks_off_is_not_explained(open_page: Open, draft: Draft) -> None:
    app = pasted(open_page, draft, SOUND.replace("max_batch_size:", "max_batch_size"))
    assert "could be read up to the place above only" in said(app)
    assert "What it makes Triton do is not told" in said(app)
