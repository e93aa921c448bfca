"""Which packages of ``requirements.txt`` are absent here, or installed in another version."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Final

REQUIREMENTS: Final = Path(__file__).resolve().parents[2] / "requirements.txt"


def unmet(requirements: Path = REQUIREMENTS) -> tuple[str, ...]:
    """A sentence part for each requirement of this platform that is not met.

    Raises:
        OSError: if the list cannot be read.
    """
    try:
        # here and not above: doctor must also run where nothing is installed
        from packaging.requirements import InvalidRequirement, Requirement
    except ModuleNotFoundError:
        return ("streamlit (with packaging) is not installed",)
    problems = []
    for line in requirements.read_text(encoding="utf-8").splitlines():
        text = line.partition(" #")[0].strip()
        if not text or text.startswith(("#", "-")):
            continue
        try:
            wanted = Requirement(text)
        except InvalidRequirement as error:
            problems.append(f"'{text}' in {requirements.name} is not a requirement ({error})")
            continue
        if wanted.marker is not None and not wanted.marker.evaluate():
            continue
        try:
            version = importlib.metadata.version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            problems.append(f"{wanted.name} is not installed")
            continue
        if not wanted.specifier.contains(version, prereleases=True):
            problems.append(f"{wanted.name} {version} is installed, needed is {wanted.specifier}")
    return tuple(problems)
