"""The model repository of a server: a template's files with a configuration of their own."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import Final

from backend.contracts.errors import EnvironmentMissing, InputError
from backend.templates.template import Template

VERSION: Final = "1"
MODEL_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""Triton hands a model's path to a shell unquoted: a name must mean nothing to a shell."""
_LEFT_OUT: Final = "__pycache__"


def assemble(repository: Path, model_name: str, template: Template, config_text: str) -> Path:
    """Put a model into the repository, in place of one of that name.

    The model is complete before it appears, so that a load never sees half of it; its files are new
    ones, so that a load of the same name is a full one.

    Args:
        repository: The server's model repository; made if it is not there.
        model_name: The folder's name, which must be the name in the configuration.
        template: Whose ``1/`` is copied.
        config_text: The whole of ``config.pbtxt``.

    Returns:
        The model's folder.

    Raises:
        InputError: if the name cannot be a model's, or the template has no ``1/model.py``.
        EnvironmentMissing: if the repository cannot be written.
    """
    if not MODEL_NAME.fullmatch(model_name):
        raise InputError(
            f"'{model_name}' cannot be the name of a model.",
            next_step="Use letters, digits, '_', '.' and '-' only, not beginning with '.' or '-'.",
        )
    source = template.folder / VERSION
    if not (source / "model.py").is_file():
        raise InputError(
            f"The template {template.name} has no {VERSION}/model.py.",
            why=f"Looked for {source / 'model.py'}.",
        )
    folder = repository / model_name
    # beside the repository and not in it: Triton takes each folder in it for a model
    aside = repository.parent / f".{repository.name}-{secrets.token_hex(4)}"
    try:
        repository.mkdir(parents=True, exist_ok=True)
        new = aside / "new"
        shutil.copytree(
            source,
            new / VERSION,
            ignore=shutil.ignore_patterns(_LEFT_OUT),
            # without the old times: Triton reloads a model in full when its files are newer
            copy_function=shutil.copy,
        )
        (new / "config.pbtxt").write_text(config_text, encoding="utf-8")
        if folder.exists():
            os.rename(folder, aside / "old")
        os.rename(new, folder)
    except OSError as error:
        raise EnvironmentMissing(
            f"The model '{model_name}' cannot be written to {repository}.",
            why=str(error),
            next_step="Free the disk, or set INTERLEAVE_HOME to a folder that you can write.",
        ) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return folder


def model_files_hash(version_folder: Path) -> str:
    """SHA-256 over the names and contents of a model's files, as ``sha256:…``.

    Args:
        version_folder: A template's or a repository's ``1/``; compiled Python files do not count.
    """
    digest = hashlib.sha256()
    for path in sorted(version_folder.rglob("*")):
        relative = path.relative_to(version_folder)
        if not path.is_file() or _LEFT_OUT in relative.parts:
            continue
        content = path.read_bytes()
        digest.update(f"{relative.as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return f"sha256:{digest.hexdigest()}"
