"""What Triton refuses for want of something beside the file: other files, versions, a GPU.

Only where that is known: the model's folder is at hand, or the caller says what the machine has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.lint.beside import needed, served_versions, versions
from backend.modelconfig.lint.refused_model import REFUSED, REFUSED_LATE
from backend.modelconfig.lint.rule import Context, Hit, LintRule

_REPOSITORY: Final = "Triton server, docs/user_guide/model_repository.md"
_Group: Final = model_config_pb2.ModelInstanceGroup


def _missing(context: Context) -> Iterator[Hit]:
    files = context.files
    if files is None:
        return
    for one in needed(context.config, context.backend, files):
        if one.where is None or one.where in files:
            continue
        if any(path.startswith(f"{one.where}/") for path in files):
            continue
        effect = REFUSED_LATE
        if context.backend == "python" and one.path == "default_model_filename":
            effect = (
                "The model's process ends before the model is made, and the load does not end "
                "(seen on 24.10 with auto-completion off)."
            )
        yield Hit(
            "" if one.implied else one.path,
            f"The model's folder has no file {one.where}.",
            effect,
            "Put it there, or name the file that is.",
        )


def _short(context: Context) -> Iterator[Hit]:
    files = context.files
    if files is None:
        return
    for one in needed(context.config, context.backend, files):
        if one.where is not None and one.where in files and files[one.where] < one.least:
            yield Hit(
                one.path,
                f"{one.where} has {files[one.where]:,} bytes; {one.least:,} are needed.",
                REFUSED_LATE,
                "Write data_type and dims as the file has them, or a file that is long enough.",
            )


def _no_version(context: Context) -> Iterator[Hit]:
    if context.files is None or served_versions(context.config, context.files):
        return
    there = versions(context.files)
    yield Hit(
        "version_policy",
        "The model's folder has no folder of a version."
        if not there
        else f"The policy serves none of the versions that the model's folder has: "
        f"{', '.join(map(str, sorted(there)))}.",
        REFUSED,
        "A version is a folder whose name is its number, such as 1 (without leading zeros).",
    )


def _no_gpu(context: Context) -> Iterator[Hit]:
    if context.gpus is not False:
        return
    for index, group in enumerate(context.config.instance_group):
        named = group.kind == _Group.KIND_AUTO and group.gpus
        if group.kind == _Group.KIND_GPU or named:
            yield Hit(
                f"instance_group[{index}].{'gpus' if named else 'kind'}",
                "The group needs a GPU, and the machine has none.",
                REFUSED_LATE,
                "Write kind: KIND_CPU and no gpus.",
            )


RULES: Final = (
    LintRule("file-missing", "error", "A file that is not in the model's folder", _REPOSITORY,
             _missing),
    LintRule("file-short", "error", "A file with less data than its tensor takes",
             "Triton core, src/backend_model_instance.cc, "
             "TritonModelInstance::GenerateWarmupData; src/sequence_batch_scheduler/"
             "sequence_batch_scheduler.cc, SequenceBatchScheduler::GenerateInitialStateData",
             _short),
    LintRule("version-missing", "error", "No version in the model's folder that is served",
             f"{_REPOSITORY}, Model Versions", _no_version),
    LintRule("gpu-none", "error", "A group that needs a GPU on a machine without one",
             "Triton core, src/model_config_utils.cc, ValidateInstanceGroup", _no_gpu),
)  # fmt: skip
