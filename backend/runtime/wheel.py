"""The ``tritonserver`` of the ``nvidia-pytriton`` wheel, and what it needs of this Python.

The wheel's Python backend runs models in a *stub* linked to the shared libpython of one minor
version; it takes the packages of the ``python3`` that comes first on ``PATH``.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path
from typing import Final

from backend.contracts.errors import EnvironmentMissing
from backend.contracts.values import Value
from backend.runtime.check import Check
from backend.runtime.interpreter import Interpreter, find_libpython, this_interpreter

DISTRIBUTION: Final = "nvidia-pytriton"
PINNED_VERSION: Final = "0.7.0"
MINIMUM_GLIBC: Final = (2, 35)
"""Of the wheel's platform tag, ``manylinux_2_35``."""
USABLE_MINORS: Final = ((3, 11), (3, 12))
"""Python versions that the console supports and the wheel has a usable stub for.

Its stub for 3.13 is linked to a bundled libpython that runs isolated: a model finds no packages.
"""


class Wheel(Value):
    """Where the parts are that a server is started from."""

    version: str
    server: Path
    python_backend: Path
    """Folder with ``libtriton_python.so`` and ``triton_python_backend_utils.py``."""
    stub: Path
    libraries: Path
    libpython: Path
    programs: Path
    """Folder of the ``python3`` whose packages models find; to be first on ``PATH``."""


def locate(interpreter: Interpreter | None = None, package: Path | None = None) -> Wheel:
    """The parts of the installed wheel that fit this Python.

    Args:
        interpreter: Another Python than this one.
        package: Another ``pytriton`` folder than the installed one.

    Raises:
        EnvironmentMissing: with the first cause why it cannot serve here, and what to do.
    """
    python = interpreter or this_interpreter()
    for check in check_wheel(python, package):
        if check.status == "missing":
            raise EnvironmentMissing(
                "The embedded Triton cannot run here.", why=check.what, next_step=check.next_step
            )
    folder = package or _package_folder()
    libpython = find_libpython(python)
    if folder is None or libpython is None:
        raise EnvironmentMissing("The embedded Triton cannot run here.", next_step="Run doctor.")
    return Wheel(
        version=_installed_version() or "unknown",
        server=_server(folder),
        python_backend=_python_backend(folder),
        stub=_stub(folder, python),
        libraries=_libraries(folder),
        libpython=libpython,
        programs=python.executable.parent,
    )


def check_wheel(
    interpreter: Interpreter | None = None, package: Path | None = None
) -> tuple[Check, ...]:
    """Whether the wheel can serve with this Python, in the order in which things must be mended."""
    python = interpreter or this_interpreter()
    folder = package or _package_folder()
    checks = [_system(python), _glibc_check(python), _python(python)]
    if any(check.status == "missing" for check in checks):
        # pip does not install the wheel there: that it is absent would say nothing more
        return tuple(checks)
    return (*checks, _wheel(folder, python), _libpython(python), _programs(python))


def _package_folder() -> Path | None:
    """Found without importing it: pytriton's import takes seconds and starts its own logging."""
    found = importlib.util.find_spec("pytriton")
    return Path(found.origin).parent if found is not None and found.origin else None


def _installed_version() -> str | None:
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return None


def _server(folder: Path) -> Path:
    return folder / "tritonserver/bin/tritonserver"


def _python_backend(folder: Path) -> Path:
    return folder / "tritonserver/backends/python"


def _stub(folder: Path, python: Interpreter) -> Path:
    stubs = folder / "tritonserver/python_backend_stubs"
    return stubs / python.minor / "triton_python_backend_stub"


def _libraries(folder: Path) -> Path:
    return folder.parent / "nvidia_pytriton.libs"


def _system(python: Interpreter) -> Check:
    here = f"{python.system} on {python.machine}"
    if python.system == "Linux" and python.machine in ("x86_64", "AMD64"):
        return Check(name="platform", status="ok", what=f"{here}: the embedded Triton runs here.")
    return Check(
        name="platform",
        status="missing",
        what=f"This is {here}; the embedded Triton is built for Linux on x86_64 only.",
        next_step="Run Interleave on such a machine or in a Linux x86_64 virtual machine.",
    )


