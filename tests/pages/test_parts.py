"""What pages share: safe texts, figures, the glossary, messages instead of traces."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from backend.contracts.home import Home
from backend.runtime.check import Check
from backend.studies.drafts import create_draft
from backend.workload.study_file import load_study
from pages.parts import embedded
from pages.parts.figures import count, duration, milliseconds, moment, number
from pages.parts.glossary import term
from pages.parts.words import breakable, plain
from tests.pages.conftest import ROOT, Open, words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a plain name", "a plain name"),
        ("<b>*x*</b>", "\\<b\\>\\*x\\*\\</b\\>"),
        ("[a](http://b)", "\\[a\\]\\(http:\u2060//b\\)"),
        (":material/home: :red[x]", ":\u2060material/home: :\u2060red\\[x\\]"),
        ("two\nlines", "two lines"),
        ("$x_1$", "\\$x\\_1\\$"),
    ],
)
def test_texts_of_users_are_not_markup(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_paths_may_break_after_their_separators() -> None:
    assert breakable("a.b_c/d").replace("\\", "") == "a.\u200bb_\u200bc/\u200bd"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (0.0123456, "0.0123"), (4.567, "4.57"), (999.6, "1,000"), (12345, "12,300")],
)
def test_figures_have_three_significant_digits(value: float, shown: str) -> None:
    assert number(value) == shown


def test_units_and_counts() -> None:
    assert milliseconds(None) == "–"
    assert milliseconds(3.14159) == "3.14 ms"
    assert duration(89.6) == "90 s"
    assert duration(125) == "2 min 05 s"
    assert count(1, "run") == "1 run"
    assert count(1739, "reply", "replies") == "1,739 replies"
    assert len(moment(datetime(2026, 12, 1, tzinfo=UTC))) == 16


def test_help_comes_from_the_glossary() -> None:
    assert "max_sequence_idle_microseconds" in term("idle timeout")
    assert "stays" not in term("session")
    with pytest.raises(KeyError):
        term("no such word")


def test_a_machine_that_cannot_serve_is_told_so_with_what_to_do(
    open_page: Open, empty_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = Check(
        name="glibc",
        status="missing",
        what="glibc 2.31 (needed: 2.35 or newer).",
        next_step="Use Debian 12 or newer, or a container of it.",
    )
    monkeypatch.setattr(embedded, "examine", lambda home: (lacking,))
    embedded._checks.clear()
    try:
        app = open_page("start")
        said = words(app)
        assert "cannot serve on this machine" in said
        assert "glibc 2\\.31" in said
        assert "Use Debian 12 or newer" in said
        button = next(b for b in app.button if "eight callers" in b.label)
        assert button.disabled
        draft = create_draft(Home(empty_home), load_study(ROOT / "studies" / "voice-activity.yaml"))
        app = open_page("test", draft=draft.id)
        assert next(b for b in app.button if b.label == "Start the test").disabled
        # what needs no server still works
        assert "**sequence-oldest**" in words(open_page("propose", draft=draft.id))
    finally:
        embedded._checks.clear()


def test_a_fault_is_a_plain_sentence_and_its_trace_is_logged(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("pages.parts.examples.examples", broken)
    app = open_page("start")
    assert not app.exception
    said = words(app)
    assert "a fault of Interleave itself" in said
    assert "secret detail" not in said
    assert "secret detail" in caplog.text
