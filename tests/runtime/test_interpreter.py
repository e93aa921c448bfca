"""libpython is found on each kind of ordinary Python (M16): pyenv, Debian, uv, a static build."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest

from backend.runtime import interpreter
from backend.runtime.interpreter import Interpreter, find_libpython, this_interpreter


@pytest.fixture(autouse=True)
def system_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "usr/lib/x86_64-linux-gnu"
    folder.mkdir(parents=True)
    monkeypatch.setattr(interpreter, "SYSTEM_LIBRARY_FOLDERS", (folder,))
    return folder


def python(root: Path, executable: Path, library_folders: tuple[Path, ...] = ()) -> Interpreter:
    executable.parent.mkdir(parents=True, exist_ok=True)
    executable.touch()
    return Interpreter(
        system="Linux",
        machine="x86_64",
        glibc=(2, 36),
        version=(3, 11),
        debug_build=False,
        executable=executable,
        base_prefix=root,
        library_folders=library_folders,
    )


def library(folder: Path, name: str = "libpython3.11.so.1.0") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).touch()
    return folder / name


def test_pyenv_with_shared_library_in_a_venv(tmp_path: Path) -> None:
    root = tmp_path / ".pyenv/versions/3.11.7"
    own = library(root / "lib")
    found = find_libpython(python(root, tmp_path / "venv/bin/python", (root / "lib",)))
    assert found == own


def test_debian_whose_python_is_static_and_whose_library_is_a_package_of_its_own(
    tmp_path: Path, system_folder: Path
) -> None:
    described = python(tmp_path / "usr", tmp_path / "venv/bin/python", (system_folder,))
    assert find_libpython(described) is None
    own = library(system_folder)
    assert find_libpython(described) == own


def test_uv_whose_settings_name_the_folder_of_the_machine_that_built_it(tmp_path: Path) -> None:
    root = tmp_path / "uv/python/cpython-3.11.13-linux-x86_64-gnu"
    own = library(root / "lib")
    described = python(root, tmp_path / "venv/bin/python", (Path("/install/lib"),))
    assert find_libpython(described) == own


def test_a_python_without_settings_is_searched_beside_its_real_program(tmp_path: Path) -> None:
    root = tmp_path / "opt/python"
    own = library(root / "lib")
    program = root / "bin/python3.11"
    program.parent.mkdir(parents=True)
    program.touch()
    link = tmp_path / "venv/bin/python"
    link.parent.mkdir(parents=True)
    link.symlink_to(program)
    assert find_libpython(python(tmp_path / "elsewhere", link)) == own


def test_its_own_library_comes_before_the_systems(tmp_path: Path, system_folder: Path) -> None:
    library(system_folder)
    root = tmp_path / ".pyenv/versions/3.11.7"
    own = library(root / "lib")
    assert find_libpython(python(root, root / "bin/python", (root / "lib",))) == own


def test_a_library_of_another_minor_version_does_not_serve(
    tmp_path: Path, system_folder: Path
) -> None:
    library(system_folder, "libpython3.12.so.1.0")
    library(system_folder, "libpython3.11.a")
    assert find_libpython(python(tmp_path, tmp_path / "bin/python")) is None


def test_this_python_is_described_as_it_is() -> None:
    here = this_interpreter()
    assert here.version == sys.version_info[:2]
    assert here.executable == Path(sys.executable)
    if here.system == "Linux" and here.glibc is not None:
        gnu = ctypes.CDLL(None).gnu_get_libc_version
        gnu.restype = ctypes.c_char_p
        assert ".".join(map(str, here.glibc)) == gnu().decode()
