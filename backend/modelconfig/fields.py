"""A configuration as a flat table: the path of every set field and its value as text.

Entries of lists with a name are known by it (``input[CHUNK].dims``, ``state[h].dims``), others by
their number: their order in the file means nothing. A section has a row of its own; a control input
is one row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from io import StringIO
from typing import Any, Final

from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor

from backend.modelconfig.enum_names import enum_name

SET: Final = "present"
"""Value of a section that is there."""


def flat(config: Any) -> dict[str, str]:
    """Every set field of a configuration by its path."""
    return dict(_walk(config, ""))


def is_map(field: Any) -> bool:
    """Whether a field is a map."""
    kind = field.message_type
    return bool(kind is not None and kind.GetOptions().map_entry)


def scalar_text(field: Any, value: Any) -> str:
    """A value as protobuf's text format prints it."""
    out = StringIO()
    text_format.PrintFieldValue(field, value, out, as_utf8=True)
    return out.getvalue()


def _walk(message: Any, path: str) -> Iterator[tuple[str, str]]:
    for field, value in message.ListFields():
        where = f"{path}.{field.name}" if path else field.name
        if is_map(field):
            inner = field.message_type.fields_by_name["value"]
            for key in sorted(value):
                yield from _entry(inner, value[key], f"{where}[{key}]")
        elif field.name == "control_input":
            for key, entry in zip(_keys(field.name, value), value, strict=True):
                yield f"{where}[{key}]", "; ".join(map(_control, entry.control))
        elif field.is_repeated and field.type == FieldDescriptor.TYPE_MESSAGE:
            key_field = _KEYS.get(field.name, "name")
            for key, entry in zip(_keys(field.name, value), value, strict=True):
                for inner_path, text in _entry(field, entry, f"{where}[{key}]"):
                    if inner_path != f"{where}[{key}].{key_field}" or key.isdigit():
                        yield inner_path, text
        elif field.is_repeated:
            shown = ", ".join(scalar_text(field, item) for item in value)
            yield where, f"[{shown}]"
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            yield where, SET
            yield from _walk(value, where)
        else:
            yield where, scalar_text(field, value)


_KEYS: Final = {"state": "input_name", "step": "model_name", "initial_state": ""}
"""By which field entries are known, where it is not ``name``."""


def _keys(field: str, entries: Any) -> list[str]:
    """What each entry of a list is known by; its number where it has no name.

    Triton names an instance group that has none, so groups go by number.
    """
    keys: list[str] = []
    seen: Counter[str] = Counter()
    for index, entry in enumerate(entries):
        if field in ("batch_input", "batch_output"):
            name = ",".join(entry.target_name)
        else:
            name = getattr(entry, _KEYS.get(field, "name"), "")
        key = name if name and field != "instance_group" else str(index)
        seen[key] += 1
        keys.append(key if seen[key] == 1 else f"{key}#{seen[key]}")
    return keys


def _entry(field: Any, value: Any, where: str) -> Iterator[tuple[str, str]]:
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        yield from _walk(value, where)
    else:
        yield where, scalar_text(field, value)


def _control(control: Any) -> str:
    """One control in a line; its kind is said even where it is protobuf's default."""
    kind = enum_name(control, "kind")
    rest = [f"{path} {text}" for path, text in _walk(control, "") if path != "kind"]
    return ", ".join([kind, *rest])
