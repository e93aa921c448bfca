"""Every page on a fresh machine: it says what will be here and what is needed for it."""

from __future__ import annotations

import pytest

from tests.pages.conftest import Open, words

TITLES = {
    "start": "Interleave",
    "describe": "Describe the requests",
    "propose": "Propose a configuration",
    "test": "Test on a real Triton",
    "compare": "Compare the candidates",
    "decide": "Write the decision",
}


@pytest.mark.parametrize("page", TITLES)
def test_opens_without_anything(open_page: Open, page: str) -> None:
    app = open_page(page)
    assert not app.exception
    assert not app.error
    assert [title.value for title in app.title] == [TITLES[page]]


@pytest.mark.parametrize("page", ["describe", "propose", "test"])
def test_offers_the_examples_where_no_study_is_open(open_page: Open, page: str) -> None:
    app = open_page(page)
    assert "No study is open" in words(app)
    labels = [button.label for button in app.button]
    assert any("eight callers" in label for label in labels)


@pytest.mark.parametrize(
    ("page", "params", "said"),
    [
        ("describe", {"draft": "nothing-here"}, "There is no draft 'nothing\\-here' here"),
        ("describe", {"draft": "../../etc/passwd"}, "is not the id of a draft"),
        ("compare", {"run": "gone"}, "There is no run 'gone' here"),
        ("test", {"run": "../x"}, "There is no run"),
        ("decide", {"record": "7"}, "There is no record 7"),
        ("decide", {"record": "seven"}, "'seven' is not the number of a record"),
        ("start", {"demo": "gone"}, "There is no run 'gone' here"),
    ],
)
def test_explains_an_unknown_link(
    open_page: Open, page: str, params: dict[str, str], said: str
) -> None:
    app = open_page(page, **params)
    assert not app.exception
    assert any(said in str(error.value) for error in app.error), words(app)
    # an explained empty page, not a dead end
    assert app.title
