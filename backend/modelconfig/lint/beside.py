"""Which files a configuration needs beside itself, and which versions of the model it serves."""

from __future__ import annotations

import math
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.backends import MODEL_FILES
from backend.modelconfig.lint.memory import byte_size

MODEL_FOLDER: Final = "$$TRITON_MODEL_DIRECTORY/"
"""What the Python backend puts the model's folder in place of, in EXECUTION_ENV_PATH alone."""
BATCHING_LIBRARY: Final = "TRITON_BATCH_STRATEGY_PATH"


@dataclass(frozen=True)
class Needed:
    """A file that a field asks for.

    Args:
        path: The field.
        what: The file, in words.
        where: Its path from the model's folder; null where it lies elsewhere.
        least: Bytes that it must have at least.
        implied: Whether the field stands for a file that it does not name.
    """

    path: str
    what: str
    where: str | None = None
    least: int = 0
    implied: bool = False


def versions(files: Mapping[str, int]) -> tuple[int, ...]:
    """The model's versions, newest first: folders whose names are numbers without leading zeros."""
    names = {path.partition("/")[0] for path in files if "/" in path}
    found = [name for name in names if name.isdecimal() and name.isascii()]
    return tuple(sorted((int(name) for name in found if str(int(name)) == name), reverse=True))


def served_versions(config: Any, files: Mapping[str, int]) -> tuple[int, ...]:
    """Those of the versions that the policy serves, newest first."""
    there = versions(files)
    policy = config.version_policy
    kind = policy.WhichOneof("policy_choice")
    if kind == "all":
        return there
    if kind == "specific":
        return tuple(version for version in there if version in policy.specific.versions)
    return there[: policy.latest.num_versions if kind == "latest" else 1]


def needed(config: Any, backend: str, files: Mapping[str, int] | None) -> Iterator[Needed]:
    """Every file that the configuration needs beside itself."""
    for index, entry in enumerate(config.output):
        if entry.label_filename:
            name = entry.label_filename
            yield Needed(f"output[{index}].label_filename", name, _within(name))
    for index, sample in enumerate(config.model_warmup):
        for name in sorted(sample.inputs):
            given = sample.inputs[name]
            if given.WhichOneof("input_data_type") == "input_data_file" and sample.batch_size:
                yield _data(f'model_warmup[{index}].inputs["{name}"]', "warmup",
                            given.input_data_file, given)  # fmt: skip
    for index, state in enumerate(config.sequence_batching.state):
        for number, initial in enumerate(state.initial_state):
            if initial.WhichOneof("state_data") == "data_file":
                path = f"sequence_batching.state[{index}].initial_state[{number}].data_file"
                yield _data(path, "initial_state", initial.data_file, initial)
    yield from _model_files(config, backend, files)
    if config.runtime:
        yield Needed("runtime", f"the library {config.runtime}")
    for key in ("EXECUTION_ENV_PATH", BATCHING_LIBRARY):
        value = config.parameters[key].string_value if key in config.parameters else ""
        if value and not (key == BATCHING_LIBRARY and value.startswith(MODEL_FOLDER)):
            inside = value.removeprefix(MODEL_FOLDER) if value.startswith(MODEL_FOLDER) else None
            yield Needed(f'parameters["{key}"]', value, _within(inside) if inside else None)
    for index, agent in enumerate(config.model_repository_agents.agents):
        yield Needed(f"model_repository_agents.agents[{index}]",
                     f"the agent's library '{agent.name}'")  # fmt: skip


def _model_files(config: Any, backend: str, files: Mapping[str, int] | None) -> Iterator[Needed]:
    """The model itself, in each version that is served."""
    default = MODEL_FILES.get(backend, "")
    name = config.default_model_filename or default
    if not name or config.runtime or config.cc_model_filenames:
        return
    if files is None:
        if name not in MODEL_FILES.values():
            yield Needed("default_model_filename", f"{name} in each version folder")
        return
    for version in served_versions(config, files):
        where = _within(f"{version}/{name}")
        yield Needed("default_model_filename", f"{version}/{name}", where,
                     implied=not config.default_model_filename)  # fmt: skip


def _data(path: str, folder: str, name: str, tensor: Any) -> Needed:
    size = byte_size(tensor.data_type)
    fixed = size is not None and all(dim >= 0 for dim in tensor.dims)
    # a text has a length of its own, so that what it takes cannot be said
    text = tensor.data_type == model_config_pb2.TYPE_STRING
    least = math.prod(tensor.dims) * size if fixed and size is not None and not text else 0
    return Needed(path, f"{folder}/{name}", _within(f"{folder}/{name}"), least)


def _within(path: str) -> str | None:
    """A path from the model's folder without detours; null where it leads out of it."""
    plain = posixpath.normpath(path)
    return None if plain.startswith(("../", "/")) or plain == ".." else plain
