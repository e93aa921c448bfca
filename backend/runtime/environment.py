"""What a run's figures were measured on (M19): server, versions, hardware."""

from __future__ import annotations

import importlib.metadata
import platform
import tomllib
from pathlib import Path
from typing import Any, Final

from backend.runtime.control import ModelControl
from backend.runtime.interpreter import this_interpreter
from backend.runtime.machine import (
    cpu_model,
    memory_bytes,
    nvidia_driver,
    nvidia_gpus,
    operating_system,
    usable_cores,
)
from backend.runtime.repository import VERSION, model_files_hash
from backend.runtime.server import Endpoints
from backend.runtime.wheel import DISTRIBUTION

PROJECT_FILE: Final = Path(__file__).resolve().parents[2] / "pyproject.toml"
RELEASES: Final = {"2.51.0": "24.10"}
"""Container release by server version, for the servers that Interleave is tested with."""
PACKAGES: Final = ("tritonclient", "grpcio", "numpy", "pyarrow", "onnxruntime")
"""Those that send, store or compute; absent ones are null."""


def environment(
    endpoints: Endpoints,
    *,
    repository: Path | None = None,
    runtime: str = "embedded",
    image_digest: str | None = None,
) -> dict[str, Any]:
    """The environment of a run on a running server, ready for ``environment.json``.

    Args:
        endpoints: Of the server.
        repository: Its model repository: the files of the models in it are hashed.
        runtime: Where the server runs; the hardware is this machine's in any case.
        image_digest: Of the server's image, where it runs in one.

    Raises:
        ServerFailed: if the server does not answer.
    """
    metadata = ModelControl(endpoints).server_metadata()
    version = str(metadata.get("version", ""))
    python = this_interpreter()
    memory = memory_bytes()
    return {
        "interleave": interleave_version(),
        "runtime": runtime,
        "server": {
            "name": metadata.get("name"),
            "version": version,
            "release": RELEASES.get(version),
            "extensions": list(metadata.get("extensions", [])),
            "backend": "python",
            "image_digest": image_digest,
            "wheel": _wheel(runtime),
        },
        "models": _models(repository),
        "hardware": {
            "cpu": cpu_model(),
            "cores": usable_cores(),
            "memory_gib": None if memory is None else round(memory / 1024**3, 1),
            "gpus": list(nvidia_gpus()),
        },
        "driver": nvidia_driver(),
        "system": {
            "os": operating_system(),
            "kernel": platform.release(),
            "machine": platform.machine(),
            "glibc": None if python.glibc is None else ".".join(map(str, python.glibc)),
        },
        "client": {
            "python": platform.python_version(),
            **{package: _version(package) for package in PACKAGES},
        },
    }


def interleave_version() -> str | None:
    """The version of this console."""
    try:
        project = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return _version("interleave")
    return str(project["project"]["version"])


def _wheel(runtime: str) -> str | None:
    version = _version(DISTRIBUTION) if runtime == "embedded" else None
    return f"{DISTRIBUTION} {version}" if version else None


def _models(repository: Path | None) -> dict[str, str]:
    if repository is None or not repository.is_dir():
        return {}
    return {
        folder.name: model_files_hash(folder / VERSION)
        for folder in sorted(repository.iterdir())
        if (folder / VERSION).is_dir()
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
