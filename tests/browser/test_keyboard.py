"""The questionnaire by keyboard alone: drawing, choice and file follow an answer (M01-M09)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from backend.contracts.home import Home
from backend.studies.drafts import create_draft, load_draft
from backend.workload.questions import UNKNOWN, answer_to, relevant_questions
from backend.workload.study_file import study_from_text
from tests.browser.console import Console
from tests.browser.keyboard import add, answer, follow, tab_to
from tests.browser.steps import heading, no_fault, settled
from tests.drawn import words_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

STUDY = """schema: 1
name: labels
classes:
  - name: labels
    model: {template: magika}
"""
RELATION = "How do the requests of this class belong together?"
ORDER = "Does an answer depend on requests before it, in their order?"
STATE = "What does the serving side have to remember between requests?"
PLACE = "Where does the model find a session's state again?"
CALLS = """schema: 1
name: calls
classes:
  - name: calls
    model: {template: session_probe}
"""
PARTS = {
    "Relation and state": {
        RELATION: "Requests are parts of a session",
        ORDER: "Yes",
        STATE: "A session object in the backend",
        PLACE: "By correlation ID",
        "Does a reply depend on which other requests share its batch?": "No",
        "How many replies does a request get?": "Exactly one",
        "Do the tensors of all requests have the same shape?": "Always the same",
    },
    "Begin and end": {
        "Does the first request of a session say that it is the first?": "Yes",
        "What tells that a later request belongs": "The correlation ID that is sent with it",
        "Does a client wait for each reply": "Yes, one at a time",
        "Does the last request of a session say": "Yes",
    },
    "Correlation ID": {
        "Which kind of id ties": "A whole number (unsigned, 64 bits)",
        "Who assigns the id?": "A gateway for all clients",
        "How does a new id come about?": "Counted up",
        "In which data type does the model read the id?": "Unsigned, 64 bits",
        "Is an id never used by two live sessions": "Yes",
        "Within which bounds": "For the whole service",
        "Is an id used again": "No",
        "Can an id be 0": "No",
    },
    "Service": {
        "How do requests arrive?": "At random, independent of each other",
        "Which backend runs the model?": "Python",
        "What does the model compute on?": "The CPU",
    },
}
PATIENCE = 150
"""How often a draft is looked at, every 0.2 s, until a change is in it."""
ENDS = "What else ends a session?"


def drawn(page: Page, fits: Callable[[set[str]], bool]) -> None:
    """Wait until the words of the state machine that is drawn fit.

    The page may still show the drawing from before the last answer when it seems to be settled.
    """
    picture = page.locator(".st-key-describe_drawing img")
    words: list[str] = []
    for _ in range(PATIENCE):
        settled(page)
        expect(picture).to_be_visible()
        words = words_of(picture.get_attribute("src") or "")
        if fits(set(words)):
            return
        page.wait_for_timeout(200)
    raise AssertionError(f"what is drawn does not fit: {words}")


def sound(words: set[str]) -> bool:
    """Whether a session's life is drawn without an open question or a fault at any place."""
    return {"START", "END", "idle limit", "waits for a slot"} <= words and not any(
        text.endswith((")", "?", "!")) for text in words
    )


