"""Takes a picture of every page, of real runs: ``<page>-<width>-<theme>.png`` beside this file.

    .venv/bin/python docs/screens/make_screens.py [--home DIR] [PAGE …]

Without runs in the home it first runs the two studies that the pictures show (some minutes).
Needs Chromium and the packages of requirements-dev.txt.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from backend.contracts.home import Home  # noqa: E402
from backend.contracts.run_directory import RunDirectory  # noqa: E402
from backend.studies.drafts import create_draft  # noqa: E402
from backend.studies.launch import request_stop, start_run  # noqa: E402
from backend.studies.progress import read_progress  # noqa: E402
from backend.studies.results import list_runs  # noqa: E402
from backend.workload.questions import with_answer  # noqa: E402
from backend.workload.study import Study  # noqa: E402
from backend.workload.study_file import load_study  # noqa: E402
from tests.browser.console import Console  # noqa: E402

WIDTHS = (1440, 1024)
THEMES = ("light", "dark")
COLOURS = 128
"""Enough for pages of text and charts; keeps a picture small."""


def main() -> None:
    """Take the pictures that were asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="a home with runs; a new one if left out")
    parser.add_argument("pages", nargs="*", help="only these pictures")
    options = parser.parse_args()
    place = options.home or Path(tempfile.mkdtemp(prefix="interleave-screens-"))
    os.environ["INTERLEAVE_HOME"] = str(place.resolve())
    home = Home(place.resolve()).ensure()
    with Console(home.root, home.root / "console.log") as console, sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        for name, link in links(console, browser, home):
            if options.pages and name not in options.pages:
                continue
            for width in WIDTHS:
                for theme in THEMES:
                    target = HERE / f"{name}-{width}-{theme}.png"
                    picture(browser, console.url + link, width, theme, target)
                    print(target.name, f"{target.stat().st_size // 1024} KiB")
        if not options.pages or "test-running" in options.pages:
            running(console, browser, home)
        browser.close()
    if options.home is None:
        shutil.rmtree(place)


def links(console: Console, browser: Browser, home: Home) -> Iterator[tuple[str, str]]:
    """What is pictured, each with its link."""
    calls = run_of(home, "voice-activity")
    captions = run_of(home, "streaming-captions")
    draft = create_draft(home, load_study(ROOT / "studies" / "mixed.yaml"))
    doubtful = create_draft(home, doubts(load_study(ROOT / "studies" / "streaming-captions.yaml")))
    number = record(console, browser, calls)
    yield "start", "/"
    yield "describe", f"/describe?draft={doubtful.id}"
    yield "describe-traffic", f"/describe?draft={draft.id}&part=traffic"
    yield "propose", f"/propose?draft={draft.id}"
    yield "test", f"/test?draft={draft.id}"
    yield "compare", f"/compare?run={calls.name}"
    yield "compare-contexts", f"/compare?run={captions.name}"
    yield "compare-costs", f"/compare?run={captions.name}&view=times"
    yield "compare-rows", f"/compare?run={captions.name}&view=rows"
    yield "compare-conditions", f"/compare?run={captions.name}&view=run"
    yield "decide", f"/decide?run={captions.name}"
    yield "decide-record", f"/decide?record={number}"


def doubts(study: Study) -> Study:
    """The study with a contradiction and an open question, for the page to point at."""
    item = study.classes[0]
    answers = with_answer(item.workload.answers, "order", "no")
    answers = with_answer(answers, "end_marked", "unknown")
    workload = item.workload.model_copy(update={"answers": answers})
    return study.model_copy(update={"classes": (item.model_copy(update={"workload": workload}),)})


def run_of(home: Home, study: str) -> RunDirectory:
    """The latest finished run of a study; made now if there is none."""
    for run in list_runs(home):
        progress = read_progress(run)
        if progress.study == study and progress.state == "complete":
            return run
    print(f"running {study} …")
    command = [sys.executable, "-m", "backend", "run", str(ROOT / "studies" / f"{study}.yaml")]
    target = home.runs / f"{study}-{time.strftime('%Y%m%d-%H%M%S')}"
    # a fail of a wrong candidate is what is to be shown; the study's own verdict is no matter here
    subprocess.run([*command, "--out", str(target)], cwd=ROOT, check=False)
    return RunDirectory(target)


def record(console: Console, browser: Browser, run: RunDirectory) -> str:
    """The number of an accepted record of a run, written on the page as a reader would."""
    page = browser.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{console.url}/decide?run={run.name}")
    page.get_by_role("textbox", name="Because").fill(
        "Every frame was the caller's own on one and two instances; the dynamic batcher changed "
        "speech to silence on two."
    )
    page.get_by_role("textbox", name="Consequences").fill(
        "Each live call holds a sequence slot: 8 calls per pair of instances."
    )
    page.get_by_role("textbox", name="Written by").fill("Tess Engineer")
    page.get_by_role("textbox", name="Written by").press("Tab")
    settled(page)
    page.get_by_role("button", name="Save as proposed").click()
    page.wait_for_url("**/decide?record=*")
    page.get_by_role("textbox", name="Who decides").fill("Ada Reviewer")
    page.get_by_role("textbox", name="why").or_(
        page.get_by_role("textbox", name="because")
    ).first.fill("Seen in the callers' lanes.")
    page.get_by_role("textbox", name="Who decides").press("Tab")
    settled(page)
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("can no longer change")).to_be_visible()
    number = page.url.partition("record=")[2].partition("&")[0]
    page.close()
    return number


def running(console: Console, browser: Browser, home: Home) -> None:
    """The page of a run while it measures."""
    run = start_run(home, load_study(ROOT / "studies" / "streaming-captions.yaml"))
    while read_progress(run).counters is None and not read_progress(run).is_over:
        time.sleep(0.5)
    for width in WIDTHS:
        for theme in THEMES:
            target = HERE / f"test-running-{width}-{theme}.png"
            link = f"{console.url}/test?run={run.name}"
            picture(browser, link, width, theme, target)
            print(target.name, f"{target.stat().st_size // 1024} KiB")
    request_stop(run)


def settled(page: Page) -> None:
    """Wait until the page is drawn, charts included."""
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stApp")).to_have_attribute(
        "data-test-script-state", "notRunning", timeout=60_000
    )
    # fonts and charts are drawn after the script run, without a sign of their end
    page.wait_for_timeout(1500)


@contextmanager
def opened(browser: Browser, link: str, width: int, theme: str) -> Iterator[Page]:
    """A page in a window of that width and theme."""
    scheme = "dark" if theme == "dark" else "light"
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(link)
    settled(page)
    yield page
    context.close()


def picture(browser: Browser, link: str, width: int, theme: str, target: Path) -> None:
    """One picture of a whole page."""
    with opened(browser, link, width, theme) as page:
        tall = "() => document.querySelector('[data-testid=stMain]').scrollHeight"
        # a window of another height may lay the page out anew: its height is asked for again
        for _ in range(2):
            height = max(900, int(page.evaluate(tall)))
            page.set_viewport_size({"width": width, "height": height})
            settled(page)
        content = page.screenshot()
    small(Image.open(io.BytesIO(content)).convert("RGB")).save(target, optimize=True)


def small(image: Image.Image) -> Image.Image:
    """The picture with few colours: those of its areas exactly, and rare ones kept apart."""
    counted = sorted(image.getcolors(image.width * image.height) or [], reverse=True)
    exact = [channel for _, colour in counted[:COLOURS] for channel in colour]
    rare = image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    palette = Image.new("P", (1, 1))
    palette.putpalette((exact + (rare.getpalette() or []))[: 3 * 256])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main()
