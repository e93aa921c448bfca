"""The document lists the rules as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_the_list_of_rules_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.linter_rules", "--check"], cwd=ROOT, check=False
    )
    assert done.returncode == 0, "run: python -m scripts.linter_rules"
