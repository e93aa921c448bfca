"""``lint``: what it takes, what it prints, how it ends (M11, M12)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOOD = (
    'name: "m"\nbackend: "python"\nmax_batch_size: 4\n'
    'input [ { name: "X" data_type: TYPE_FP32 dims: [ 1 ] } ]\n'
    'output [ { name: "Y" data_type: TYPE_FP32 dims: [ 1 ] } ]\n'
    "dynamic_batching { }\n"
)
BAD = GOOD.replace("max_batch_size: 4", "max_batch_size: -4")
SESSIONS = ROOT / "studies" / "voice-activity.yaml"


def lint(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "backend", "lint", *arguments],
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model's folder as a repository has it."""
    folder = tmp_path / "m"
    (folder / "1").mkdir(parents=True)
    (folder / "config.pbtxt").write_text(GOOD, encoding="utf-8")
    (folder / "1" / "model.py").write_text(
        "def execute(requests):\n"
        "    for r in requests:\n"
        "        x = pb_utils.get_input_tensor_by_name(r, 'X')\n"
        "        pb_utils.Tensor('Y', x.as_numpy())\n",
        encoding="utf-8",
    )
    return folder


def test_a_sound_model_ends_with_0_and_says_so(model: Path) -> None:
    done = lint(str(model))
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing found" in done.stdout


def test_an_error_ends_with_1_and_names_its_place(model: Path) -> None:
    (model / "config.pbtxt").write_text(BAD, encoding="utf-8")
    done = lint(str(model / "config.pbtxt"))
    assert done.returncode == 1
    assert f"{model / 'config.pbtxt'}:3:1: error max-batch-size-negative" in done.stdout


def test_a_folder_is_checked_with_its_name_and_its_code(model: Path) -> None:
    other = model.rename(model.parent / "other")
    (other / "config.pbtxt").write_text(GOOD.replace('"X"', '"Z"'), encoding="utf-8")
    done = lint(str(other), "--json")
    assert done.returncode == 1
    rules = {item["rule"] for item in json.loads(done.stdout)}
    assert {"name-not-folder", "code-input-undeclared"} <= rules


def test_standard_input_is_read() -> None:
    done = lint("-", stdin=BAD)
    assert done.returncode == 1
    assert "standard input:3:1: error" in done.stdout


def test_a_release_decides_which_fields_exist() -> None:
    text = GOOD.replace(
        "dynamic_batching { }", "sequence_batching { iterative_sequence: true }"
    ).replace('input [ { name: "X"', 'input [ { name: "START_FREE"')
    assert lint("-", "--triton", "23.10", stdin=text).returncode == 1
    assert lint("-", "--triton", "23.11", stdin=text).returncode == 0


def test_a_study_decides_whether_the_scheduler_is_right(model: Path) -> None:
    done = lint(str(model), "--study", str(SESSIONS))
    assert done.returncode == 1
    assert "class-stateful-mixed" in done.stdout


def test_sarif_goes_to_standard_output_alone(model: Path) -> None:
    done = lint(str(model), "--format", "sarif", "--explain")
    assert json.loads(done.stdout)["version"] == "2.1.0"
    assert "What it makes Triton do" in done.stderr


