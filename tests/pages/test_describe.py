"""Describe: answers are saved at once, contradictions named, a stale change refused (M01-M05)."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.contracts.home import Home
from backend.studies.drafts import Draft, create_draft, load_draft, save_draft
from backend.workload.study_file import load_study
from tests.pages.conftest import ROOT, Open, words


@pytest.fixture
def draft(empty_home: Path) -> Draft:
    return create_draft(Home(empty_home), load_study(ROOT / "studies" / "voice-activity.yaml"))


def test_m01_an_answer_is_saved_at_once(open_page: Open, empty_home: Path, draft: Draft) -> None:
    app = open_page("describe", draft=draft.id)
    asked = next(radio for radio in app.radio if "belong together" in radio.label)
    assert asked.value == "parts_of_a_session"
    asked.set_value("unknown").run()
    assert not app.exception
    saved = load_draft(Home(empty_home), draft.id).study.classes[0].workload.answers
    assert saved.relation == "unknown"
    assert "Treated as parts of a session until a test shows otherwise" in words(app)


def test_m02_equal_shapes_are_no_evidence(open_page: Open, draft: Draft) -> None:
    assert "same shape is no evidence" in words(open_page("describe", draft=draft.id))


def test_m05_a_contradiction_is_named_at_the_question_and_on_the_drawing(
    open_page: Open, empty_home: Path, draft: Draft
) -> None:
    app = open_page("describe", draft=draft.id)
    next(r for r in app.radio if "belong together" in r.label).set_value("independent").run()
    warned = " ".join(str(warning.value) for warning in app.warning)
    assert "stand alone" in warned
    drawn = next(m.value for m in app.markdown if "stateDiagram" in str(m.value))
    assert "class served problem" in drawn
    # the number at the state is that of the sentence beside it
    assert 'state "request in service (1' in drawn
    assert "**1** · Relation and state, contradictory" in words(app)


def test_m05_the_drawing_follows_the_answers(open_page: Open, draft: Draft) -> None:
    app = open_page("describe", draft=draft.id, part="life")
    before = next(m.value for m in app.markdown if "stateDiagram" in str(m.value))
    assert "END?" not in before
    next(r for r in app.radio if "last request" in r.label).set_value("unknown").run()
    after = next(m.value for m in app.markdown if "stateDiagram" in str(m.value))
    assert "END?" in after


def test_a_stale_change_is_refused_and_says_so(
    open_page: Open, empty_home: Path, draft: Draft
) -> None:
    app = open_page("describe", draft=draft.id)
    home = Home(empty_home)
    elsewhere = draft.study.model_copy(update={"title": "Changed elsewhere"})
    save_draft(home, draft, elsewhere)
    next(r for r in app.radio if "belong together" in r.label).set_value("unknown").run()
    assert "changed in another window" in words(app)
    now = load_draft(home, draft.id).study
    assert now.title == "Changed elsewhere"
    assert now.classes[0].workload.answers.relation == "parts_of_a_session"
    # and the page shows the study as it is now
    assert next(r for r in app.radio if "belong together" in r.label).value == "parts_of_a_session"


def test_markup_of_a_user_stays_text(open_page: Open, empty_home: Path, draft: Draft) -> None:
    hostile = "<script>alert(1)</script> **bold** :material/home: $x$"
    item = draft.study.classes[0].model_copy(update={"about": hostile})
    other = item.model_copy(update={"name": "other"})
    saved = save_draft(
        Home(empty_home), draft, draft.study.model_copy(update={"classes": (item, other)})
    )
    app = open_page("describe", draft=saved.id)
    shown = next(c.value for c in app.caption if "script" in str(c.value))
    assert "<script>" not in shown
    assert "\\*\\*bold" in shown
    assert ":material" not in shown


def test_a_wrong_study_text_names_line_and_key(open_page: Open, draft: Draft) -> None:
    app = open_page("describe", draft=draft.id)
    area = app.text_area[0]
    area.set_value(area.value.replace("rounds:", "ruonds:") + "\nruonds: 2\n")
    next(b for b in app.button if b.label == "Apply the text").click().run()
    assert not app.exception
    assert any("ruonds" in str(error.value) for error in app.error), words(app)


def test_traffic_is_saved_and_checked(open_page: Open, empty_home: Path, draft: Draft) -> None:
    app = open_page("describe", draft=draft.id, part="traffic")
    next(n for n in app.number_input if n.label == "Sessions per cell").set_value(12).run()
    assert not app.exception
    assert load_draft(Home(empty_home), draft.id).study.classes[0].workload.traffic.sessions == 12


def test_another_model_brings_its_own_parameters(
    open_page: Open, empty_home: Path, draft: Draft
) -> None:
    app = open_page("describe", draft=draft.id, part="model")
    box = next(s for s in app.selectbox if s.label == "Model template")
    box.set_value("session_probe").run()
    assert not app.exception
    assert load_draft(Home(empty_home), draft.id).study.classes[0].model.template == "session_probe"
    assert any("Service" in number.label for number in app.number_input)
