"""Findings as text for people, and as JSON for machines."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from backend.modelconfig.lint.finding import Finding

_WIDTH: Final = 100


def to_text(file: str, findings: Sequence[Finding]) -> str:
    """One paragraph a finding, in the order of the file, and a line that counts them."""
    parts = [_paragraph(file, finding) for finding in findings]
    return "\n\n".join([*parts, f"{file}: {counted(findings)}"])


def to_json(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """A list of findings with the keys of ``Finding``."""
    return [finding.model_dump(mode="json") for finding in findings]


def counted(findings: Sequence[Finding]) -> str:
    """How many findings of each severity there are, in words."""
    count = Counter(finding.severity for finding in findings)
    if not count:
        return "nothing found"
    words = []
    for severity, noun in (("error", "error"), ("warning", "warning"), ("info", "remark")):
        number = count[severity]  # type: ignore[index]
        if number:
            words.append(f"{number} {noun}{'s' * (number > 1)}")
    return ", ".join(words)


def _paragraph(file: str, finding: Finding) -> str:
    place = file if finding.line is None else f"{file}:{finding.line}:{finding.column}"
    field = f" ({finding.field})" if finding.field else ""
    lines = [f"{place}: {finding.severity} {finding.rule}{field}"]
    for label, text in (
        ("", finding.message),
        ("", finding.effect),
        ("Write: ", finding.fix),
        ("Source: ", finding.source),
    ):
        lines += textwrap.wrap(
            f"{label}{text}",
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)
