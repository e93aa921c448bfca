"""What ``docs/linter.md`` says about files that the linter refuses and the server loads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

DOCUMENT: Final = Path(__file__).resolve().parents[2] / "docs" / "linter.md"
_SECTION: Final = "## Where linter and server differ"
_RULE: Final = re.compile(r"`([\w-]+)`")


def documented() -> dict[str, str]:
    """The reason for each rule in the section's table."""
    _, _, after = DOCUMENT.read_text(encoding="utf-8").partition(_SECTION)
    found: dict[str, str] = {}
    for line in after.partition("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 2:
            found.update((rule, cells[1]) for rule in _RULE.findall(cells[0]))
    return found
