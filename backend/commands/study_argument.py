"""The STUDY argument that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backend.contracts.errors import InputError
from backend.studies.preparation import PreparedStudy, prepare
from backend.workload.study import CANDIDATE_NAMES, CandidateName
from backend.workload.study_file import load_source

StudyArgument = Annotated[Path, typer.Argument(metavar="STUDY", help="A study file (YAML).")]
CandidateOption = Annotated[
    str | None,
    typer.Option("--candidate", metavar="NAME", help=f"One of {', '.join(CANDIDATE_NAMES)}."),
]


def candidate_named(name: str | None) -> CandidateName | None:
    """The candidate of that name.

    Raises:
        InputError: if there is none; lists those that there are.
    """
    if name is None:
        return None
    for known in CANDIDATE_NAMES:
        if name == known:
            return known
    raise InputError(
        f"There is no candidate '{name}'.", next_step=f"Name one of {', '.join(CANDIDATE_NAMES)}."
    )


def prepared_study(path: Path, only: CandidateName | None = None) -> PreparedStudy:
    """The study of a file, with all that needs no server settled.

    Raises:
        InputError: if the file, or what it names, is wrong.
    """
    source = load_source(path)
    return prepare(source.study, source=source, only=only)
