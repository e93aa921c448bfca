"""Progress is read from the run directory alone (M45)."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backend.contracts.process_identity import identity
from backend.contracts.run_directory import RunDirectory
from backend.studies.progress import TrialCounters, read_progress, write_counters

TRIAL = {
    "trial": 0, "class": "calls", "candidate": "dynamic",
    "cell": "instances=2,concurrency=8,mix=m", "repeat": 0,
}  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory(tmp_path / "R").create()


def started(run: RunDirectory, worker: str | None = None) -> None:
    run.append_event("run_started", study="s", planned=4, worker=worker or identity())


def test_a_running_run_counts_trials_and_expects_its_end(run: RunDirectory):
    started(run)
    run.append_event("trial_started", **TRIAL)
    write_counters(run, TrialCounters(trial=0, requests=9, sent=5, answered=4, errors=1))
    seen = read_progress(run)
    assert (seen.state, seen.trials_done, seen.trials_planned) == ("running", 0, 4)
    assert seen.remaining_s is None
    assert seen.counters is not None
    assert (seen.counters.answered, seen.counters.errors) == (4, 1)
    assert seen.phase == "Measuring calls, dynamic, instances=2, concurrency=8, mix=m, round 1"
    run.append_event("trial_finished", **TRIAL)
    seen = read_progress(run)
    assert seen.trials_done == 1
    assert seen.remaining_s is not None
    assert not seen.is_over


def test_a_dead_worker_leaves_an_interrupted_run(run: RunDirectory):
    gone = os.fork()
    if gone == 0:
        os._exit(0)
    worker = identity(gone) or f"boot:{gone}:0"
    os.waitpid(gone, 0)
    started(run, worker)
    run.append_event("trial_finished", **TRIAL)
    seen = read_progress(run)
    assert (seen.state, seen.trials_done) == ("interrupted", 1)
    assert "finished trials are kept" in seen.message


def test_a_reused_pid_is_not_the_worker(run: RunDirectory):
    boot, pid, start = str(identity()).split(":")
    started(run, f"{boot}:{pid}:{int(start) - 1}")
    assert read_progress(run).state == "interrupted"


def test_waiting_says_for_whom(run: RunDirectory):
    started(run)
    run.append_event("waiting", why="The run r1 measures on this machine; one run at a time.")
    seen = read_progress(run)
    assert seen.state == "waiting"
    assert "The run r1 measures" in seen.phase


def test_an_end_is_final_and_carries_its_words(run: RunDirectory):
    started(run)
    run.append_event("failed", what="The disk is full.", why="w", next="n", exit_code=3)
    seen = read_progress(run)
    assert (seen.state, seen.exit_code, seen.message) == ("failed", 3, "The disk is full.\nw\nn")
    assert seen.is_over


def test_a_torn_last_line_is_not_an_event(run: RunDirectory):
    started(run)
    with run.events.open("a") as file:
        file.write('{"event": "trial_fin')
    assert read_progress(run).trials_done == 0


def test_an_empty_folder_is_no_run(run: RunDirectory):
    assert read_progress(run).state == "failed"


def test_events_are_stamped_in_utc(run: RunDirectory):
    started(run)
    at = datetime.fromisoformat(run.read_events()[0]["at"])
    assert abs((datetime.now(UTC) - at).total_seconds()) < 60
