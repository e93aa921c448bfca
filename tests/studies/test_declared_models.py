"""A model known by its tensors alone: advised and configured, never run (M09, M44)."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from backend.commands.application import application
from backend.contracts.errors import InputError
from backend.records.context import class_context
from backend.studies.advising import study_advice
from backend.studies.preparation import prepare
from backend.studies.runnable import runnable_template
from backend.workload.study_file import load_source, source_from_text

STUDY = """\
schema: 1
name: declared
classes:
  - name: speech
    workload:
      answers:
        relation: parts_of_a_session
        serving: {backend: onnxruntime}
    model:
      declared:
        max_batch_size: 8
        inputs: [{name: FRAME, data_type: FP32, dims: [80]}]
        outputs: [{name: TEXT, data_type: BYTES, dims: [1]}]
        states: [{input_name: H, output_name: H_OUT, data_type: FP32, dims: [64]}]
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_run_is_refused_plainly_at_its_line(tmp_path: Path) -> None:
    source = load_source(written(tmp_path, STUDY))
    with pytest.raises(InputError, match="described by its tensors only") as caught:
        prepare(source.study, source=source)
    assert caught.value.line == STUDY.splitlines().index("      declared:") + 1
    assert "Choose a model template" in caught.value.next_step
    with pytest.raises(InputError, match="nothing to run"):
        runnable_template(source.study.classes[0])


def test_the_command_run_ends_with_2_and_advise_and_config_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERLEAVE_HOME", str(tmp_path / "home"))
    path = str(written(tmp_path, STUDY))
    runner = CliRunner()
    refused = runner.invoke(application, ["run", path], standalone_mode=False)
    assert isinstance(refused.exception, InputError)
    assert refused.exception.exit_code == 2
    assert not list((tmp_path / "home").glob("runs/*"))
    advised = runner.invoke(application, ["advise", path], standalone_mode=False)
    assert (advised.exception, advised.return_value) == (None, 0)
    assert advised.stdout.startswith("speech: sequence-")
    configured = runner.invoke(application, ["config", path], standalone_mode=False)
    assert (configured.exception, configured.return_value) == (None, 0)
    assert 'backend: "onnxruntime"' in configured.stdout


def test_advice_needs_no_backend_and_names_the_lines_of_faults() -> None:
    source = source_from_text(STUDY.replace("        serving: {backend: onnxruntime}\n", ""), "s")
    ((item, found),) = study_advice(source.study, source=source)
    assert (item.name, found.batcher) == ("speech", "sequence")
    wrong = STUDY[: STUDY.index("      declared:")] + "      template: session_prob\n"
    source = source_from_text(wrong, "s.yaml")
    with pytest.raises(InputError, match="no model template 'session_prob'") as caught:
        study_advice(source.study, source=source)
    assert caught.value.line == wrong.count("\n")


def test_a_record_tells_the_tensors() -> None:
    study = source_from_text(STUDY, "s").study
    told = class_context(study.classes[0], study, None).model
    assert told == (
        "described by its tensors only, backend onnxruntime, batches of up to 8: "
        "input FRAME (FP32 [80]), output TEXT (BYTES [1]) and state H to H_OUT"
    )
