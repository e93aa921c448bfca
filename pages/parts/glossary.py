"""The glossary's sentences as help beside a word: one source, ``docs/glossary.md``."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"


@lru_cache(maxsize=1)
def _terms() -> dict[str, str]:
    terms: dict[str, str] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 2 or set(cells[0]) <= {"-"}:
            continue
        for word in cells[0].split(","):
            terms[word.strip()] = f"{cells[0][0].upper()}{cells[0][1:]}: {cells[1]}."
    return terms


def term(*words: str) -> str:
    """What the words mean, one paragraph each (KeyError for one that the glossary lacks)."""
    return "\n\n".join(_terms()[word] for word in words)
