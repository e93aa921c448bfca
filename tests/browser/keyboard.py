"""A reader who has a keyboard and no mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.steps import settled

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOST_STEPS = 150
_FOCUSED = """() => {
  const here = document.activeElement;
  const group = here.closest('[role=radiogroup]');
  return {
    group: group ? group.getAttribute('aria-label') || '' : '',
    option: (here.closest('label') || {}).innerText || '',
    text: here.innerText || '',
    link: here.tagName === 'A' ? here.innerText : '',
    box: here.getAttribute('role') === 'combobox' ? here.getAttribute('aria-label') || '' : '',
  };
}"""


def focused(page: Page) -> dict[str, str]:
    """What has the focus: radio group, chosen option, text, text of a link, box of a list."""
    found: dict[str, str] = page.evaluate(_FOCUSED)
    return found


def tab_to(page: Page, kind: str, words: str) -> None:
    """Press Tab until something of that kind has the focus."""
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        if words in focused(page)[kind]:
            return
    raise AssertionError(f"Tab never reached the {kind} '{words}'")


def answer(page: Page, question: str, option: str) -> None:
    """Choose an option of a question with the arrow keys; the focus stays on the question."""
    tab_to(page, "group", question)
    for _ in range(20):
        if focused(page)["option"] == option:
            return
        page.keyboard.press("ArrowDown")
        settled(page)
        page.wait_for_function(
            "words => document.activeElement.closest('[role=radiogroup]') !== null && "
            "document.activeElement.closest('[role=radiogroup]')"
            ".getAttribute('aria-label').includes(words)",
            arg=question,
        )
    raise AssertionError(f"'{question}' has no option '{option}'")


def add(page: Page, question: str, *options: str) -> None:
    """Choose several options of a list by typing their beginnings."""
    tab_to(page, "box", question)
    for option in options:
        page.keyboard.type(option[:12])
        page.wait_for_timeout(300)
        page.keyboard.press("Enter")
        settled(page)
    page.keyboard.press("Escape")


def follow(page: Page, link: str) -> None:
    """Go to a link and press Enter."""
    tab_to(page, "link", link)
    page.keyboard.press("Enter")
    settled(page)
