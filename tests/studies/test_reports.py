"""A run directory that is damaged or judged again: plain words, the same answer (M40, M44)."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.contracts.errors import InputError
from backend.contracts.process_identity import identity
from backend.contracts.run_directory import RunDirectory
from backend.studies.judging import judge_opened
from backend.studies.results import open_run

RECORDED = Path(__file__).resolve().parents[1] / "data/callers-run"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A recorded run of the real server, copied elsewhere."""
    return Path(shutil.copytree(RECORDED, tmp_path / "elsewhere"))


def test_m40_a_copied_run_judges_the_same(root: Path):
    written = open_run(root).findings
    assert written is not None
    assert judge_opened(open_run(root, with_findings=False)) == written


def test_findings_of_another_version_do_not_lock_the_report_out(root: Path):
    (root / "findings.json").write_text('{"schema_version": 99}')
    with pytest.raises(InputError, match="not a findings file of this version"):
        open_run(root)
    assert judge_opened(open_run(root, with_findings=False)).trials_done > 0


def lose_plans(root: Path) -> str:
    shutil.rmtree(root / "plans")
    return "plans"


def cut_requests(root: Path) -> str:
    table = next(root.glob("trials/*/requests.parquet"))
    table.write_bytes(table.read_bytes()[:100])
    return "requests.parquet"


def garble_server(root: Path) -> str:
    next(root.glob("trials/*/server.json")).write_text("{not json")
    return "server.json"


def empty_server(root: Path) -> str:
    next(root.glob("trials/*/server.json")).write_text("{}")
    return "KeyError"


@pytest.mark.parametrize("damage", [lose_plans, cut_requests, garble_server, empty_server])
def test_m44_a_damaged_run_names_the_file(root: Path, damage: Callable[[Path], str]):
    named = damage(root)
    with pytest.raises(InputError, match="damaged") as caught:
        judge_opened(open_run(root, with_findings=False))
    assert named in caught.value.text()


def test_a_run_that_goes_on_is_not_judged(tmp_path: Path, root: Path):
    run = RunDirectory(tmp_path / "live").create()
    shutil.copy(root / "study.yaml", run.study)
    run.append_event("run_started", study="s", planned=4, worker=identity(), candidate=None)
    with pytest.raises(InputError, match="still going on: 0 of 4 trials"):
        judge_opened(open_run(run.root))


def test_a_candidate_that_the_run_did_not_try_is_refused(root: Path):
    with pytest.raises(InputError, match="did not try no-batching"):
        judge_opened(open_run(root, with_findings=False), candidate="no-batching")
