"""Findings as SARIF 2.1.0, the form that code hosts and editors read."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from backend.modelconfig.lint.finding import Finding, Severity
from backend.modelconfig.lint.linter import RULES
from backend.modelconfig.lint.reading_rules import READING_RULES

_LEVELS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


_PROJECT: Final = Path(__file__).resolve().parents[3] / "pyproject.toml"


@cache
def _version() -> str:
    """Interleave's own version, which stands in one place."""
    return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])


def rules_listed() -> tuple[tuple[str, Severity, str, str], ...]:
    """Id, severity, title and source of every rule, those on reading first."""
    reading = tuple((r.id, r.severity, r.title, r.source) for r in READING_RULES.values())
    return reading + tuple((r.id, r.severity, r.title, r.source) for r in RULES)


def to_sarif(found: Iterable[tuple[str, Sequence[Finding]]], release: str) -> dict[str, Any]:
    """The log of one run over one or more files.

    Args:
        found: File (as it was named) and its findings.
        release: The release of Triton that was linted for.
    """
    listed = rules_listed()
    index = {rule[0]: number for number, rule in enumerate(listed)}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "interleave-lint",
                        "version": _version(),
                        "rules": [
                            {
                                "id": rule_id,
                                "shortDescription": {"text": title},
                                "help": {"text": f"{title}. Source: {source}"},
                                "defaultConfiguration": {"level": _LEVELS[severity]},
                            }
                            for rule_id, severity, title, source in listed
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "properties": {"tritonRelease": release},
                "results": [
                    _result(file, finding, index) for file, items in found for finding in items
                ],
            }
        ],
    }


def _result(file: str, finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(file.replace("\\", "/"))}}
    if finding.line is not None:
        place["region"] = {"startLine": finding.line, "startColumn": finding.column or 1}
    text = f"{finding.message} {finding.effect} {finding.fix}".strip()
    return {
        "ruleId": finding.rule,
        "ruleIndex": index[finding.rule],
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
        "properties": {"field": finding.field, "fix": finding.fix, "source": finding.source},
    }
