"""Test: cells, candidates and rounds are chosen, kept in the draft, and told in trials (M25)."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.contracts.home import Home
from backend.studies.drafts import Draft, create_draft, load_draft
from backend.workload.study_file import load_study
from tests.pages.conftest import ROOT, Open, words


@pytest.fixture
def draft(empty_home: Path) -> Draft:
    return create_draft(Home(empty_home), load_study(ROOT / "studies" / "voice-activity.yaml"))


def test_m25_the_matrix_is_counted_in_trials(open_page: Open, draft: Draft) -> None:
    app = open_page("test", draft=draft.id)
    # two numbers of instances, four candidates, three rounds
    assert "**24 trials**" in words(app)
    assert "judged by its plan" in words(app)


def test_m25_choices_are_kept_in_the_draft(open_page: Open, empty_home: Path, draft: Draft) -> None:
    app = open_page("test", draft=draft.id)
    next(m for m in app.multiselect if m.label == "Instances").set_value([2]).run()
    next(m for m in app.multiselect if "calls" in m.label).set_value(
        ["dynamic", "sequence-oldest"]
    ).run()
    next(n for n in app.number_input if n.label == "Rounds").set_value(1).run()
    assert not app.exception
    assert "**2 trials**" in words(app)
    study = load_draft(Home(empty_home), draft.id).study
    assert study.matrix.instances == (2,)
    assert study.rounds == 1
    assert {choice.name for choice in study.classes[0].candidates} == {
        "sequence-oldest",
        "dynamic",
    }


def test_an_empty_choice_is_not_saved(open_page: Open, empty_home: Path, draft: Draft) -> None:
    app = open_page("test", draft=draft.id)
    next(m for m in app.multiselect if m.label == "Concurrency").set_value([]).run()
    assert "Choose at least one" in words(app)
    assert load_draft(Home(empty_home), draft.id).study.matrix.concurrency == (8,)


def test_the_proposed_candidate_is_always_tried(
    open_page: Open, empty_home: Path, draft: Draft
) -> None:
    app = open_page("test", draft=draft.id)
    next(m for m in app.multiselect if "calls" in m.label).set_value(["dynamic"]).run()
    # a verdict is about the proposed candidate: it is tried beside the chosen one
    assert "**12 trials**" in words(app)
    assert "sequence-oldest is tried as well" in words(app)
