"""``config``: the ``config.pbtxt`` of every candidate, printed or written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backend.commands.printing import say, show, show_json
from backend.commands.study_argument import (
    CandidateOption,
    StudyArgument,
    candidate_named,
)
from backend.contracts.errors import EnvironmentMissing
from backend.modelconfig.lint.release import Release
from backend.modelconfig.text import candidate_text
from backend.studies.proposing import proposed_classes
from backend.workload.study_file import load_source


def write_configs(
    study: StudyArgument,
    candidate: CandidateOption = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="DIR", help="Write DIR/CLASS/CANDIDATE/config.pbtxt."),
    ] = None,
    instances: Annotated[
        int | None, typer.Option(min=1, help="Instances; default: the fewest of the matrix.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON value for machines.")] = False,
) -> int:
    """Print or write the config.pbtxt of every candidate, each value with its reason."""
    source = load_source(study)
    count = instances or min(source.study.matrix.instances)
    proposed = proposed_classes(
        source.study, source=source, only=candidate_named(candidate), instances=count
    )
    release = Release.of(source.study.triton_release)
    texts = {
        (item.item.name, choice.name): candidate_text(
            item.candidate(choice.name, count), item.template, release
        )
        for item in proposed
        for choice in item.choices
    }
    if out is not None:
        for (name, choice_name), text in texts.items():
            path = out / name / choice_name / "config.pbtxt"
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            except OSError as error:
                raise EnvironmentMissing(
                    f"{path} cannot be written.",
                    why=str(error),
                    next_step="Choose a folder that you can write.",
                ) from error
            say(f"Wrote {path}")
    if as_json:
        show_json(
            [
                {"class": name, "candidate": choice_name, "instances": count, "config": text}
                for (name, choice_name), text in texts.items()
            ]
        )
    elif out is None:
        for number, ((name, choice_name), text) in enumerate(texts.items()):
            if number:
                show()
            show(f"# {name}: {choice_name}, {count} instance{'s' * (count > 1)}")
            show(text.rstrip("\n"))
    return 0
