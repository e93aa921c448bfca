"""Where the wheel cannot serve, the cause and the way out are said plainly (M16)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backend.contracts.errors import EnvironmentMissing
from backend.runtime import interpreter, wheel
from backend.runtime.check import Check
from backend.runtime.interpreter import Interpreter
from backend.runtime.wheel import check_wheel, locate


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pytriton folder laid out as version 0.7.0 is."""
    folder = tmp_path / "site-packages/pytriton"
    inside = folder / "tritonserver"
    for file in (
        inside / "bin/tritonserver",
        inside / "backends/python/libtriton_python.so",
        inside / "backends/python/triton_python_backend_utils.py",
        inside / "python_backend_stubs/3.11/triton_python_backend_stub",
        inside / "python_backend_stubs/3.13/triton_python_backend_stub",
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (folder.parent / "nvidia_pytriton.libs").mkdir()
    monkeypatch.setattr(wheel, "_installed_version", lambda: "0.7.0")
    monkeypatch.setattr(interpreter, "SYSTEM_LIBRARY_FOLDERS", (tmp_path / "system",))
    return folder


def python(tmp_path: Path, **changes: Any) -> Interpreter:
    root = tmp_path / "python"
    for file in (root / "lib/libpython3.11.so.1.0", root / "bin/python3"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    facts: dict[str, Any] = {
        "system": "Linux",
        "machine": "x86_64",
        "glibc": (2, 36),
        "version": (3, 11),
        "debug_build": False,
        "executable": root / "bin/python3.11",
        "base_prefix": root,
        "library_folders": (root / "lib",),
    }
    return Interpreter(**{**facts, **changes})


def the_missing(checks: tuple[Check, ...]) -> Check:
    missing = [check for check in checks if check.status == "missing"]
    assert len(missing) == 1
    assert missing[0].next_step
    return missing[0]


def test_all_parts_on_an_ordinary_python(tmp_path: Path, package: Path) -> None:
    described = python(tmp_path)
    assert {check.status for check in check_wheel(described, package)} == {"ok"}
    parts = locate(described, package)
    assert parts.server == package / "tritonserver/bin/tritonserver"
    assert parts.stub.parent.name == "3.11"
    assert parts.libpython == tmp_path / "python/lib/libpython3.11.so.1.0"
    assert parts.libraries == package.parent / "nvidia_pytriton.libs"
    assert parts.programs == tmp_path / "python/bin"


@pytest.mark.parametrize(
    ("changes", "name", "says"),
    [
        ({"system": "Darwin", "machine": "arm64"}, "platform", "This is Darwin on arm64"),
        ({"machine": "aarch64"}, "platform", "This is Linux on aarch64"),
        ({"glibc": (2, 31)}, "glibc", "glibc 2.31; the embedded Triton needs glibc 2.35"),
        ({"glibc": None}, "glibc", "is not glibc"),
        ({"version": (3, 13)}, "python", "This is Python 3.13"),
        ({"version": (3, 14)}, "python", "runs models with Python 3.11 or 3.12"),
        ({"debug_build": True}, "python", "is a debug build"),
    ],
)
def test_a_machine_or_python_that_the_wheel_cannot_serve(
    tmp_path: Path, package: Path, changes: dict[str, Any], name: str, says: str
) -> None:
    described = python(tmp_path, **changes)
    found = the_missing(check_wheel(described, package))
    assert found.name == name
    assert says in found.what
    with pytest.raises(EnvironmentMissing) as raised:
        locate(described, package)
    assert raised.value.why == found.what
    assert raised.value.next_step == found.next_step
    assert raised.value.exit_code == 3


def test_an_old_glibc_is_not_confused_with_a_newer_one_by_its_digits(
    tmp_path: Path, package: Path
) -> None:
    assert the_missing(check_wheel(python(tmp_path, glibc=(2, 4)), package)).name == "glibc"


def test_without_the_wheel_it_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel, "_package_folder", lambda: None)
    found = [c for c in check_wheel(python(tmp_path)) if c.name == "triton wheel"]
    assert found[0].status == "missing"
    assert found[0].next_step == "Run: pip install nvidia-pytriton==0.7.0"
    with pytest.raises(EnvironmentMissing):
        locate(python(tmp_path))


def test_a_broken_wheel_names_the_part_that_is_not_there(tmp_path: Path, package: Path) -> None:
    (package / "tritonserver/bin/tritonserver").unlink()
    found = the_missing(check_wheel(python(tmp_path), package))
    assert "bin/tritonserver" in found.what
    assert "--force-reinstall" in found.next_step


def test_another_version_of_the_wheel_is_a_warning(
    tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel, "_installed_version", lambda: "0.5.7")
    checks = check_wheel(python(tmp_path), package)
    found = next(check for check in checks if check.name == "triton wheel")
    assert found.status == "warning"
    assert "0.5.7" in found.what
    assert locate(python(tmp_path), package).version == "0.5.7"


@pytest.mark.parametrize(
    ("base", "step"),
    [
        ("usr", "apt install libpython3.11"),
        (".pyenv/versions/3.11.7", "PYTHON_CONFIGURE_OPTS=--enable-shared"),
    ],
)
def test_without_libpython_it_says_where_it_comes_from(
    tmp_path: Path, package: Path, base: str, step: str
) -> None:
    described = python(tmp_path, base_prefix=tmp_path / base, library_folders=())
    (tmp_path / "python/lib/libpython3.11.so.1.0").unlink()
    found = the_missing(check_wheel(described, package))
    assert found.name == "libpython"
    assert "libpython3.11.so.1.0" in found.what
    assert step in found.next_step


def test_the_library_of_another_python_is_used_with_a_warning(
    tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = tmp_path / "system"
    system.mkdir()
    (system / "libpython3.11.so.1.0").touch()
    described = python(tmp_path)
    (tmp_path / "python/lib/libpython3.11.so.1.0").unlink()
    found = next(c for c in check_wheel(described, package) if c.name == "libpython")
    assert found.status == "warning"
    assert str(system) in found.what
    assert locate(described, package).libpython == system / "libpython3.11.so.1.0"


def test_a_folder_without_python3_would_give_models_other_packages(
    tmp_path: Path, package: Path
) -> None:
    described = python(tmp_path)
    (tmp_path / "python/bin/python3").unlink()
    found = the_missing(check_wheel(described, package))
    assert found.name == "python3"
    assert "-m venv" in found.next_step