def _glibc_check(python: Interpreter) -> Check:
    wanted = ".".join(map(str, MINIMUM_GLIBC))
    if python.glibc is not None and python.glibc >= MINIMUM_GLIBC:
        have = ".".join(map(str, python.glibc))
        return Check(name="glibc", status="ok", what=f"glibc {have} (needed: {wanted} or newer).")
    have = (
        "The C library is not glibc"
        if python.glibc is None
        else "The C library is glibc " + ".".join(map(str, python.glibc))
    )
    return Check(
        name="glibc",
        status="missing",
        what=f"{have}; the embedded Triton needs glibc {wanted} or newer.",
        next_step="Use Debian 12, Ubuntu 22.04, or a newer system.",
    )


def _python(python: Interpreter) -> Check:
    usable = " or ".join(f"{major}.{minor}" for major, minor in USABLE_MINORS)
    if python.debug_build:
        return Check(
            name="python",
            status="missing",
            what=f"This Python {python.minor} is a debug build; the embedded Triton has no stub for"
            " it.",
            next_step=f"Make the environment with an ordinary Python {usable}.",
        )
    if python.version in USABLE_MINORS:
        return Check(
            name="python",
            status="ok",
            what=f"Python {python.minor}: the embedded Triton can run models with it.",
        )
    return Check(
        name="python",
        status="missing",
        what=f"This is Python {python.minor}; the embedded Triton runs models with Python"
        f" {usable}.",
        next_step=f"Make the environment with Python {usable}.",
    )


def _wheel(folder: Path | None, python: Interpreter) -> Check:
    install = f"Run: pip install {DISTRIBUTION}=={PINNED_VERSION}"
    if folder is None:
        return Check(
            name="triton wheel",
            status="missing",
            what=f"The package {DISTRIBUTION}, which carries the embedded Triton, is not"
            " installed.",
            next_step=install,
        )
    parts = (
        _server(folder),
        _python_backend(folder) / "libtriton_python.so",
        _python_backend(folder) / "triton_python_backend_utils.py",
        _stub(folder, python),
        _libraries(folder),
    )
    absent = [part for part in parts if not part.exists()]
    if absent:
        return Check(
            name="triton wheel",
            status="missing",
            what=f"The installed {DISTRIBUTION} lacks {absent[0]}.",
            next_step=f"{install} --force-reinstall --no-deps",
        )
    version = _installed_version() or "of unknown version"
    if version != PINNED_VERSION:
        return Check(
            name="triton wheel",
            status="warning",
            what=f"{DISTRIBUTION} {version} is installed; Interleave is tested with"
            f" {PINNED_VERSION}.",
            next_step=install,
        )
    return Check(
        name="triton wheel",
        status="ok",
        what=f"{DISTRIBUTION} {version} with the Triton server and its stub for Python"
        f" {python.minor}.",
    )


def _libpython(python: Interpreter) -> Check:
    found = find_libpython(python)
    if found is None:
        return Check(
            name="libpython",
            status="missing",
            what=f"{python.libpython_name}, which the embedded Triton runs models with, is not on"
            " this machine.",
            next_step=_get_libpython(python),
        )
    own = _is_within(found, python.base_prefix) or python.base_prefix == Path("/usr")
    if not own:
        return Check(
            name="libpython",
            status="warning",
            what=f"This Python has no shared libpython; the one of another Python {python.minor}"
            f" is used: {found}.",
            next_step="If a model fails to import a package: " + _get_libpython(python),
        )
    return Check(name="libpython", status="ok", what=f"{found}.")


def _get_libpython(python: Interpreter) -> str:
    if ".pyenv" in python.base_prefix.parts:
        return (
            "Build this Python with its shared library: PYTHON_CONFIGURE_OPTS=--enable-shared"
            f" pyenv install --force {python.minor}, then make the environment anew."
        )
    return (
        f"On Debian and Ubuntu: apt install libpython{python.minor}. Elsewhere use a Python built"
        " with --enable-shared, such as one managed by uv."
    )


def _programs(python: Interpreter) -> Check:
    folder = python.executable.parent
    if (folder / "python3").exists():
        return Check(name="python3", status="ok", what=f"Models use the packages of {folder}.")
    return Check(
        name="python3",
        status="missing",
        what=f"There is no python3 in {folder}; the embedded Triton finds a model's packages"
        " through it.",
        next_step=f"Make an environment with {python.executable} -m venv .venv and use that.",
    )


def _is_within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
