"""What the linter says of files that are no configuration, or not quite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from backend.modelconfig.lint.finding import Severity

_TEXT_FORMAT: Final = "protobuf, src/google/protobuf/text_format.cc, TextFormat::Parser"
_SCHEMA: Final = "Triton common, protobuf/model_config.proto"
_REFUSED: Final = (
    "Triton refuses to load the model: its API answers only that it failed to poll the model "
    "repository; the reason stands in its log."
)


@dataclass(frozen=True)
class ReadingRule:
    """A rule on what was read, before it means anything."""

    id: str
    severity: Severity
    title: str
    effect: str
    source: str


READING_RULES: Final[dict[str, ReadingRule]] = {
    rule.id: rule
    for rule in (
        ReadingRule("syntax", "error", "The text is not protobuf's text format (or not JSON)",
                    _REFUSED, _TEXT_FORMAT),
        ReadingRule("unknown-field", "error", "A field that no release knows", _REFUSED, _SCHEMA),
        ReadingRule("unknown-value", "error", "A value that the field does not have", _REFUSED,
                    _SCHEMA),
        ReadingRule("wrong-type", "error", "A value of the wrong type, or out of its range",
                    _REFUSED, _SCHEMA),
        ReadingRule("field-twice", "error", "A field that may stand once stands there twice",
                    _REFUSED, _TEXT_FORMAT),
        ReadingRule("two-schedulers", "error", "More than one scheduler", _REFUSED,
                    f"{_SCHEMA}, oneof scheduling_choice"),
        ReadingRule("two-strategies", "error", "Both strategies of the sequence batcher", _REFUSED,
                    f"{_SCHEMA}, oneof strategy_choice"),
        ReadingRule("byte-order-mark", "error", "A byte order mark before the first field",
                    _REFUSED, _TEXT_FORMAT),
        ReadingRule("empty-file", "error", "Nothing in the file",
                    "Triton has no backend and no tensors to go by, and refuses the model unless "
                    "the backend completes the whole configuration by itself.",
                    "Triton server, docs/user_guide/model_configuration.md, Minimal Model "
                    "Configuration"),
        ReadingRule("git-link", "error", "A link to a file, not the file", _REFUSED,
                    "Git documentation, core.symlinks; Git LFS specification, The Pointer"),
        ReadingRule("include", "error", "A line that would bring in another file", _REFUSED,
                    _TEXT_FORMAT),
        ReadingRule("not-a-configuration", "error", "Something else than a configuration",
                    _REFUSED, _TEXT_FORMAT),
        ReadingRule("json-in-pbtxt", "error", "JSON where Triton reads the text format", _REFUSED,
                    _TEXT_FORMAT),
        ReadingRule("placeholder", "warning", "A hole of a template",
                    "Triton refuses the file as it stands: the template has to be filled in first.",
                    _TEXT_FORMAT),
    )
}  # fmt: skip
"""By id."""
