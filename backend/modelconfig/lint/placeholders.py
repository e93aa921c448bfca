"""Placeholders of template languages: which bring values, which are branches or comments."""

from __future__ import annotations

import re
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from backend.modelconfig.lint.tokens import PLACEHOLDER

_STATEMENT: Final = re.compile(
    r"\{%|<%(?!=)|\{\{[#^/]|\{\{-?\s*(?:if|else|end|range|with|block|define)\b"
)
"""Jinja, ERB, Mustache, Helm."""
_COMMENT: Final = re.compile(r"\{#|<%#|\{\{!|\{\{-?\s*/\*")


def is_hole(text: str) -> bool:
    """Whether a text holds a placeholder."""
    return PLACEHOLDER.search(text) is not None


def is_statement(placeholder: str) -> bool:
    """Whether it is part of a branch or a loop around what is written."""
    return _STATEMENT.match(placeholder) is not None


def is_comment(placeholder: str) -> bool:
    """Whether it brings nothing."""
    return _COMMENT.match(placeholder) is not None


def stand_in(field: Any) -> Any:
    """A plausible value for a field that a placeholder fills."""
    if field.type == FieldDescriptor.TYPE_ENUM:
        values = field.enum_type.values
        return values[min(1, len(values) - 1)].number
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return b"placeholder" if field.type == FieldDescriptor.TYPE_BYTES else "placeholder"
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return False
    if field.cpp_type in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        return 0.0
    return 1
