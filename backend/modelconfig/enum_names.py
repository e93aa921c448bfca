"""Names of a schema's enumerations, also for numbers that name nothing.

proto3 keeps such numbers, and Triton loads some files that hold them.
"""

from __future__ import annotations

from typing import Any


def enum_name(message: Any, field: str) -> str:
    """The name of an enumeration's value as a file spells it; the number where it names nothing.

    Args:
        message: What holds the field.
        field: The field's name.
    """
    number = int(getattr(message, field))
    known = message.DESCRIPTOR.fields_by_name[field].enum_type.values_by_number
    return str(known[number].name) if number in known else str(number)
