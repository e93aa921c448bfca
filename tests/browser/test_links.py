"""Every page opens by its own link on a console that was just started, parameters kept."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from backend.contracts.home import Home
from backend.studies.drafts import create_draft
from backend.workload.study_file import load_study
from tests.browser.console import ROOT, Console
from tests.browser.steps import heading, menu, no_fault

TITLES = {
    "": "Interleave",
    "describe": "Describe the requests",
    "propose": "Propose a configuration",
    "test": "Test on a real Triton",
    "compare": "Compare the candidates",
    "decide": "Write the decision",
}


@pytest.mark.parametrize("name", TITLES)
def test_a_fresh_console_opens_the_page_of_a_link(console: Console, page: Page, name: str) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    study = load_study(ROOT / "studies" / "mixed.yaml")
    draft = create_draft(Home(console.home), study)
    page.goto(f"{console.url}/{name}?draft={draft.id}&class=files")
    heading(page, TITLES[name])
    no_fault(page)
    expect(page.get_by_role("dialog")).to_have_count(0)
    # inside the frame: the menu of six pages
    expect(page.get_by_test_id("stSidebar").get_by_role("link")).to_have_count(6)
    assert urlsplit(page.url).path == f"/{name}"
    assert parse_qs(urlsplit(page.url).query)["draft"] == [draft.id]
    # nothing is fetched from anywhere else
    assert all(url.startswith((console.url, "data:", "blob:")) for url in requested), requested


@pytest.mark.long
def test_nothing_is_wider_than_a_narrow_window(
    console: Console, browser: Browser, tmp_path: Path
) -> None:
    home = Home(console.home).ensure()
    shutil.copytree(ROOT / "tests" / "data" / "callers-run", home.runs / "callers")
    draft = create_draft(home, load_study(ROOT / "studies" / "mixed.yaml"))
    context = browser.new_context(viewport={"width": 1024, "height": 800}, color_scheme="dark")
    context.set_default_timeout(60_000)
    page = context.new_page()
    links = [
        "",
        *(f"describe?draft={draft.id}&part={part}" for part in ("meaning", "traffic", "model")),
        f"propose?draft={draft.id}",
        f"test?draft={draft.id}",
        "test?run=callers",
        *(f"compare?run=callers&view={view}" for view in ("sessions", "times", "rows", "run")),
        "decide?run=callers",
    ]
    for link in links:
        page.goto(f"{console.url}/{link}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        no_fault(page)
    context.close()


@pytest.mark.long
def test_the_menu_keeps_the_study_that_is_open(console: Console, page: Page) -> None:
    draft = create_draft(Home(console.home), load_study(ROOT / "studies" / "slot-state.yaml"))
    page.goto(f"{console.url}/describe?draft={draft.id}")
    heading(page, TITLES["describe"])
    for name, title in (("Propose", "propose"), ("Test", "test"), ("Describe", "describe")):
        menu(page, name)
        heading(page, TITLES[title])
        no_fault(page)
        page.wait_for_url(f"**/{title}?draft={draft.id}")


def test_two_windows_on_one_draft_lose_nothing(
    console: Console, browser: Browser, page: Page
) -> None:
    draft = create_draft(Home(console.home), load_study(ROOT / "studies" / "slot-state.yaml"))
    link = f"{console.url}/describe?draft={draft.id}"
    page.goto(link)
    heading(page, TITLES["describe"])
    context = browser.new_context()
    other = context.new_page()
    other.goto(link)
    heading(other, TITLES["describe"])
    no_fault(page)
    no_fault(other)
    asked = "Does an answer depend on requests before it, in their order?"
    page.get_by_role("radiogroup", name=asked).get_by_text("I don't know").click()
    expect(page.get_by_text("Treated as yes.")).to_be_visible()
    other.get_by_role("radiogroup", name=asked).get_by_text("No", exact=True).click()
    expect(other.get_by_text("was changed in another window")).to_be_visible()
    # it now shows what the first window said
    group = other.get_by_role("radiogroup", name=asked)
    expect(group.get_by_role("radio", name="I don't know")).to_be_checked()
    context.close()


def test_a_page_is_reached_and_answered_by_keyboard(
    console: Console, page: Page, tmp_path: Path
) -> None:
    draft = create_draft(Home(console.home), load_study(ROOT / "studies" / "slot-state.yaml"))
    page.goto(f"{console.url}/describe?draft={draft.id}")
    heading(page, TITLES["describe"])
    no_fault(page)
    group = page.get_by_role(
        "radiogroup", name="How do the requests of this class belong together?"
    )
    checked = group.get_by_role("radio", checked=True)
    checked.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text("Treated as parts of a session until a test")).to_be_visible()
