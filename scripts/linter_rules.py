"""Writes the table of the linter's rules into ``docs/linter.md``; ``--check`` only compares.

The table is made from the rules themselves, so that the document cannot fall behind.
"""

from __future__ import annotations

import sys
from pathlib import Path

from backend.modelconfig.lint.linter import RULES
from backend.modelconfig.lint.reading_rules import READING_RULES

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "linter.md"
BEGIN, END = "<!-- rules: begin -->", "<!-- rules: end -->"


def table() -> str:
    """The rules as a Markdown table, in the order in which they are asked."""
    lines = ["| rule | severity | what it finds | releases | source |", "|---|---|---|---|---|"]
    lines += [
        f"| `{reading.id}` | {reading.severity} | {reading.title} | all | {reading.source} |"
        for reading in READING_RULES.values()
    ]
    for rule in RULES:
        since = f"from {rule.since}" if rule.since else ""
        until = f"to {rule.until}" if rule.until else ""
        releases = f"{since} {until}".strip() or "all"
        lines.append(f"| `{rule.id}` | {rule.severity} | {rule.title} | {releases} | "
                     f"{rule.source} |")  # fmt: skip
    return "\n".join(lines)


def written(text: str) -> str:
    """The document with the table as it should be."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def main() -> int:
    """Write the table, or with ``--check`` say whether it is up to date."""
    text = DOCUMENT.read_text(encoding="utf-8")
    new = written(text)
    if "--check" in sys.argv[1:]:
        return int(new != text)
    DOCUMENT.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
