"""What a reader of the pages does and sees, named by intent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUN_MS = 240_000
"""A run may take this long on a busy machine; nothing is asserted about its speed."""


def heading(page: Page, text: str) -> None:
    """Wait until the page of that title is shown."""
    expect(page.get_by_role("heading", level=1, name=text)).to_be_visible()


def settled(page: Page) -> None:
    """Wait until the script run behind the page has ended."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def no_fault(page: Page) -> None:
    """No trace, no message of an unexpected fault, nothing wider than the window."""
    settled(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_text("a fault of Interleave itself")).to_have_count(0)
    wide = page.evaluate(
        "() => { const m = document.querySelector('[data-testid=stMain]');"
        " return m.scrollWidth - m.clientWidth; }"
    )
    assert wide <= 0, f"the page is {wide} pixels wider than its window"


def choose(page: Page, option: str) -> None:
    """Choose a radio button by its words."""
    page.get_by_role("radio", name=option, exact=True).check(force=True)
    settled(page)


def walk_on(page: Page, link: str) -> None:
    """Follow the link of the next step."""
    page.get_by_test_id("stMain").get_by_role("link", name=re.compile(link)).first.click()
    settled(page)


def menu(page: Page, name: str) -> None:
    """Follow a link of the menu."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
    settled(page)
