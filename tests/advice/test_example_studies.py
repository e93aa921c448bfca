"""The example studies that the README and the start page run: readable, advised as they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.advice.advise import advise
from backend.templates.reader import check_parameters, load_template
from backend.workload.contradictions import contradictions
from backend.workload.state_machine import machine
from backend.workload.study_file import load_study, study_from_text, study_to_yaml

FOLDER = Path(__file__).resolve().parents[2] / "studies"
PROPOSED = {
    "voice-activity": {"calls": "sequence-oldest"},
    "streaming-captions": {"captions": "sequence-oldest"},
    "slot-state": {"slots": "sequence-direct"},
    "file-labels": {"labels": "dynamic"},
    "mixed": {"captions": "sequence-oldest", "labels": "dynamic"},
}


def test_there_are_these_studies_and_no_others() -> None:
    assert {path.stem for path in FOLDER.glob("*.yaml")} == set(PROPOSED)


@pytest.mark.parametrize("name", PROPOSED)
def test_an_example_is_complete_and_gets_the_advice_it_is_about(name: str) -> None:
    study = load_study(FOLDER / f"{name}.yaml")
    assert study.name == name
    assert study.title
    assert study.about
    assert {item.name for item in study.classes} == set(PROPOSED[name])
    for item in study.classes:
        template = load_template(item.model.template)
        check_parameters(template, item.model.parameters)
        found = advise(item, template)
        assert found.proposed == PROPOSED[name][item.name]
        assert found.proposed in {choice.name for choice in item.candidates}
        assert found.certainty == "stated"
        answers = item.workload.answers
        assert contradictions(answers) == ()
        assert machine(answers).problems == ()


@pytest.mark.parametrize("name", PROPOSED)
def test_an_example_survives_being_edited_by_the_pages(name: str) -> None:
    study = load_study(FOLDER / f"{name}.yaml")
    assert study_from_text(study_to_yaml(study)) == study


def test_the_captions_say_that_their_time_is_scaled() -> None:
    captions = load_study(FOLDER / "streaming-captions.yaml")
    assert captions.class_named("captions").workload.traffic.time_scale < 1
    assert "Time is scaled" in captions.about
