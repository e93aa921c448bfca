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
from collections.abc import Callable, Iterator
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
from backend.workload.study_file import load_study, study_from_text  # noqa: E402
from tests.browser.console import Console  # noqa: E402

DESCRIBED_PARTS = ("life", "id", "service", "demand", "model")
SPEECH = """schema: 1
name: speech
classes:
  - name: calls
    about: Calls to the support line, transcribed while they go on.
    workload:
      answers:
        relation: parts_of_a_session
        order_matters: yes
        state_kind: implicit_state
        state_place: slot
        batch_mates_matter: no
        replies: one
        shapes: fixed
        lifecycle: {start_marked: yes, belongs_by: correlation_id, waits_for_reply: no,
          end_marked: sometimes}
        correlation_id: {type: uint64, assigned_by: gateway, made_as: hash, control_type: uint32,
          unique: yes, unique_scope: gateway, reused_after_end: no, may_be_empty: yes}
        arrivals: poisson
        serving: {backend: onnxruntime, hardware: gpu}
      demand: {rate_per_s: 50, live_sessions: 40, execution_ms: 20, deadline_ms: 15}
      traffic:
        mixes: {calls: [{group: calls, share: 1, steps: [20, 200]}]}
        longest_gap_ms: 8000
    model:
      declared:
        max_batch_size: 8
        inputs: [{name: FRAME, data_type: FP32, dims: [-1, 80]}]
        outputs: [{name: TEXT, data_type: BYTES, dims: [1]}]
        states: [{input_name: H, output_name: H_OUT, data_type: FP32, dims: [64]}]
  - name: labels
    about: Uploaded files to classify.
    model: {template: magika}
"""
"""A study with doubts in answers and numbers, and a model that is known by its tensors."""

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
        wanted = set(options.pages)
        for name, link in links(console, browser, home):
            if options.pages and name not in options.pages:
                continue
            wanted.discard(name)
            for width in WIDTHS:
                for theme in THEMES:
                    target = HERE / f"{name}-{width}-{theme}.png"
                    picture(browser, console.url + link, width, theme, target)
                    print(target.name, f"{target.stat().st_size // 1024} KiB")
            if options.pages and not wanted - {"propose-check", "test-running"}:
                break
        if not options.pages or "propose-check" in options.pages:
            checking(console, browser, home)
        if not options.pages or "test-running" in options.pages:
            running(console, browser, home)
        browser.close()
    if options.home is None:
        shutil.rmtree(place)


def links(console: Console, browser: Browser, home: Home) -> Iterator[tuple[str, str]]:
    """What is pictured, each with its link."""
    draft = create_draft(home, load_study(ROOT / "studies" / "mixed.yaml"))
    doubtful = create_draft(home, doubts(load_study(ROOT / "studies" / "streaming-captions.yaml")))
    speech = create_draft(home, study_from_text(SPEECH))
    yield "describe", f"/describe?draft={doubtful.id}"
    yield "describe-traffic", f"/describe?draft={draft.id}&part=traffic"
    for part in DESCRIBED_PARTS:
        yield f"describe-{part}", f"/describe?draft={speech.id}&part={part}"
    yield "propose", f"/propose?draft={draft.id}"
    yield "test", f"/test?draft={draft.id}"
    # from here on runs are shown: they take minutes where there are none
    calls = run_of(home, "voice-activity")
    captions = run_of(home, "streaming-captions")
    number = record(console, browser, calls)
    yield "start", "/"
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


PASTED = """name: "asr"
backend: "python"
max_batch_size: 8
input [ { name: "AUDIO" data_type: TYPE_FP32 dims: [ -1 ] } ]
output [ { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] } ]
dynamic_batching {
  preferred_batch_size: [ 4, 16 ]
  default_queue_policy { max_queue_size: 100 }
}
"""


def checking(console: Console, browser: Browser, home: Home) -> None:
    """The page that checks a file, with one that has faults."""
    draft = create_draft(home, load_study(ROOT / "studies" / "voice-activity.yaml"))
    for width in WIDTHS:
        for theme in THEMES:
            target = HERE / f"propose-check-{width}-{theme}.png"
            link = f"{console.url}/propose?draft={draft.id}&view=check"
            picture(browser, link, width, theme, target, prepare=_paste)
            print(target.name, f"{target.stat().st_size // 1024} KiB")


def _paste(page: Page) -> None:
    field = page.locator("textarea").first
    field.fill(PASTED)
    field.press("Control+Enter")
    settled(page)


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


def picture(
    browser: Browser,
    link: str,
    width: int,
    theme: str,
    target: Path,
    prepare: Callable[[Page], None] | None = None,
) -> None:
    """One picture of a whole page, after something was done there."""
    with opened(browser, link, width, theme) as page:
        if prepare is not None:
            prepare(page)
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
