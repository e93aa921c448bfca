"""The example studies, whole, as a user runs them: exit code, verdict, seconds against two minutes.

``python -m benchmarks.example_studies [NAME ...]``; ends with 1 if a study fails or takes longer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.results import Figure, publish

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "make studies"
LIMIT_S = 120.0


def _wrong(findings: dict[str, Any]) -> str:
    """Replies that are not their session's own, by candidate, all cells and rounds."""
    parts = []
    for item in findings["classes"].values():
        for candidate in item["candidates"]:
            judged = [p for p in candidate["properties"] if p["row"] in ("M21", "M26")]
            wrong = sum(p["violation_count"] for p in judged)
            checked = sum(p["checked_count"] for p in judged)
            parts.append(f"{candidate['name']} {wrong:,} of {checked:,}")
    return "; ".join(parts)


def main(names: list[str]) -> int:
    """Run the studies one after another; returns the exit code."""
    figures = []
    failed = False
    for path in sorted((ROOT / "studies").glob("*.yaml")):
        if names and path.stem not in names:
            continue
        with tempfile.TemporaryDirectory(prefix="interleave-studies-") as folder:
            run = Path(folder) / "R"
            began = time.monotonic()
            ended = subprocess.run(
                [sys.executable, "-m", "backend", "run", str(path), "--out", str(run), "--json"],
                cwd=ROOT,
                env={**os.environ, "INTERLEAVE_HOME": str(Path(folder) / "home")},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            seconds = time.monotonic() - began
        late = seconds > LIMIT_S
        failed |= late or ended.returncode != 0
        print(f"{path.stem}: exit {ended.returncode}, {seconds:.0f} s{' (too long)' * late}")
        if ended.stdout:
            findings = json.loads(ended.stdout)
            print(f"  {findings['verdict']}; wrong replies: {_wrong(findings)}")
        if ended.returncode != 0:
            print(ended.stderr)
        figures.append(
            Figure(
                f"study-{path.stem}", seconds, "s", COMMAND, "the limit of 120 s", seconds / LIMIT_S
            )
        )
    publish("example_studies", figures)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
