"""A model appears in the repository complete, and a second time as a whole (M09, M19)."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from backend.contracts.errors import EnvironmentMissing, InputError
from backend.runtime.repository import assemble, model_files_hash
from backend.templates.template import Samples, Template, Tensor


def template(folder: Path, **files: str) -> Template:
    version = folder / "1"
    (version / "__pycache__").mkdir(parents=True)
    (version / "__pycache__/model.cpython-311.pyc").write_bytes(b"compiled")
    for name, content in files.items():
        (version / name.replace("_py", ".py")).write_text(content)
    tensor = Tensor(name="I", data_type="FP32", dims=(1,))
    return Template(
        name="example",
        title="Example",
        about="",
        stateful=False,
        state_places=("none",),
        oracle="isolated_replay",
        max_batch_size=4,
        inputs=(tensor,),
        outputs=(tensor,),
        samples=Samples(kind="generated", input="I"),
        folder=folder,
    )


def test_model_has_the_templates_files_without_compiled_ones_and_the_configuration(
    tmp_path: Path,
) -> None:
    repository = tmp_path / "models"
    folder = assemble(repository, "m", template(tmp_path / "t", model_py="A"), "name: 'm'")
    assert folder == repository / "m"
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*")) == [
        "1",
        "1/model.py",
        "config.pbtxt",
    ]
    assert (folder / "config.pbtxt").read_text() == "name: 'm'"
    assert [p.name for p in repository.iterdir()] == ["m"]


def test_a_second_assembly_replaces_all_of_the_first(tmp_path: Path) -> None:
    repository = tmp_path / "models"
    assemble(repository, "m", template(tmp_path / "a", model_py="A", extra_py="E"), "first")
    (repository / "m/1/__pycache__").mkdir()
    assemble(repository, "m", template(tmp_path / "b", model_py="B"), "second")
    assert (repository / "m/1/model.py").read_text() == "B"
    assert (repository / "m/config.pbtxt").read_text() == "second"
    assert [p.name for p in (repository / "m/1").iterdir()] == ["model.py"]
    # nothing is left beside the repository either
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b", "models"]


@pytest.mark.parametrize("name", ["", "a b", "a;b", "../m", "$(x)", "-m", ".m", "a/b"])
def test_a_name_that_means_something_to_a_shell_or_a_path_is_refused(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(InputError, match="cannot be the name of a model"):
        assemble(tmp_path / "models", name, template(tmp_path / "t", model_py="A"), "")


def test_a_template_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no 1/model\.py"):
        assemble(tmp_path / "models", "m", template(tmp_path / "t"), "")


def test_a_repository_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file, not a folder")
    with pytest.raises(EnvironmentMissing, match="cannot be written"):
        assemble(tmp_path / "models", "m", template(tmp_path / "t", model_py="A"), "")


def test_hash_is_over_names_and_contents_and_not_over_compiled_files(tmp_path: Path) -> None:
    first = template(tmp_path / "a", model_py="AB").folder / "1"
    by_hand = hashlib.sha256(b"model.py\0" + b"2\0" + b"AB").hexdigest()
    assert model_files_hash(first) == f"sha256:{by_hand}"
    (first / "__pycache__/model.cpython-311.pyc").write_bytes(b"other")
    assert model_files_hash(first) == f"sha256:{by_hand}"
    (first / "model.py").write_text("AC")
    assert model_files_hash(first) != f"sha256:{by_hand}"
