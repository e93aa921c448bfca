"""Texts safe to show: what users wrote never becomes markup."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|$~&\"^=])")
_SEPARATORS = re.compile(r"([._/:])")
_DIRECTIVE = re.compile(r":(?=\S)")


def plain(text: str) -> str:
    """The text with every sign that Markdown would read escaped; line breaks become spaces.

    Icons and colours are written ``:name:`` and are replaced after escapes are resolved, so a word
    joiner (invisible, no width) goes between a colon and the sign after it.
    """
    escaped = _MARKUP.sub(r"\\\1", " ".join(text.split()))
    return _DIRECTIVE.sub(":\u2060", escaped)


def breakable(text: str) -> str:
    """A path or a field's name as plain text that may break after its separators."""
    return plain(_SEPARATORS.sub("\\1\u200b", text))
