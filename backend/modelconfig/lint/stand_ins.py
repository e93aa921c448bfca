"""What may stand in a template's placeholders: a finding counts only where it does not matter what.

Each placeholder takes, one after another, values at the boundaries of its type and those that the
file itself holds (a name may be meant to equal another). What no value can stand for, such as a
section, is not tried but watched: see ``watched``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from backend.modelconfig.backends import BACKEND_OF, MODEL_FILES
from backend.modelconfig.fields import is_map
from backend.modelconfig.lint.binding import bind
from backend.modelconfig.lint.reading import Reading

MOST_VARIANTS: Final = 400
MOST_FIELDS: Final = 100_000
"""In all variants together, so that a large template takes no longer than a second or two."""
MOST_MIXED: Final = 60
MOST_VALUES: Final = 40
"""Of a file with more texts or numbers than that, the first so many."""
_NUMBERS: Final = (0, 1, 2, 4, 8, 64, 4096, 1_000_000, 2**31 - 1, -1)
_WHOLE: Final = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
_BACKENDS: Final = sorted({*BACKEND_OF, *BACKEND_OF.values(), *MODEL_FILES, "ensemble"})


def variants(reading: Reading, names: Iterable[str] = ()) -> Iterator[Any]:
    """The configurations that a template may become, as far as they are tried.

    Args:
        reading: A file with placeholders.
        names: Further texts that a placeholder may stand for, such as names in the model's source.
    """
    most = min(MOST_VARIANTS, max(len(_NUMBERS), MOST_FIELDS // (len(reading.places) + 1)))
    return islice(_filled(reading, names), most)


def _filled(reading: Reading, names: Iterable[str]) -> Iterator[Any]:
    values = {*map(str, names)}
    numbers: set[int] = set()
    _collect(reading.config, values, numbers)
    texts = ["", "another", *sorted(values)[:MOST_VALUES]]
    near = {number + step for number in numbers for step in (-1, 0, 1)} - {*_NUMBERS}
    whole = [*_NUMBERS, *sorted(near)[:MOST_VALUES]]
    tried = {path: _values(kind, texts, whole) for path, kind in reading.open.items()}
    for path in tried.keys() & {"backend", "platform"}:
        tried[path] += _BACKENDS
    # all at once first: with many placeholders these are what there is room for
    for turn in range(max(map(len, tried.values()), default=0)):
        yield _config(reading, {path: given[turn % len(given)] for path, given in tried.items()})
    if len(tried) > 1:
        chance = random.Random(len(tried))
        for _ in range(MOST_MIXED):
            yield _config(reading, {path: chance.choice(given) for path, given in tried.items()})
        for path, given in tried.items():
            for value in given:
                yield _config(reading, {path: value})


def _config(reading: Reading, stand_ins: dict[str, Any]) -> Any:
    return bind(reading.root, json=reading.form == "json", stand_ins=stand_ins).config


def _values(kind: Any, texts: list[str], whole: list[int]) -> list[Any]:
    if kind.type == FieldDescriptor.TYPE_ENUM:
        return [value.number for value in kind.enum_type.values]
    if kind.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return [text.encode() for text in texts] if _is_bytes(kind) else list(texts)
    if kind.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return [False, True]
    if kind.cpp_type in _WHOLE:
        least, most = _WHOLE[kind.cpp_type]
        return [number for number in whole if least <= number <= most]
    return [0.0, 0.5, 1.0]


def _is_bytes(kind: Any) -> bool:
    return bool(kind.type == FieldDescriptor.TYPE_BYTES)


def _collect(message: Any, texts: set[str], numbers: set[int]) -> None:
    """All texts and whole numbers of a message."""
    for field, value in message.ListFields():
        if is_map(field):
            for key in value:
                _note(key, texts, numbers)
                held = value[key]
                if field.message_type.fields_by_name["value"].message_type is not None:
                    _collect(held, texts, numbers)
                else:
                    _note(held, texts, numbers)
            continue
        for item in value if field.is_repeated else (value,):
            if field.message_type is not None:
                _collect(item, texts, numbers)
            elif field.type != FieldDescriptor.TYPE_ENUM:
                _note(item, texts, numbers)


def _note(value: Any, texts: set[str], numbers: set[int]) -> None:
    if isinstance(value, str):
        texts.add(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        numbers.add(value)
