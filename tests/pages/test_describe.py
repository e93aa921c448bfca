"""Describe: answers are saved at once, contradictions named, a stale change refused (M01-M05)."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend.contracts.home import Home
from backend.studies.drafts import Draft, create_draft, load_draft, save_draft
from backend.workload.study_file import load_study, study_from_text
from tests.drawn import words_of
from tests.pages.conftest import ROOT, Open, words


@pytest.fixture
def draft(empty_home: Path) -> Draft:
    return create_draft(Home(empty_home), load_study(ROOT / "studies" / "voice-activity.yaml"))


def drawing(app: AppTest) -> list[str]:
    return words_of(next(str(item.proto.body) for item in app.get("html")))


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
    drawn = drawing(app)
    # the number at the state is that of the sentence beside it
    assert "request in service" in drawn
    assert any(text.startswith("(1") for text in drawn)
    assert "**1** · Relation and state, contradictory" in words(app)


def test_m05_the_drawing_follows_the_answers(open_page: Open, draft: Draft) -> None:
    app = open_page("describe", draft=draft.id, part="life")
    assert "END" in drawing(app)
    next(r for r in app.radio if "last request" in r.label).set_value("unknown").run()
    assert any(text.startswith("END? (") for text in drawing(app))


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


def test_m03_a_class_is_added_renamed_and_taken_out(
    open_page: Open, empty_home: Path, draft: Draft
) -> None:
    home = Home(empty_home)
    app = open_page("describe", draft=draft.id)
    next(t for t in app.text_input if t.label == "Name of a new class").set_value("labels")
    next(b for b in app.button if b.label == "Add a class").click().run()
    assert not app.exception
    names = [item.name for item in load_draft(home, draft.id).study.classes]
    assert names == ["calls", "labels"]
    app = open_page("describe", draft=draft.id, **{"class": "labels"})
    next(t for t in app.text_input if t.label == "New name for labels").set_value("files")
    next(b for b in app.button if b.label == "Rename it").click().run()
    assert [item.name for item in load_draft(home, draft.id).study.classes] == ["calls", "files"]
    app = open_page("describe", draft=draft.id, **{"class": "files"})
    next(b for b in app.button if b.label == "Take files out").click().run()
    assert [item.name for item in load_draft(home, draft.id).study.classes] == ["calls"]


def test_a_name_that_cannot_be_is_refused_with_the_reason(
    open_page: Open, empty_home: Path, draft: Draft
) -> None:
    app = open_page("describe", draft=draft.id)
    next(t for t in app.text_input if t.label == "Name of a new class").set_value("Two words")
    next(b for b in app.button if b.label == "Add a class").click().run()
    assert not app.exception
    assert "Not saved" in words(app)
    assert len(load_draft(Home(empty_home), draft.id).study.classes) == 1


def test_the_demand_is_saved_and_what_does_not_add_up_is_said(
    open_page: Open, empty_home: Path, draft: Draft
) -> None:
    app = open_page("describe", draft=draft.id, part="demand")
    next(n for n in app.number_input if n.label == "Deadline (ms)").set_value(10.0).run()
    next(n for n in app.number_input if n.label == "Execution time (ms)").set_value(20.0).run()
    assert not app.exception
    demand = load_draft(Home(empty_home), draft.id).study.classes[0].workload.demand
    assert (demand.deadline_ms, demand.execution_ms) == (10.0, 20.0)
    assert "over before one execution (20 ms) is done" in words(app).replace("\\", "")


def test_m06_a_doubt_is_named_at_its_question(open_page: Open, draft: Draft) -> None:
    app = open_page("describe", draft=draft.id, part="id")
    next(r for r in app.radio if "new id come about" in r.label).set_value("hash").run()
    next(r for r in app.radio if "data type" in r.label).set_value("uint32").run()
    assert not app.exception
    warned = " ".join(str(warning.value) for warning in app.warning)
    assert "low half" in warned


DECLARED = """schema: 1
name: speech
classes:
  - name: speech
    workload:
      answers: {relation: parts_of_a_session, serving: {backend: onnxruntime}}
    model:
      declared:
        max_batch_size: 8
        inputs: [{name: FRAME, data_type: FP32, dims: [80]}]
        outputs: [{name: TEXT, data_type: BYTES, dims: [1]}]
"""


def test_a_model_can_be_described_by_its_tensors_instead(
    open_page: Open, empty_home: Path, draft: Draft
) -> None:
    app = open_page("describe", draft=draft.id, part="model")
    chosen = next(r for r in app.radio if "known of the model" in r.label)
    chosen.set_value("declared").run()
    assert not app.exception
    model = load_draft(Home(empty_home), draft.id).study.classes[0].model
    assert model.declared is not None
    # it begins with the tensors of the template that was chosen before
    assert [tensor.name for tensor in model.declared.inputs] == ["FRAME"]
    next(n for n in app.number_input if n.label == "Largest batch").set_value(3).run()
    next(s for s in app.selectbox if "keep state" in s.label).set_value("yes").run()
    assert not app.exception
    declared = load_draft(Home(empty_home), draft.id).study.classes[0].model.declared
    assert declared is not None
    assert (declared.max_batch_size, declared.keeps_state) == (3, "yes")
    next(r for r in app.radio if "known of the model" in r.label).set_value("template").run()
    assert not app.exception
    model = load_draft(Home(empty_home), draft.id).study.classes[0].model
    assert (model.template, model.declared) == ("silero_vad", None)


def test_what_a_declared_model_contradicts_is_said_beside_it(
    open_page: Open, empty_home: Path
) -> None:
    text = DECLARED.replace("relation:", "state_kind: implicit_state, relation:")
    made = create_draft(Home(empty_home), study_from_text(text))
    app = open_page("describe", draft=made.id, part="model")
    assert not app.exception
    assert "declared without any" in words(app)


def test_a_declared_model_is_proposed_for_and_not_tested(open_page: Open, empty_home: Path) -> None:
    made = create_draft(Home(empty_home), study_from_text(DECLARED))
    app = open_page("propose", draft=made.id)
    assert not app.exception
    assert not app.error
    assert any('backend: "onnxruntime"' in block.value for block in app.code)
    app = open_page("test", draft=made.id)
    assert not app.exception
    assert "nothing to run" in words(app)
    assert next(b for b in app.button if b.label == "Start the test").disabled


def test_a_declared_model_without_a_backend_says_what_to_answer(
    open_page: Open, empty_home: Path
) -> None:
    text = DECLARED.replace(", serving: {backend: onnxruntime}", "")
    made = create_draft(Home(empty_home), study_from_text(text))
    app = open_page("propose", draft=made.id)
    assert not app.exception
    assert "backend of this class" in words(app)
    app = open_page("describe", draft=made.id, part="model")
    assert "without it no configuration can be written" in words(app)
