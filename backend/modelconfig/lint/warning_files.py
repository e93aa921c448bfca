"""Files beside the configuration that a server may lack, or that lie where it does not look."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Final

from backend.modelconfig.lint.beside import BATCHING_LIBRARY, MODEL_FOLDER, needed
from backend.modelconfig.lint.refused_scheduling import sequence
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.rule import Context, Hit, LintRule


def _files(context: Context) -> Iterator[Hit]:
    for one in needed(context.config, context.backend, context.files):
        if one.where is None or context.files is None:
            yield Hit(
                one.path,
                f"The model needs a file beside it: {one.what}.",
                "Where it is missing, the model is refused.",
                "Check that it is there, in the model's folder or where the server looks for it.",
            )


def _library_elsewhere(context: Context) -> Iterator[Hit]:
    config, name = context.config, BATCHING_LIBRARY
    value = config.parameters[name].string_value if name in config.parameters else ""
    if not value or value.startswith(MODEL_FOLDER) or sequence(context) is not None:
        return
    if not value.startswith("/"):
        what = "is no absolute path"
        effect = "It counts from the folder in which the server was started, not from the model's."
    elif not _in_folder(value, (context.folder, config.name)):
        what = "does not lead into the model's folder"
        effect = "24.10 loads whatever library lies there, whoever can change it."
    else:
        return
    yield Hit(
        f'parameters["{name}"]',
        f"The batching library '{value[:80]}' {what}.",
        f"{effect} Only that the file is there is checked (24.10); a later release may refuse a "
        "path that leads out of the model repository.",
        "Put the library into the model's folder and write its absolute path there; or call it "
        "batchstrategy.so and leave the parameter out: Triton finds it there by itself.",
    )


def _in_folder(path: str, names: Iterable[str | None]) -> bool:
    """Whether a path leads, without detours, through a folder of one of the names."""
    above = posixpath.normpath(path).split("/")[:-1]
    return any(name in above for name in names if name)


RULES: Final = (
    LintRule("file-needed", "info", "A file that the configuration does not hold", "Triton server, "
             "docs/user_guide/model_configuration.md", _files),
    LintRule("batching-library-elsewhere", "warning", "A batching library outside the model's "
             "folder", "Triton core, src/backend_model.cc, TritonModel::Create; server, "
             "docs/user_guide/batcher.md, Custom Batching", _library_elsewhere,
             since=Release(23, 1)),
)  # fmt: skip
