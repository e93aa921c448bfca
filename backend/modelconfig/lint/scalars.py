"""Plain values as protobuf reads them: numbers, words, texts, names of enumerations.

Source: protobuf, ``text_format.cc``, ``ConsumeFieldValue``, ``ConsumeUnsignedInteger``,
``ConsumeDouble``; seen on release 24.10.
"""

from __future__ import annotations

import difflib
import math
import re
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from backend.modelconfig.lint.tree import Scalar

_TRUE: Final = ("true", "True", "t")
_FALSE: Final = ("false", "False", "f")
_DIGITS: Final = re.compile(r"-?[0-9]{1,20}")
"""A whole number in a text of JSON: 20 digits hold every one of 64 bits."""
_LARGEST_SINGLE: Final = 3.4028234663852886e38
_INTEGERS: Final = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}


class WrongValueError(Exception):
    """A value that its field cannot hold; ``rule`` is the linter's."""

    def __init__(self, rule: str, what: str, fix: str) -> None:
        super().__init__(what)
        self.rule = rule
        self.what = what
        self.fix = fix


def scalar_value(value: Scalar, field: Any, *, json: bool) -> Any:
    """The value that a field takes.

    Raises:
        WrongValueError: if it cannot hold it.
    """
    if field.type == FieldDescriptor.TYPE_ENUM:
        return _enum(value, field, json)
    kind = field.cpp_type
    if kind in _INTEGERS:
        return _integer(value, field, json)
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        return _truth(value, field, json)
    if kind == FieldDescriptor.CPPTYPE_STRING:
        return _text(value, field)
    return _number(value, field, json)


def takes_quotes(field: Any) -> bool:
    """Whether a value that is no text may stand in quotes in JSON: a number or a name."""
    numbers = (*_INTEGERS, FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT)
    return field.type == FieldDescriptor.TYPE_ENUM or field.cpp_type in numbers


def _wrong(field: Any, value: Scalar, what: str, fix: str) -> WrongValueError:
    shown = f"-{value.text}" if value.negative else value.text
    return WrongValueError("wrong-type", f"{field.name} takes {what}, not '{shown[:40]}'.", fix)


def _integer(value: Scalar, field: Any, json: bool) -> int:
    text = value.text
    if json and value.kind == "string" and _DIGITS.fullmatch(text):
        number = int(text)
    elif value.kind == "integer" and len(text) <= 64:
        base = 16 if text[:2].lower() == "0x" else 8 if text[0] == "0" and len(text) > 1 else 10
        try:
            number = int(text, 10 if json else base)
        except ValueError as error:
            raise _wrong(field, value, "a whole number", "A leading 0 means octal.") from error
        number = -number if value.negative else number
    elif json and value.kind == "float" and float(text).is_integer():
        number = -int(float(text)) if value.negative else int(float(text))
    else:
        raise _wrong(field, value, "a whole number", f"Write {field.name}: and a whole number.")
    least, most = _INTEGERS[field.cpp_type]
    if value.negative and least == 0:
        raise _wrong(field, value, "no negative number", "Write 0 or more.")
    if not least <= number <= most:
        raise _wrong(field, value, f"{least} to {most}", "Write a number within that range.")
    return number


def _number(value: Scalar, field: Any, json: bool) -> float:
    if json and value.kind == "string":
        try:
            return float(value.text)
        except ValueError as error:
            raise _wrong(field, value, "a number", f"Write {field.name}: and a number.") from error
    text = value.text.rstrip("fF") if value.kind == "float" else value.text
    numeric = value.kind == "float" or (value.kind == "integer" and text[:2].lower() != "0x")
    octal = value.kind == "integer" and len(text) > 1 and text[0] == "0" and not json
    word = value.kind == "word" and text.lower() in ("inf", "infinity", "nan")
    if octal or not (numeric or word):
        raise _wrong(field, value, "a number", f"Write {field.name}: and a number.")
    number = -float(text) if value.negative else float(text)
    single = field.cpp_type == FieldDescriptor.CPPTYPE_FLOAT
    if json and single and math.isfinite(number) and abs(number) > _LARGEST_SINGLE:
        raise _wrong(field, value, "a number of 32 bits", f"Write at most {_LARGEST_SINGLE:g}.")
    return number


def _truth(value: Scalar, field: Any, json: bool) -> bool:
    text = value.text
    if not value.negative:
        if value.kind == "word" and text in (_TRUE[:1] if json else _TRUE):
            return True
        if value.kind == "word" and text in (_FALSE[:1] if json else _FALSE):
            return False
        if value.kind == "integer" and not json and text.lstrip("0xX") in ("", "1"):
            return bool(int(text, 16 if text[:2].lower() == "0x" else 8))
    raise _wrong(field, value, "true or false", f"Write {field.name}: true or false.")


def _text(value: Scalar, field: Any) -> str | bytes:
    if value.kind != "string":
        raise _wrong(field, value, "a text in quotes", f'Write {field.name}: "{value.text[:40]}".')
    if field.type == FieldDescriptor.TYPE_BYTES:
        return value.raw
    # Triton takes bytes that are no UTF-8; a message of ours cannot hold them
    return value.raw.decode("utf-8", "replace")


def _enum(value: Scalar, field: Any, json: bool) -> int:
    kinds = field.enum_type
    if value.kind == "integer" and len(value.text) <= 12:
        number = _integer(value, _Int32(field.name), json)
        # proto3 keeps numbers that name nothing; Triton then treats them as unknown
        return number
    name = value.text
    if (
        value.kind == ("string" if json else "word")
        and not value.negative
        and name in kinds.values_by_name
    ):
        return int(kinds.values_by_name[name].number)
    known = list(kinds.values_by_name)
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Possible: {', '.join(known)}."
    raise WrongValueError(
        "unknown-value", f"'{name[:60]}' is no value of {field.name} ({kinds.name}).", hint
    )


class _Int32:
    """What ``_integer`` looks at, for the number of an enumeration's value."""

    cpp_type = FieldDescriptor.CPPTYPE_INT32

    def __init__(self, name: str) -> None:
        self.name = name
