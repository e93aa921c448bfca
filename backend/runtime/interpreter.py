"""This Python as the embedded server sees it: version, C library, and where its libpython is."""

from __future__ import annotations

import os
import platform
import re
import sys
import sysconfig
from pathlib import Path
from typing import Final

from backend.contracts.values import Value

SYSTEM_LIBRARY_FOLDERS: Final = tuple(
    Path(folder)
    for folder in (
        "/usr/lib/x86_64-linux-gnu",
        "/lib/x86_64-linux-gnu",
        "/usr/lib64",
        "/lib64",
        "/usr/local/lib",
        "/usr/lib",
    )
)


class Interpreter(Value):
    """What matters of a Python and its machine; tests describe others than their own."""

    system: str
    machine: str
    glibc: tuple[int, int] | None
    """Null where the C library is another one, such as musl."""
    version: tuple[int, int]
    debug_build: bool
    executable: Path
    base_prefix: Path
    library_folders: tuple[Path, ...]
    """Where its build says that libpython is, the surest first."""

    @property
    def minor(self) -> str:
        """Such as ``3.11``."""
        return f"{self.version[0]}.{self.version[1]}"

    @property
    def libpython_name(self) -> str:
        """The file that a stub is linked to, whatever this Python itself is linked to."""
        return f"libpython{self.minor}.so.1.0"


def this_interpreter() -> Interpreter:
    """The Python that runs now."""
    return Interpreter(
        system=platform.system(),
        machine=platform.machine(),
        glibc=_glibc(),
        version=(sys.version_info.major, sys.version_info.minor),
        debug_build=hasattr(sys, "gettotalrefcount"),
        executable=Path(sys.executable),
        base_prefix=Path(sys.base_prefix),
        library_folders=_library_folders(),
    )


def find_libpython(python: Interpreter) -> Path | None:
    """The shared libpython for that Python: its own, else a system-wide one of the same minor."""
    name = python.libpython_name
    beside = python.executable.resolve().parent.parent / "lib"
    folders = (
        *python.library_folders,
        # uv-managed Pythons may carry the folder of the machine that built them in their settings
        python.base_prefix / "lib",
        beside,
        *SYSTEM_LIBRARY_FOLDERS,
    )
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def _glibc() -> tuple[int, int] | None:
    try:
        text = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        # not glibc: the name is unknown to the C library, or there is no confstr at all
        return None
    found = re.search(r"(\d+)\.(\d+)", text)
    return (int(found.group(1)), int(found.group(2))) if found else None


def _library_folders() -> tuple[Path, ...]:
    folders = (sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("LIBPL"))
    return tuple(Path(folder) for folder in folders if folder)
