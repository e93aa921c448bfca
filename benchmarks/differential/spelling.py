"""Writes a configuration in the many ways that protobuf's text format allows."""

from __future__ import annotations

import re
from typing import Any, Final

from google.protobuf import text_format
from hypothesis import strategies as st

from benchmarks.differential.values import sometimes

_BLANKS: Final = (" ", "\t", "  ", " # why not\n", "\r\n", "\f", "\v")
_BOOLEAN: Final = {
    "true": ("true", "True", "t", "1", "0x1", "01"),
    "false": ("false", "False", "f", "0", "0x0", "00"),
}


def plain(config: Any) -> str:
    """As protobuf prints it."""
    return str(text_format.MessageToString(config, as_utf8=True))


def spelled(draw: Any, config: Any) -> str:
    """In another spelling that means the same."""
    lines = plain(config).splitlines()
    style = draw(st.sampled_from(("colons", "angles", "separators", "values", "blanks", "line")))
    if style == "colons":
        lines = [re.sub(r" \{$", ": {", line) for line in lines]
    elif style == "angles":
        lines = [re.sub(r"\{$", "<", line) for line in lines]
        lines = [re.sub(r"^(\s*)\}$", r"\1>", line) for line in lines]
    elif style == "separators":
        sign = draw(st.sampled_from((",", ";")))
        # one is allowed behind each field, and none before it
        lines = [line if line.endswith("{") else line + sign for line in lines]
    elif style == "values":
        lines = [_respelled(draw, line) for line in lines]
    elif style == "blanks":
        blank = draw(st.sampled_from(_BLANKS))
        lines = [blank + re.sub(r"^(\s*\w+): (?=[\w-]+$)", rf"\1:{blank}", line) for line in lines]
    else:
        return " ".join(line.strip() for line in lines)
    end = "" if sometimes(draw, 4) else "\n"
    return "\n".join(lines) + end


def _respelled(draw: Any, line: str) -> str:
    field, colon, value = line.partition(": ")
    if not colon:
        return line
    if value in _BOOLEAN:
        value = draw(st.sampled_from(_BOOLEAN[value]))
    elif re.fullmatch(r"\d+", value):
        number = int(value)
        value = draw(st.sampled_from((value, hex(number), f"0{number:o}")))
    elif re.fullmatch(r"-\d+", value):
        value = f"- {value[1:]}"
    elif value.startswith('"'):
        value = draw(st.sampled_from((value, '""' + value, value + " ''", value + "\n  # so\n''")))
    if field.strip().endswith("preferred_batch_size") and draw(st.booleans()):
        value = f"[ {value} ]"
    return f"{field}: {value}"
