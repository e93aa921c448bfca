"""What Triton refuses of a model as a whole: name, platform, batch size, versions, cache, settings.

Sources name files of Triton core's ``src``. Each rule was seen on release 24.10.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from backend.modelconfig.backends import BACKEND_OF, GUESSED_BY
from backend.modelconfig.lint.beside import BATCHING_LIBRARY, MODEL_FOLDER
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.rule import Context, Hit, LintRule

VALIDATE: Final = "Triton core, src/model_config_utils.cc, ValidateModelConfig"
REFUSED: Final = (
    "Triton refuses to load the model: the API answers only that it failed to poll the model "
    "repository, the reason stands in its log."
)
REFUSED_LATE: Final = "Triton refuses to load the model and answers with the reason."


def _max_batch_size(context: Context) -> Iterator[Hit]:
    size = context.config.max_batch_size
    if size < 0:
        yield Hit(
            "max_batch_size",
            f"max_batch_size is {size}.",
            REFUSED,
            "Write 0 for a model without a batch dimension, or the most that it takes.",
        )


def _name(context: Context) -> Iterator[Hit]:
    name = context.config.name
    if name and context.folder and name != context.folder:
        yield Hit(
            "name",
            f"The name is '{name}', but the model's folder is called '{context.folder}'.",
            REFUSED,
            f'Write name: "{context.folder}", or leave the name out: Triton then takes the '
            "folder's.",
        )


def _platform(context: Context) -> Iterator[Hit]:
    config = context.config
    platform, backend = config.platform, config.backend
    if backend == "tensorflow" and not platform:
        yield Hit(
            "backend",
            "The backend tensorflow needs a platform beside it.",
            REFUSED,
            "Write platform: tensorflow_savedmodel or tensorflow_graphdef.",
        )
    if not platform or (platform == "ensemble" and not backend):
        return
    if platform == "ensemble":
        yield Hit(
            "platform",
            f"platform is 'ensemble', but a backend is named ({backend}).",
            REFUSED,
            "Leave the backend out: an ensemble has none.",
        )
    elif not backend and platform not in BACKEND_OF:
        yield Hit(
            "platform",
            f"'{platform}' is no platform that Triton knows.",
            REFUSED,
            f"Name the backend instead, or one of {', '.join(BACKEND_OF)}, ensemble.",
        )
    elif backend in BACKEND_OF.values() and BACKEND_OF.get(platform, backend) != backend:
        yield Hit(
            "platform",
            f"platform '{platform}' belongs to the backend '{BACKEND_OF[platform]}', but the "
            f"backend is '{backend}'.",
            REFUSED,
            "Keep one of the two: backend is enough.",
        )
    elif backend in BACKEND_OF.values() and platform not in BACKEND_OF:
        yield Hit(
            "platform",
            f"'{platform}' is no platform of the backend '{backend}'.",
            REFUSED,
            "Leave platform out: backend is enough.",
        )


def _no_version(context: Context) -> Iterator[Hit]:
    if not context.config.HasField("version_policy"):
        return
    policy = context.config.version_policy
    kind = policy.WhichOneof("policy_choice")
    fix = "Leave version_policy out: the newest version is then served."
    if kind == "latest" and policy.latest.num_versions == 0:
        yield Hit("version_policy.latest", "The policy serves the latest 0 versions.", REFUSED, fix)
    elif kind == "specific" and not policy.specific.versions:
        yield Hit("version_policy.specific", "The policy names no version to serve.", REFUSED, fix)
    elif kind == "specific" and all(version < 1 for version in policy.specific.versions):
        yield Hit(
            "version_policy.specific.versions",
            "None of the versions can be meant: the folders of versions are called 1 and up.",
            REFUSED,
            fix,
        )


def _cache_of_sequences(context: Context) -> Iterator[Hit]:
    config = context.config
    if config.response_cache.enable and config.HasField("sequence_batching"):
        yield Hit(
            "response_cache",
            "The response cache cannot be used with the sequence batcher.",
            REFUSED,
            "Leave response_cache out: an answer of a session depends on more than its request.",
        )


def _cache_of_decoupled(context: Context) -> Iterator[Hit]:
    config = context.config
    if config.response_cache.enable and config.model_transaction_policy.decoupled:
        yield Hit(
            "response_cache",
            "The response cache cannot be used with a decoupled model.",
            REFUSED,
            "Leave response_cache out.",
        )


def _custom_batching(context: Context) -> Iterator[Hit]:
    config = context.config
    if config.HasField("sequence_batching") and BATCHING_LIBRARY in config.parameters:
        yield Hit(
            f'parameters["{BATCHING_LIBRARY}"]',
            "A custom batching library cannot be used with the sequence batcher.",
            REFUSED_LATE,
            "Leave the parameter out.",
        )


def _library_path(context: Context) -> Iterator[Hit]:
    name, parameters = BATCHING_LIBRARY, context.config.parameters
    value = parameters[name].string_value if name in parameters else None
    path = f'parameters["{name}"]'
    fix = "Write the library's absolute path, within the model's folder; or leave it out."
    if value == "":
        yield Hit(path, f"{name} names no library.", REFUSED_LATE, fix)
    elif value is not None and value.startswith(MODEL_FOLDER):
        # of the Python backend's own parameters only; core looks for a file of just that name
        yield Hit(
            path,
            f"{MODEL_FOLDER} stands for the model's folder in EXECUTION_ENV_PATH only.",
            "Triton looks for a file of just that name: 'Batching library path not found'.",
            fix,
        )


def _no_backend(context: Context) -> Iterator[Hit]:
    config, files = context.config, context.files
    if files is None or config.backend or config.platform or context.backend:
        return
    if config.default_model_filename or config.HasField("ensemble_scheduling"):
        return
    found = [path for path in files if path.partition("/")[2].rstrip("/") in GUESSED_BY]
    if files and not found:
        yield Hit(
            "",
            "Neither backend nor platform is named, and no version folder holds a file that tells.",
            REFUSED,
            f"Name the backend. Triton guesses by {', '.join(GUESSED_BY)}.",
        )


def _model_file(context: Context) -> Iterator[Hit]:
    name = context.config.default_model_filename
    if context.backend != "python" or not name:
        return
    folder, _, file = name.rpartition("/")
    stem = file.removesuffix(".py")
    parent = folder.rpartition("/")[2]
    if stem == file:
        what = f"'{name[:40]}' does not end with .py."
    elif not stem or "." in stem or "." in parent:
        what = f"'{name[:40]}' cannot be imported: a dot parts it in two."
    else:
        return
    yield Hit(
        "default_model_filename",
        what,
        "The Python backend imports the file as VERSION.NAME, and refuses the model.",
        "Write a name such as model.py, or leave it out.",
    )


def _cpu_only(context: Context) -> Iterator[Hit]:
    name = "FORCE_CPU_ONLY_INPUT_TENSORS"
    if context.backend != "python" or name not in context.config.parameters:
        return
    value = context.config.parameters[name].string_value
    if value not in ("yes", "no"):
        yield Hit(
            f'parameters["{name}"]',
            f"{name} is '{value[:40]}'; the Python backend takes 'yes' or 'no'.",
            REFUSED_LATE,
            "Write yes or no.",
        )


RULES: Final = (
    LintRule("max-batch-size-negative", "error", "A negative max_batch_size", VALIDATE,
             _max_batch_size),
    LintRule("name-not-folder", "error", "A name other than the model's folder",
             "Triton core, src/model_repository_manager/model_repository_manager.cc, "
             "ModelRepositoryManager::InitializeModelInfo", _name),
    LintRule("platform-backend", "error", "Platform and backend that do not go together", VALIDATE,
             _platform),
    LintRule("no-version-served", "error", "A version policy that serves nothing",
             "Triton core, src/model_repository_manager/model_repository_manager.cc, "
             "VersionsToLoad", _no_version),
    LintRule("cache-with-sequences", "error", "Response cache with the sequence batcher", VALIDATE,
             _cache_of_sequences, since=Release(22, 7)),
    LintRule("cache-with-decoupled", "error", "Response cache with a decoupled model", VALIDATE,
             _cache_of_decoupled, since=Release(22, 7)),
    LintRule("custom-batching-with-sequences", "error",
             "Custom batching library with the sequence batcher",
             "Triton core, src/backend_model.cc, TritonModel::Create",
             _custom_batching, since=Release(23, 1)),
    LintRule("batching-library-path", "error", "A batching library without a path",
             "Triton core, src/backend_model.cc, TritonModel::Create", _library_path,
             since=Release(23, 1)),
    LintRule("backend-none", "error", "No backend, and nothing to guess it by",
             "Triton core, src/model_config_utils.cc, AutoCompleteBackendFields", _no_backend),
    LintRule("python-file-name", "error", "A file that the Python backend cannot import",
             "Triton python_backend, src/pb_stub.cc, ModelContext::StubSetup; seen on the running "
             "server", _model_file),
    LintRule("force-cpu-only-value", "error", "FORCE_CPU_ONLY_INPUT_TENSORS neither yes nor no",
             "Triton python_backend, src/python_be.cc, ModelState::ModelState", _cpu_only),
)  # fmt: skip
