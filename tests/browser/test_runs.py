"""A run belongs to nobody's window: it can be stopped, and outlives the console (M45)."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from backend.contracts.home import Home
from backend.contracts.run_directory import RunDirectory
from backend.studies.drafts import create_draft
from backend.studies.progress import RunProgress, read_progress
from backend.workload.study import CandidateChoice, Study
from backend.workload.study_file import load_study
from tests.browser.console import ROOT, Console
from tests.browser.steps import RUN_MS, heading, no_fault


def small(rounds: int) -> Study:
    """The captions study, one cell and one candidate."""
    study = load_study(ROOT / "studies" / "streaming-captions.yaml")
    item = study.classes[0].model_copy(
        update={"candidates": (CandidateChoice(name="sequence-oldest"),)}
    )
    return study.model_copy(
        update={
            "rounds": rounds,
            "matrix": study.matrix.model_copy(update={"instances": (1,)}),
            "classes": (item,),
        }
    )


def started(console: Console, page: Page, study: Study) -> RunDirectory:
    draft = create_draft(Home(console.home), study)
    page.goto(f"{console.url}/test?draft={draft.id}")
    heading(page, "Test on a real Triton")
    page.get_by_role("button", name="Start the test").click()
    page.wait_for_url("**/test?run=*")
    expect(page.get_by_text("Requests sent")).to_be_visible()
    return RunDirectory(Home(console.home).runs / page.url.partition("run=")[2].partition("&")[0])


def until(run: RunDirectory, over: str) -> RunProgress:
    deadline = time.monotonic() + RUN_MS / 1000
    while time.monotonic() < deadline:
        now = read_progress(run)
        if getattr(now, over):
            return now
        time.sleep(0.3)
    pytest.fail(f"{over} did not come about: {read_progress(run)}")


@pytest.mark.long
def test_m45_stopping_keeps_what_was_measured(console: Console, page: Page) -> None:
    run = started(console, page, small(rounds=30))
    until(run, "trials_done")
    page.get_by_role("button", name="Stop the run").click()
    expect(page.get_by_text("interrupted").first).to_be_visible(timeout=RUN_MS)
    now = read_progress(run)
    assert now.state == "interrupted"
    assert 0 < now.trials_done < 30
    page.get_by_role("link", name=re.compile("Compare the candidates")).click()
    heading(page, "Compare the candidates")
    expect(
        page.get_by_text(f"The run was interrupted: {now.trials_done} of 30 trials")
    ).to_be_visible()
    expect(page.get_by_text("Whose context each reply used")).to_be_visible()
    no_fault(page)


@pytest.mark.long
def test_m45_a_run_outlives_the_console_that_started_it(tmp_path: Path, page: Page) -> None:
    with Console(tmp_path / "home", tmp_path / "console.log") as console:
        run = started(console, page, small(rounds=2))
        assert not read_progress(run).is_over
        console.stop(signal.SIGKILL)
    now = until(run, "is_over")
    assert (now.state, now.trials_done) == ("complete", 2)
    with Console(tmp_path / "home", tmp_path / "console.log") as again:
        page.goto(f"{again.url}/compare?run={run.name}")
        heading(page, "Compare the candidates")
        expect(page.get_by_text("Whose context each reply used")).to_be_visible()
        no_fault(page)
