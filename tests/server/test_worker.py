"""What a run makes of models that do not load or that end the server: M18, M44.

Real models on the real server: copies of the probe with a fault written in.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from backend.analysis.verdict import exit_code
from backend.contracts.exit_codes import ExitCode
from backend.contracts.findings import CandidateFinding, Findings
from backend.contracts.home import Home
from backend.contracts.run_directory import RunDirectory
from backend.studies import serving
from backend.studies.preparation import PreparedStudy, prepare
from backend.studies.worker import run_study
from backend.workload.study_file import source_from_text
from tests.server.command_line import STUDIES

DIES = """
import os, signal
_initialize = TritonPythonModel.initialize
_execute = TritonPythonModel.execute

def initialize(self, args):
    self.deadly = "dynamic_batching" in args["model_config"]
    self.seen = 0
    _initialize(self, args)

def execute(self, requests):
    self.seen += len(requests)
    if self.deadly and self.seen > 60:
        os.kill(os.getppid(), signal.SIGKILL)
    return _execute(self, requests)

TritonPythonModel.initialize = initialize
TritonPythonModel.execute = execute
"""

HANGS = """
import time
_initialize = TritonPythonModel.initialize
_execute = TritonPythonModel.execute

def initialize(self, args):
    self.hangs = "dynamic_batching" in args["model_config"]
    self.seen = 0
    _initialize(self, args)

def execute(self, requests):
    self.seen += len(requests)
    while self.hangs and self.seen > 60:
        time.sleep(1)
    return _execute(self, requests)

TritonPythonModel.initialize = initialize
TritonPythonModel.execute = execute
"""

BREAKS = """
def initialize(self, args):
    raise RuntimeError("the weights file is missing")

TritonPythonModel.initialize = initialize
"""


def with_fault(tmp_path: Path, fault: str, candidates: str) -> PreparedStudy:
    """The captions study, one cell and round, on a copy of the probe with a fault."""
    text = (STUDIES / "streaming-captions.yaml").read_text()
    text = text.replace("rounds: 3", "rounds: 1").replace("instances: [1, 2]", "instances: [1]")
    text = text.replace("[sequence-oldest, sequence-direct, dynamic, no-batching]", candidates)
    prepared = prepare(source_from_text(text, "s.yaml").study)
    item = prepared.classes[0]
    folder = tmp_path / "session_probe"
    shutil.copytree(item.template.folder, folder)
    model = folder / "1" / "model.py"
    model.write_text(model.read_text() + fault)
    template = item.template.model_copy(update={"folder": folder})
    return replace(prepared, classes=(replace(item, template=template),))


def run(prepared: PreparedStudy, tmp_path: Path) -> tuple[Findings, RunDirectory]:
    home = Home(tmp_path / "home").ensure()
    directory = RunDirectory(tmp_path / "R").create()
    findings = run_study(prepared, directory, home, say=lambda text: None)
    assert not list(home.owners.iterdir())
    assert not list(home.work.iterdir())
    return findings, directory


def candidate(findings: Findings, name: str) -> CandidateFinding:
    found = findings.classes["captions"].candidates
    return next(item for item in found if item.name == name)


def assert_served_after_it(found: CandidateFinding) -> None:
    """Measured on a new server and right (a busy machine may still void its times)."""
    assert found.verdict != "fail"
    own = [item for item in found.properties if item.row == "M21"]
    assert sum(item.checked_count for item in own) > 100
    assert all(item.violation_count == 0 for item in own)


@pytest.mark.usefixtures("embedded_triton_possible")
def test_m44_a_proposed_candidate_that_cannot_load_fails_with_the_models_own_words(
    tmp_path: Path,
) -> None:
    prepared = with_fault(tmp_path, BREAKS, "[sequence-oldest, dynamic]")
    findings, directory = run(prepared, tmp_path)
    for name in ("sequence-oldest", "dynamic"):
        assert "the weights file is missing" in str(candidate(findings, name).load_failure)
    assert exit_code(findings) == ExitCode.FAIL
    events = [event["event"] for event in directory.read_events()]
    assert events.count("candidate_refused") == 2
    assert events[-1] == "run_finished"


@pytest.mark.usefixtures("embedded_triton_possible")
def test_m18_a_server_that_dies_is_a_finding_and_the_study_goes_on(tmp_path: Path) -> None:
    prepared = with_fault(tmp_path, DIES, "[dynamic, sequence-oldest]")
    findings, _ = run(prepared, tmp_path)
    dead = candidate(findings, "dynamic")
    assert dead.verdict == "fail"
    assert any("The server ended while it served dynamic" in reason for reason in dead.reasons)
    assert any("SIGKILL" in reason or "signal 9" in reason for reason in dead.reasons)
    assert_served_after_it(candidate(findings, "sequence-oldest"))
    assert exit_code(findings) != ExitCode.FAIL


@pytest.mark.long
@pytest.mark.usefixtures("embedded_triton_possible")
def test_m18_a_model_that_hangs_is_a_finding_and_the_study_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "REPLY_TIMEOUT_S", 1.0)
    prepared = with_fault(tmp_path, HANGS, "[dynamic, sequence-oldest]")
    findings, directory = run(prepared, tmp_path)
    silent = candidate(findings, "dynamic")
    assert silent.verdict == "fail"
    assert any("stopped answering while it served dynamic" in reason for reason in silent.reasons)
    assert_served_after_it(candidate(findings, "sequence-oldest"))
    assert [e["event"] for e in directory.read_events()].count("server_lost") == 1
