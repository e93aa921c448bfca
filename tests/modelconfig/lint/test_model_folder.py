"""A model's folder: what is found beside the configuration, and what is missing (M12).

What the server does in each case was seen on release 24.10.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.contracts.errors import InputError
from backend.modelconfig.lint.linter import lint_reading
from backend.modelconfig.lint.model_folder import MOST_FILES, listed, of_data, read_source

TEXT = (
    'backend: "python"\nmax_batch_size: 4\n'
    'input { name: "X" data_type: TYPE_FP32 dims: [ 2 ] }\n'
    'output { name: "Y" data_type: TYPE_FP32 dims: [ 2 ] }\n'
)
CODE = 'x = pb_utils.get_input_tensor_by_name(request, "X")\ny = pb_utils.Tensor("Y", x)\n'
STATE = (
    'sequence_batching { state { input_name: "S" output_name: "T" data_type: TYPE_FP32 dims: [ 2 ] '
    'initial_state { name: "i" data_type: TYPE_FP32 dims: [ 2 ] data_file: "zero" } } }\n'
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "m"
    write(folder / "1" / "model.py", CODE)
    write(folder / "config.pbtxt", TEXT)
    return folder


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def found(model: Path, text: str = TEXT) -> dict[str, str]:
    write(model / "config.pbtxt", text)
    source = read_source(model)
    findings = lint_reading(
        source.reading,
        folder=source.folder,
        files=source.files,
        code=source.code,
        file=source.name,
    )
    return {item.rule: item.message for item in findings if item.severity != "info"}


def test_a_whole_folder_lacks_nothing(model: Path) -> None:
    assert "no-scheduler" in found(model)
    assert found(model, TEXT + "dynamic_batching { }\n") == {}


def test_a_python_model_without_its_file_is_an_error(model: Path) -> None:
    (model / "1" / "model.py").rename(model / "1" / "other.py")
    assert "1/model.py" in found(model)["file-missing"]
    assert "file-missing" not in found(model, TEXT + 'default_model_filename: "other.py"\n')


def test_the_newest_version_is_served_and_its_source_is_read(model: Path) -> None:
    write(model / "10" / "model.py", CODE.replace('"X"', '"NEW"'))
    write(model / "9" / "model.py", CODE)
    assert "'NEW'" in found(model)["code-input-undeclared"]
    every = found(model, TEXT + "version_policy { specific { versions: [ 9, 1 ] } }\n")
    assert "code-input-undeclared" not in every


def test_a_folder_with_a_leading_zero_is_no_version(model: Path) -> None:
    (model / "1").rename(model / "01")
    assert "no folder of a version" in found(model)["version-missing"]
    (model / "01").rename(model / "0")
    assert found(model, TEXT + "dynamic_batching { }\n") == {}


def test_a_policy_that_serves_none_of_the_versions(model: Path) -> None:
    text = TEXT + "version_policy { specific { versions: [ 2 ] } }\n"
    assert found(model, text)["version-missing"].endswith("has: 1.")


def test_an_initial_state_from_a_file(model: Path) -> None:
    assert "initial_state/zero" in found(model, TEXT + STATE)["file-missing"]
    write(model / "initial_state" / "zero", "1234567")
    assert "7 bytes; 8 are needed" in found(model, TEXT + STATE)["file-short"]
    write(model / "initial_state" / "zero", "123456789")
    assert not {"file-short", "file-missing"} & set(found(model, TEXT + STATE))


def test_an_environment_within_the_folder(model: Path) -> None:
    text = TEXT + (
        'parameters { key: "EXECUTION_ENV_PATH" '
        'value { string_value: "$$TRITON_MODEL_DIRECTORY/env.tar.gz" } }\n'
    )
    assert "env.tar.gz" in found(model, text)["file-missing"]
    write(model / "env.tar.gz", "x")
    assert "file-missing" not in found(model, text)


def test_links_count_as_what_they_lead_to(model: Path, tmp_path: Path) -> None:
    (model / "1" / "model.py").rename(tmp_path / "shared.py")
    (model / "1" / "model.py").symlink_to(tmp_path / "shared.py")
    assert "file-missing" not in found(model)
    (tmp_path / "shared.py").unlink()
    assert "file-missing" in found(model)


def test_a_link_in_a_circle_comes_to_an_end(model: Path) -> None:
    (model / "1" / "again").symlink_to(model)
    assert "file-missing" not in found(model)


def test_a_folder_of_very_many_files_is_not_listed(model: Path) -> None:
    for number in range(MOST_FILES + 1):
        (model / "1" / f"f{number}").touch()
    assert listed(model) is None
    assert "file-missing" not in found(model)


def test_a_source_that_is_no_python_does_not_hide_the_other_findings(model: Path) -> None:
    write(model / "1" / "model.py", "def execute(:\n")
    rules = found(model, TEXT.replace("max_batch_size: 4", "max_batch_size: -4"))
    assert "no valid Python" in rules["code-unreadable"]
    assert "max-batch-size-negative" in rules


@pytest.mark.parametrize("name", ["nowhere", "with\0nul", "x" * 5000])
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_source(tmp_path / name)


def test_a_model_that_is_no_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no folder"):
        of_data(b'name: "a"', "pasted", tmp_path / "nowhere")


def test_json_where_triton_reads_text_is_an_error(model: Path) -> None:
    assert "json-in-pbtxt" in found(model, '{"backend": "python"}')
