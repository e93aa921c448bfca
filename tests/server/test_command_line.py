"""Exit codes and plain messages of the commands, on the real server: M18, M44, M45."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.command_line import (
    STUDIES,
    CommandLine,
    end_of,
    no_traceback,
    one_round,
    wait_until,
)

SHORT = ("instances: [1, 2]", "instances: [2]")


@pytest.fixture
def cli(embedded_triton_possible: None, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "home")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real disk that a few trials fill: 1.3 MB of memory, mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1300k", "tmpfs", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"needs the right to mount a small disk (root): {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_m44_a_wrong_candidate_fails_with_1(cli: CommandLine, tmp_path: Path) -> None:
    study = one_round("streaming-captions", tmp_path, SHORT)
    ended = cli("run", study, "--candidate", "dynamic", "--out", tmp_path / "R", "--json")
    assert ended.code == 1
    findings = json.loads(ended.out)
    assert findings["judged_candidate"] == "dynamic"
    assert findings["verdict"] == "fail"
    assert cli("report", tmp_path / "R").code == 1


def test_m44_a_server_that_cannot_start_gives_3(cli: CommandLine, tmp_path: Path) -> None:
    """Too few file descriptors for Triton, enough for us: a real server that really ends."""
    study = one_round("streaming-captions", tmp_path, SHORT)
    ended = end_of(cli.start_limited(40, "run", study, "--out", tmp_path / "R"))
    assert ended.code == 3, ended.err
    no_traceback(ended, ["Triton", "Next:"])
    assert cli.leftovers() == []


def test_m45_ctrl_c_keeps_what_was_measured(cli: CommandLine, tmp_path: Path) -> None:
    root = tmp_path / "R"
    process = cli.start("run", STUDIES / "streaming-captions.yaml", "--out", root)
    wait_until(lambda: (root / "trials/01/server.json").exists(), "two finished trials")
    regions = [path.name for path in Path("/dev/shm").glob("interleave-*")]
    assert any(cli.leftovers())
    assert regions
    process.send_signal(signal.SIGINT)
    ended = end_of(process)
    assert ended.code == 130
    no_traceback(ended, ["stopped"])
    assert cli.leftovers() == []

    report = cli("report", root, "--json")
    assert report.code == 130
    findings = json.loads(report.out)
    assert findings["status"] == "interrupted"
    assert findings["trials_planned"] == 24
    assert 2 <= findings["trials_done"] < 24
    assert findings["verdict"] != "pass"
    kept = {
        candidate["name"]: candidate["trials"]
        for candidate in findings["classes"]["captions"]["candidates"]
    }
    assert kept["sequence-oldest"] == [0]


@pytest.mark.long
def test_m18_a_killed_worker_is_cleaned_up_after(cli: CommandLine, tmp_path: Path) -> None:
    root = tmp_path / "R"
    process = cli.start("run", STUDIES / "streaming-captions.yaml", "--out", root)
    wait_until(lambda: (root / "trials/00/server.json").exists(), "a finished trial")
    process.send_signal(signal.SIGKILL)
    end_of(process)
    assert cli.leftovers()

    # a live worker beside it, in the same home, is not touched
    other = tmp_path / "other"
    live = cli.start("run", one_round("slot-state", tmp_path, SHORT), "--out", other)
    wait_until(lambda: (other / "trials/00/server.json").exists(), "a trial of the next run")
    cleaned = cli("cleanup")
    assert cleaned.code == 0
    ended = end_of(live)
    # a busy machine may give no verdict, but the run came to its own end
    assert ended.code in (0, 3), ended.err
    assert "3 of 3 trials" in ended.out
    assert cli.leftovers() == []
    assert cli("cleanup").out.strip() == "Nothing was left behind."

    report = cli("report", root, "--json")
    assert report.code == 130
    assert json.loads(report.out)["status"] == "interrupted"


@pytest.mark.long
def test_m44_a_full_disk_keeps_finished_trials(
    cli: CommandLine, tmp_path: Path, small_disk: Path
) -> None:
    study = one_round("streaming-captions", tmp_path)
    ended = cli("run", study, "--out", small_disk / "R")
    assert ended.code == 3
    no_traceback(ended, ["disk is full", "Next:"])
    assert cli.leftovers() == []
    finished = list((small_disk / "R/trials").glob("*/server.json"))
    assert finished


@pytest.mark.long
def test_m44_findings_that_cannot_be_written_give_3_and_can_be_judged_later(
    cli: CommandLine, tmp_path: Path
) -> None:
    """The disk goes bad after the last trial: the place of the findings is taken by a folder."""
    root = tmp_path / "R"
    study = one_round("slot-state", tmp_path, SHORT)
    process = cli.start("run", study, "--candidate", "sequence-direct", "--out", root)
    wait_until(root.exists, "the run directory")
    (root / "findings.json.part").mkdir()
    ended = end_of(process)
    assert ended.code == 3
    no_traceback(ended, ["could not be read or written", "findings.json.part"])
    assert cli.leftovers() == []
    (root / "findings.json.part").rmdir()
    report = cli("report", root, "--json")
    assert report.code == 3
    assert json.loads(report.out)["trials_done"] == 1


def test_m44_a_reader_that_went_away_changes_no_code(cli: CommandLine) -> None:
    process = cli.start("config", STUDIES / "streaming-captions.yaml")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()
