"""Fields and values that a release does not know yet: it refuses the whole file.

From release 22.08 on the table is what the protocol definitions of successive Triton clients
differ in; before that it is what release notes say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from backend.contracts.implicit_state import IMPLICIT_STATE_SINCE
from backend.modelconfig.fields import is_map
from backend.modelconfig.lint.refused_model import REFUSED
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.rule import Context, Hit, LintRule

FIRST: Final = Release(21, 10)
LAST: Final = Release(26, 8)
"""Releases between which the linter knows what changed."""

FIELDS: Final = {
    "inference.ModelSequenceBatching.state": Release(*IMPLICIT_STATE_SINCE),
    "inference.ModelInput.optional": Release(22, 1),
    "inference.ModelSequenceBatching.State.initial_state": Release(22, 1),
    "inference.ModelWarmup.count": Release(22, 7),
    "inference.ModelEnsembling.Step.model_namespace": Release(23, 3),
    "inference.ModelSequenceBatching.StrategyOldest.preserve_ordering": Release(23, 8),
    "inference.ModelSequenceBatching.iterative_sequence": Release(23, 11),
    "inference.ModelSequenceBatching.State.use_same_buffer_for_input_output": Release(23, 11),
    "inference.ModelSequenceBatching.State.use_growable_memory": Release(23, 11),
    "inference.ModelConfig.runtime": Release(24, 1),
    "inference.ModelInput.is_non_linear_format_io": Release(24, 8),
    "inference.ModelOutput.is_non_linear_format_io": Release(24, 8),
    "inference.ModelConfig.model_metrics": Release(24, 11),
    "inference.ModelEnsembling.max_inflight_requests": Release(25, 11),
}
VALUES: Final = {"TYPE_BF16": Release(22, 5)}


def _newer(context: Context) -> Iterator[Hit]:
    for path, what, since in _walk(context.config, "", context.written):
        if since > context.release:
            yield Hit(
                path,
                f"{what} exists from release {since} on; the file is for {context.release}.",
                REFUSED,
                f"Leave it out, or serve with release {since} or later.",
            )


def _walk(message: Any, path: str, written: Any) -> Iterator[tuple[str, str, Release]]:
    """Path, name and first release of every field or value that has a first release."""
    for field, value in message.ListFields():
        where = f"{path}.{field.name}" if path else field.name
        since = FIELDS.get(field.full_name)
        if since is not None:
            yield where, field.name, since
            continue
        if field.type == FieldDescriptor.TYPE_ENUM and not field.is_repeated:
            known = field.enum_type.values_by_number.get(value)
            if known is not None and known.name in VALUES:
                yield where, known.name, VALUES[known.name]
        if field.type != FieldDescriptor.TYPE_MESSAGE:
            continue
        if is_map(field):
            inner = field.message_type.fields_by_name["value"]
            if inner.type == FieldDescriptor.TYPE_MESSAGE:
                for key in sorted(value):
                    shown = f'"{key}"' if isinstance(key, str) else key
                    yield from _walk(value[key], f"{where}[{shown}]", written)
        elif field.is_repeated:
            for index, entry in enumerate(value):
                yield from _walk(entry, f"{where}[{index}]", written)
        else:
            yield from _walk(value, where, written)
    yield from _written_defaults(message, path, written)


def _written_defaults(message: Any, path: str, written: Any) -> Iterator[tuple[str, str, Release]]:
    """Fields that are written out at their default: the message does not show them."""
    present = {field.name for field, _ in message.ListFields()}
    for field in message.DESCRIPTOR.fields:
        where = f"{path}.{field.name}" if path else field.name
        since = FIELDS.get(field.full_name)
        if since is not None and field.name not in present and written(where):
            yield where, field.name, since


def _outside(context: Context) -> Iterator[Hit]:
    if not FIRST <= context.release <= LAST:
        yield Hit(
            "",
            f"Release {context.release} is outside what is known here ({FIRST} to {LAST}).",
            "Fields and defects of that release may differ.",
            "Choose a release within that range, or load the file on the server itself.",
        )


RULES: Final = (
    LintRule("field-newer", "error", "A field that the release does not know yet",
             "Triton common, protobuf/model_config.proto, by release", _newer),
    LintRule("release-unknown", "info", "A release that is not known here",
             "Triton server, docs/introduction/release_notes.md", _outside),
)  # fmt: skip
