"""How every benchmark reports: a table on the terminal, and the same figures as JSON lines.

Each line of ``benchmarks/out/<benchmark>.jsonl`` is ``{name, value, unit, against, ratio,
command}``: what was measured, its value with its unit, what it is compared with, value ÷ that
one's value (null where nothing is compared), and the command that measures it again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

OUT = Path(__file__).resolve().parent / "out"


@dataclass(frozen=True)
class Figure:
    """One measured figure; ``against`` names what ``ratio`` compares it with."""

    name: str
    value: float
    unit: str
    command: str
    against: str | None = None
    ratio: float | None = None


def publish(benchmark: str, figures: Sequence[Figure]) -> Path:
    """Print the figures as a table and write them to ``out/<benchmark>.jsonl``.

    Returns:
        The written file; it replaces that of an earlier run.
    """
    rows = [("figure", "value", "unit", "against", "ratio")] + [
        (
            figure.name,
            f"{figure.value:,.3g}" if abs(figure.value) < 1000 else f"{figure.value:,.0f}",
            figure.unit,
            figure.against or "–",
            "–" if figure.ratio is None else f"{figure.ratio:.3g}",
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    print(f"\n{benchmark}")
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{benchmark}.jsonl"
    order = ("name", "value", "unit", "against", "ratio", "command")
    lines = [
        json.dumps({key: asdict(figure)[key] for key in order}, ensure_ascii=False)
        for figure in figures
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
