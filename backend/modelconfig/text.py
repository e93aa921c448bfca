"""Writes a ``ModelConfig`` as ``config.pbtxt``, with comments that say why a value is there.

Values are printed by protobuf's own text format; reading the text back gives an equal message.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from backend.modelconfig.build import build
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.fields import is_map, scalar_text
from backend.modelconfig.lint.release import EMBEDDED, Release
from backend.templates.template import Template

HEADER: Final = ""
"""Key of the comment at the top of the file."""

_WIDTH: Final = 96
_ALWAYS: Final = (
    "inference.ModelSequenceBatching.Control.kind",
    "inference.ModelQueuePolicy.timeout_action",
)
"""Written even at their default: a control input without a kind reads like a mistake."""


def to_text(config: Any, comments: Mapping[str, str] | None = None) -> str:
    """The text of a configuration.

    Args:
        config: A ``ModelConfig``.
        comments: By field path without indices (``sequence_batching.oldest``), or ``HEADER``. A
            number that is zero is written out if it has a comment; an empty list with a comment
            leaves the comment alone.
    """
    notes = dict(comments or {})
    lines = list(_comment(notes.get(HEADER, ""), 0))
    lines += _fields(config, "", 0, notes)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines) + "\n"


def candidate_text(candidate: Candidate, template: Template, release: Release = EMBEDDED) -> str:
    """The ``config.pbtxt`` of a candidate, each value with its reason.

    Raises:
        InputError: as ``build``.
    """
    return to_text(build(candidate, template, release), comments_of(candidate))


def comments_of(candidate: Candidate) -> dict[str, str]:
    """A candidate's reasons by the path of the field that each explains."""
    section = _SECTIONS[candidate.name]
    strategy = _STRATEGIES[candidate.name]
    paths = {
        "model_name": "name",
        "backend": "backend",
        "platform": "platform",
        "versions_served": "version_policy",
        "tensors": "input",
        "scheduler": section,
        "max_batch_size": "max_batch_size",
        "instances": "instance_group",
        "parameters": "parameters",
        "preferred_batch_sizes": f"{strategy}.preferred_batch_size",
        "max_queue_delay_microseconds": f"{strategy}.max_queue_delay_microseconds",
        "minimum_slot_utilization": f"{strategy}.minimum_slot_utilization",
        "max_candidate_sequences": f"{strategy}.max_candidate_sequences",
        "max_sequence_idle_microseconds": f"{section}.max_sequence_idle_microseconds",
        "correlation_id_type": f"{section}.control_input",
        "states": f"{section}.state" if candidate.is_sequence else "input",
        "preserve_ordering": f"{strategy}.preserve_ordering",
        "priority_levels": f"{section}.priority_levels",
        "default_priority_level": f"{section}.default_priority_level",
        "queue_policy": f"{section}.default_queue_policy",
        "warm_up_batch_sizes": "model_warmup",
        "decoupled": "model_transaction_policy" if candidate.decoupled else HEADER,
        "slots": strategy if strategy != section else "",
    }
    found: dict[str, str] = {}
    for field, reason in candidate.reasons.items():
        path = paths.get(field)
        if path is not None:
            found[path] = f"{found[path]}\n{reason}" if path in found else reason
    return found


_SECTIONS: Final = {
    "no-batching": HEADER,
    "dynamic": "dynamic_batching",
    "sequence-direct": "sequence_batching",
    "sequence-oldest": "sequence_batching",
}
_STRATEGIES: Final = {
    "no-batching": HEADER,
    "dynamic": "dynamic_batching",
    "sequence-direct": "sequence_batching.direct",
    "sequence-oldest": "sequence_batching.oldest",
}


def _comment(text: str, depth: int) -> Iterator[str]:
    indent = "  " * depth
    for paragraph in text.splitlines():
        for line in textwrap.wrap(paragraph, _WIDTH - len(indent) - 2):
            yield f"{indent}# {line}"


def _fields(message: Any, path: str, depth: int, notes: Mapping[str, str]) -> list[str]:
    """All set fields of a message in the order of the protocol's definition."""
    lines: list[str] = []
    for field in message.DESCRIPTOR.fields:
        where = f"{path}.{field.name}" if path else field.name
        value = getattr(message, field.name)
        note = notes.get(where, "")
        if is_map(field):
            if len(value):
                lines += _comment(note, depth)
            for key in sorted(value):
                lines += _entry(field, key, value[key], depth)
        elif field.is_repeated:
            lines += _comment(note, depth)
            # apart from the next field's comment where the note says why nothing is here
            lines += _list(field, value, where, depth, notes) or ([""] if note else [])
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            if message.HasField(field.name):
                lines += _comment(note, depth)
                lines += _block(field.name, value, where, depth, notes)
        elif note or _is_set(message, field, value) or field.full_name in _ALWAYS:
            lines += _comment(note, depth)
            lines.append("  " * depth + f"{field.name}: {scalar_text(field, value)}")
    return lines


def _is_set(message: Any, field: Any, value: Any) -> bool:
    """In a choice (``zero_data: false``) being there counts, whatever the value."""
    if field.containing_oneof is not None:
        return bool(message.HasField(field.name))
    return bool(value != field.default_value)


def _block(name: str, message: Any, path: str, depth: int, notes: Mapping[str, str]) -> list[str]:
    inner = _fields(message, path, depth + 1, notes)
    indent = "  " * depth
    if not inner:
        return [f"{indent}{name} {{ }}"]
    return [f"{indent}{name} {{", *inner, f"{indent}}}"]


def _list(field: Any, values: Any, path: str, depth: int, notes: Mapping[str, str]) -> list[str]:
    indent = "  " * depth
    if not len(values):
        return []
    if field.type != FieldDescriptor.TYPE_MESSAGE:
        shown = ", ".join(scalar_text(field, value) for value in values)
        return [f"{indent}{field.name}: [ {shown} ]"]
    lines = [f"{indent}{field.name} ["]
    for index, message in enumerate(values):
        lines.append(f"{indent}  {{")
        lines += _fields(message, path, depth + 2, notes)
        lines.append(f"{indent}  }}" + ("," if index < len(values) - 1 else ""))
    return [*lines, f"{indent}]"]


def _entry(field: Any, key: Any, value: Any, depth: int) -> list[str]:
    """One entry of a map, as protobuf's text format writes it."""
    indent = "  " * depth
    key_field, value_field = field.message_type.fields
    lines = [f"{indent}{field.name} {{", f"{indent}  key: {scalar_text(key_field, key)}"]
    if value_field.type == FieldDescriptor.TYPE_MESSAGE:
        lines += _block("value", value, "", depth + 1, {})
    else:
        lines.append(f"{indent}  value: {scalar_text(value_field, value)}")
    return [*lines, f"{indent}}}"]