def test_every_question_answered_by_keyboard_leads_to_a_recommendation_that_follows(
    page: Page, console: Console
) -> None:
    """M01-M09: with all said the drawing is sound; one answer changes all three."""
    draft = create_draft(Home(console.home).ensure(), study_from_text(CALLS))
    page.goto(f"{console.url}/describe?draft={draft.id}")
    heading(page, "Describe the requests")
    drawn(page, lambda words: "START? (2)" in words)
    for part, answers in PARTS.items():
        answer(page, "Part of the description", part)
        for question, option in answers.items():
            answer(page, question, option)
        if part == "Begin and end":
            add(page, ENDS, "An error reply", "The client cancels", "Nothing is sent")
    drawn(page, sound)
    assert not still_open(page, console, draft.id)

    follow(page, "Propose a configuration")
    heading(page, "Propose a configuration")
    expect(page.get_by_text("Proposed for calls: sequence-oldest")).to_be_visible()
    expect(page.get_by_text("oldest {").first).to_be_visible()
    no_fault(page)

    follow(page, "Describe")
    heading(page, "Describe the requests")
    answer(page, PLACE, "In the request itself")
    drawn(page, lambda words: "(1)" in words)
    expect(page.get_by_text("yet it is said to come with the request").first).to_be_visible()
    follow(page, "Propose a configuration")
    heading(page, "Propose a configuration")
    expect(page.get_by_text("Proposed for calls: sequence-direct")).to_be_visible()
    expect(page.get_by_text("direct {").first).to_be_visible()
    no_fault(page)


def test_answers_that_come_faster_than_the_page_are_all_kept(page: Page, console: Console) -> None:
    """A change made before the page shows the one before it is no other window's."""
    draft = create_draft(Home(console.home).ensure(), study_from_text(CALLS))
    page.goto(f"{console.url}/describe?draft={draft.id}&part=service")
    heading(page, "Describe the requests")
    settled(page)
    for question in ("How do requests arrive?", "Which backend runs the model?"):
        tab_to(page, "group", question)
        for _ in range(9):
            page.keyboard.press("ArrowUp")
            page.wait_for_timeout(40)
    settled(page)
    # nine steps up from the last, of six options (round to the third) and of eleven (the second)
    expected = ("steady", "onnxruntime")
    saved = ("", "")
    # the last change may still be on its way to the console
    for _ in range(PATIENCE):
        expect(page.get_by_text("changed in another window")).to_have_count(0)
        (item,) = load_draft(Home(console.home), draft.id).study.classes
        answers = item.workload.answers
        saved = (answers.arrivals, answers.serving.backend)
        if saved == expected:
            break
        page.wait_for_timeout(200)
    assert saved == expected
    settled(page)
    expect(page.get_by_text("changed in another window")).to_have_count(0)


def still_open(page: Page, console: Console, draft: str) -> list[str]:
    """The questions of the class without an answer, once the last one had its time to be saved."""
    left: list[str] = []
    for _ in range(PATIENCE):
        (item,) = load_draft(Home(console.home), draft).study.classes
        given = item.workload.answers
        left = [
            asked.id for asked in relevant_questions(given) if answer_to(given, asked.id) == UNKNOWN
        ]
        if not left:
            break
        page.wait_for_timeout(200)
    return left


def test_an_answer_changes_drawing_choice_and_file(page: Page, console: Console) -> None:
    draft = create_draft(Home(console.home).ensure(), study_from_text(STUDY))
    page.goto(f"{console.url}/describe?draft={draft.id}")
    heading(page, "Describe the requests")
    no_fault(page)

    answer(page, RELATION, "Each request stands alone")
    answer(page, ORDER, "No")
    answer(page, STATE, "Nothing")
    expect(page.get_by_role("heading", name="The life of a request")).to_be_visible()
    drawn(page, lambda words: "request in service" in words and "waits for a slot" not in words)
    follow(page, "Propose a configuration")
    heading(page, "Propose a configuration")
    expect(page.get_by_text("Proposed for labels: dynamic")).to_be_visible()
    expect(page.get_by_text("dynamic_batching {").first).to_be_visible()
    no_fault(page)

    follow(page, "Describe")
    heading(page, "Describe the requests")
    answer(page, RELATION, "Requests are parts of a session")
    expect(page.get_by_role("heading", name="The life of a session")).to_be_visible()
    drawn(page, lambda words: "waits for a slot" in words)
    follow(page, "Propose a configuration")
    heading(page, "Propose a configuration")
    expect(page.get_by_text("Proposed for labels: sequence-")).to_be_visible()
    expect(page.get_by_text("sequence_batching {").first).to_be_visible()
    no_fault(page)
