"""What is handed over, read from a place: a file, standard input, or a model's folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend.contracts.errors import InputError
from backend.modelconfig.lint.beside import served_versions
from backend.modelconfig.lint.model_code import read_model_code
from backend.modelconfig.lint.reading import MOST_CHARACTERS, Reading, read_configuration
from backend.modelconfig.lint.rule import ModelCode

CONFIG_NAME: Final = "config.pbtxt"
MOST_BYTES: Final = 4 * MOST_CHARACTERS + 1
"""Enough for every file that is looked at: a character takes four bytes at most."""
MOST_FILES: Final = 10_000
MOST_NESTED: Final = 8
_HINT: Final = "Name a config.pbtxt, or the folder of a model that has one."
_SHELL_PIPES: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


@dataclass(frozen=True)
class Source:
    """A file as it was given.

    Args:
        name: What to call it in findings.
        data: What it holds, at most a little more than is read.
        reading: The same, read.
        folder: Name of the model's folder, where one was given.
        files: Bytes of every file in it, by path from it; folders end with ``/`` and have none.
            Null where no folder was given, or it holds too many files to list.
        code: What the source of a Python model uses, where there is one.
    """

    name: str
    data: bytes
    reading: Reading
    folder: str | None = None
    files: Mapping[str, int] | None = None
    code: ModelCode | None = None


def read_source(path: Path, model: Path | None = None, *, pipes: bool = False) -> Source:
    """A configuration, or the one in a model's folder.

    Args:
        path: The file or the folder.
        model: The model's folder, where the file lies elsewhere.
        pipes: Whether a shell's pipe (``/dev/fd/…``) may be read. No other device ever is: reading
            one may wait for ever.

    Raises:
        InputError: if it cannot be read, or the folder is none.
    """
    try:
        if path.is_dir():
            model = model or path
            path = path / CONFIG_NAME
        special = path.exists() and not path.is_file()
        if special and not (pipes and str(path).startswith(_SHELL_PIPES)):
            raise InputError(f"{path} is no file.", next_step=_HINT)
        with path.open("rb") as file:
            data = file.read(MOST_BYTES)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise InputError(
            f"{path} cannot be read.", why=why or str(error), next_step=_HINT
        ) from error
    return of_data(data, str(path), model)


def of_data(data: bytes, name: str, model: Path | None = None) -> Source:
    """A configuration that is at hand, with what stands in the model's folder.

    Raises:
        InputError: if the folder is none.
    """
    reading = read_configuration(data)
    if model is None:
        return Source(name, data, reading)
    if not model.is_dir():
        raise InputError(f"{model} is no folder.", next_step="Name the folder of a model.")
    files = listed(model)
    return Source(name, data, reading, model.resolve().name, files, _code(model, reading, files))


def listed(model: Path) -> dict[str, int] | None:
    """Bytes of every file in a folder by its path from there; null where there are too many."""
    found: dict[str, int] = {}
    for place, folders, names in os.walk(model, followlinks=True):
        base = Path(place).relative_to(model)
        if len(base.parts) >= MOST_NESTED:
            folders.clear()
        for name in names:
            try:
                found[(base / name).as_posix()] = (Path(place) / name).stat().st_size
            except OSError:
                # a link to nothing is no file
                continue
        found.update({f"{(base / name).as_posix()}/": 0 for name in folders})
        if len(found) > MOST_FILES:
            return None
    return found


def _code(model: Path, reading: Reading, files: Mapping[str, int] | None) -> ModelCode | None:
    """The source of the newest version that is served; a fault of its own where it is no Python."""
    name = reading.config.default_model_filename or "model.py"
    for version in served_versions(reading.config, files or {}) or (1,):
        path = model / str(version) / name
        if path.suffix == ".py" and path.is_file():
            try:
                return read_model_code(path)
            except InputError as error:
                why = f"{error.what} {error.why or ''}".strip()
                return ModelCode(str(path), complete_inputs=False, complete_outputs=False,
                                 fault=why)  # fmt: skip
    return None
