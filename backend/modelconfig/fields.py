"""A configuration as a flat table: the path of every set field and its value as text.

Entries of lists with a name are known by it (``input[CHUNK].dims``), others by their number. A
section has a row of its own; a control input is one row.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any, Final

from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor

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
            for entry in value:
                yield f"{where}[{entry.name}]", "; ".join(map(_control, entry.control))
        elif field.is_repeated and field.type == FieldDescriptor.TYPE_MESSAGE:
            for index, entry in enumerate(value):
                # instance groups are named by Triton when they have no name: go by number
                named = getattr(entry, "name", "") if field.name != "instance_group" else ""
                for inner_path, text in _entry(field, entry, f"{where}[{named or index}]"):
                    if not (named and inner_path.endswith("].name")):
                        yield inner_path, text
        elif field.is_repeated:
            shown = ", ".join(scalar_text(field, item) for item in value)
            yield where, f"[{shown}]"
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            yield where, SET
            yield from _walk(value, where)
        else:
            yield where, scalar_text(field, value)


def _entry(field: Any, value: Any, where: str) -> Iterator[tuple[str, str]]:
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        yield from _walk(value, where)
    else:
        yield where, scalar_text(field, value)


def _control(control: Any) -> str:
    """One control in a line; its kind is said even where it is protobuf's default."""
    kind = type(control).Kind.Name(control.kind)
    rest = [f"{path} {text}" for path, text in _walk(control, "") if path != "kind"]
    return ", ".join([kind, *rest])