def test_it_explains_and_compares(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.pbtxt"
    other.write_text(
        GOOD.replace("dynamic_batching { }", "dynamic_batching { preferred_batch_size: [ 4 ] }"),
        encoding="utf-8",
    )
    done = lint(str(model), "--explain", "--compare", str(other))
    assert done.returncode == 0
    assert "The dynamic batcher: requests that wait are merged" in done.stdout
    assert done.stdout.rstrip().endswith("nothing"), "the default of preferred_batch_size is 4"


WRONG = {
    "no such file": (("nowhere.pbtxt",), "nowhere.pbtxt cannot be read"),
    "no such release": (("-", "--triton", "24.13"), "is no release of Triton"),
    "no such class": (("-", "--study", str(SESSIONS), "--class", "x"), "no class 'x'"),
    "a class without a study": (("-", "--class", "x"), "Add --study"),
    "no such form": (("-", "--format", "xml"), "xml"),
    "nothing to compare with": (("-", "--compare", "nowhere.pbtxt"), "cannot be read"),
}


@pytest.mark.parametrize(("arguments", "words"), WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_read_ends_with_2(arguments: tuple[str, ...], words: str) -> None:
    done = lint(*arguments, stdin=GOOD)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_elsewhere_is_checked_with_the_model_that_it_is_for(model: Path) -> None:
    text = GOOD.replace('"X"', '"Z"')
    done = lint("-", "--model", str(model), "--json", stdin=text)
    assert done.returncode == 1
    assert "code-input-undeclared" in {item["rule"] for item in json.loads(done.stdout)}
    assert lint("-", "--model", "nowhere", stdin=text).returncode == 2


def test_a_machine_without_a_gpu_cannot_load_what_needs_one() -> None:
    text = GOOD + "instance_group { kind: KIND_GPU }\n"
    assert lint("-", stdin=text).returncode == 0
    done = lint("-", "--no-gpu", stdin=text)
    assert done.returncode == 1
    assert "gpu-none" in done.stdout


def test_what_may_never_end_is_not_read(tmp_path: Path) -> None:
    pipe = tmp_path / "config.pbtxt"
    os.mkfifo(pipe)
    for given in (pipe, tmp_path, "/dev/zero"):
        done = lint(str(given))
        assert done.returncode == 2
        assert "is no file" in done.stderr


def test_a_source_that_is_no_python_leaves_the_file_checked(model: Path) -> None:
    (model / "1" / "model.py").write_text("def execute(:\n", encoding="utf-8")
    done = lint(str(model))
    assert (done.returncode, done.stderr) == (0, "")
    assert "code-unreadable" in done.stdout


@pytest.mark.parametrize("coding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_of_another_coding_gets_what_it_can_show(
    coding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", coding)
    assert lint("-", "--explain", stdin='name: "é…"').returncode == 0
    done = subprocess.run(
        [sys.executable, "-m", "backend", "lint", "-", "--json"],
        cwd=ROOT, input='backend: "é…"'.encode(), capture_output=True, check=False,
    )  # fmt: skip
    assert isinstance(json.loads(done.stdout.decode(coding)), list)


def test_what_could_be_read_in_part_only_is_neither_explained_nor_compared(tmp_path: Path) -> None:
    """What stands below the break may be the scheduler."""
    broken = GOOD + 'parameters { key "x" }\ndynamic_batching { }\n'
    done = lint("-", "--explain", stdin=broken)
    assert done.returncode == 1
    assert "No scheduler" not in done.stdout
    assert "Not explained" in done.stdout
    assert f"up to line {GOOD.count(chr(10)) + 1}" in done.stdout
    whole = tmp_path / "config.pbtxt"
    whole.write_text(GOOD, encoding="utf-8")
    compared = lint("-", "--compare", str(whole), stdin=broken)
    assert compared.returncode == 2
    assert "cannot be compared" in compared.stderr


def test_the_studys_release_counts_where_none_is_named(tmp_path: Path) -> None:
    study = tmp_path / "study.yaml"
    text = SESSIONS.read_text(encoding="utf-8")
    study.write_text(text.replace("schema: 1", "schema: 1\ntriton_release: '23.10'"), "utf-8")
    newer = GOOD.replace("dynamic_batching { }", "sequence_batching { iterative_sequence: true }")
    assert "field-newer" in lint("-", "--study", str(study), stdin=newer).stdout
    assert "field-newer" not in lint("-", stdin=newer).stdout
    named = lint("-", "--study", str(study), "--triton", "24.10", stdin=newer)
    assert "field-newer" not in named.stdout


def test_what_a_template_makes_triton_do_is_told_for_plausible_values() -> None:
    hole = GOOD.replace("max_batch_size: 4", "max_batch_size: ${SIZE}")
    assert "plausible value" in lint("-", "--explain", stdin=hole).stdout
    assert "plausible value" not in lint("-", "--explain", stdin=GOOD).stdout
