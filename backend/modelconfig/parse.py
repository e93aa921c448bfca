"""Reads a ``config.pbtxt``: Triton's own text format, with line and column of what is wrong."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Any, Final

from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2

from backend.contracts.errors import InputError

MOST_CHARACTERS: Final = 1024 * 1024
_NO_FIELD: Final = re.compile(r'Message type "inference\.([\w.]+)" has no field named "(\w+)"')
_TWO_OF: Final = re.compile(r'Field "(\w+)" is specified along with field "(\w+)"')
_NO_VALUE: Final = re.compile(r'Enum type "inference\.([\w.]+)" has no value named (\w+)')
_PLACEHOLDER: Final = re.compile(r"\$\{|\{\{|<%|\$\(")


def parse(text: str, file: Path | str = "config.pbtxt") -> Any:
    """The ``ModelConfig`` of a text.

    Raises:
        InputError: if the text is no configuration; names line and column, and what was near.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"The configuration has {len(text):,} characters.",
            why=f"At most {MOST_CHARACTERS:,} are read.",
            next_step="Check that this is the file you meant.",
            file=file,
        )
    config = model_config_pb2.ModelConfig()
    try:
        text_format.Parse(text, config)
    except text_format.ParseError as error:
        raise _not_a_configuration(error, text, file) from error
    except RecursionError as error:
        raise InputError(
            "The configuration is nested far too deeply.",
            next_step="Check that this is the file you meant.",
            file=file,
        ) from error
    if not config.ListFields():
        raise InputError(
            "The configuration is empty.",
            next_step="Begin with name, backend, max_batch_size, input and output.",
            file=file,
            line=1,
        )
    return config


def load_config(path: Path) -> Any:
    """The ``ModelConfig`` of a file.

    Raises:
        InputError: if the file cannot be read, or as ``parse``.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "The file is not UTF-8 text.",
            why=f"Byte {error.start} cannot be read.",
            next_step="Save it as UTF-8 text.",
            file=path,
        ) from error
    except OSError as error:
        raise InputError(
            f"The configuration {path} cannot be read.",
            why=error.strerror or str(error),
            next_step="Check the path and its permissions.",
        ) from error
    return parse(text, path)


def _not_a_configuration(error: text_format.ParseError, text: str, file: Path | str) -> InputError:
    line, column = error.GetLine(), error.GetColumn()
    lines = text.splitlines()
    shown = lines[line - 1].strip()[:100] if line and line <= len(lines) else ""
    what, next_step = _words(str(error), shown)
    place = f"Line {line}, column {column}" if line else "The end of the text"
    return InputError(
        what,
        why=f"{place}: {shown}" if shown else f"{place}.",
        next_step=next_step,
        file=file,
        line=line,
    )


def _words(message: str, shown: str) -> tuple[str, str]:
    """What protobuf found, in plain words, and what would be right."""
    if _PLACEHOLDER.search(shown):
        return (
            "The line holds a placeholder of a template language.",
            "Fill the template in first; then read the result.",
        )
    if found := _TWO_OF.search(message):
        return (
            f"{found[2]} and {found[1]} exclude each other.",
            _EXCLUSIVE.get(found[1], "Keep one of the two."),
        )
    if found := _NO_FIELD.search(message):
        known = _fields_of(found[1])
        close = difflib.get_close_matches(found[2], known, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"Known here: {', '.join(known)}."
        holder = "A model configuration" if found[1] == "ModelConfig" else _last(found[1])
        return f"{holder} has no field '{found[2]}'.", hint
    if found := _NO_VALUE.search(message):
        values = _values_of(found[1])
        close = difflib.get_close_matches(found[2], values, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"Possible: {', '.join(values)}."
        return f"'{found[2]}' is no value of {found[1]}.", hint
    if "should not have multiple" in message:
        name = message.rsplit('"', 2)[-2]
        return f"{name} stands there twice.", "Keep one of them."
    # protobuf repeats place and line before its reason
    reason = message.rsplit("': ", 1)[-1].split(" : ", 1)[-1].rstrip(".")
    return f"This is not a configuration: {reason}.", "Correct the line."


_EXCLUSIVE: Final = {
    "sequence_batching": "A model has one scheduler: keep dynamic_batching for requests that stand "
    "alone, sequence_batching for parts of a session.",
    "dynamic_batching": "A model has one scheduler: keep dynamic_batching for requests that stand "
    "alone, sequence_batching for parts of a session.",
    "oldest": "Keep direct for a model that finds its state by position, oldest for one that finds "
    "it by correlation ID.",
    "direct": "Keep direct for a model that finds its state by position, oldest for one that finds "
    "it by correlation ID.",
}


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _fields_of(message: str) -> list[str]:
    descriptor = _message(message)
    return [field.name for field in descriptor.fields] if descriptor is not None else []


def _values_of(enum: str) -> list[str]:
    outer, _, name = enum.rpartition(".")
    holder = _message(outer) if outer else model_config_pb2.DESCRIPTOR
    enums = holder.enum_types_by_name if holder is not None else {}
    return list(enums[name].values_by_name) if name in enums else []


def _message(path: str) -> Any:
    """A message type by its dotted name in Triton's protocol; None where there is none."""
    descriptor: Any = None
    types = model_config_pb2.DESCRIPTOR.message_types_by_name
    for part in path.split("."):
        descriptor = types.get(part)
        if descriptor is None:
            return None
        types = descriptor.nested_types_by_name
    return descriptor
