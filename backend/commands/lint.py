"""``lint``: what is wrong in a configuration, what it makes Triton do, how it differs from another.

Exit codes: 0 without errors, 1 with errors in the file, 2 where it could not be read.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from backend.commands.printing import paragraph, say, show, show_json
from backend.contracts.errors import InputError
from backend.modelconfig.compare import differences
from backend.modelconfig.explain import explain
from backend.modelconfig.lint.linter import lint_reading
from backend.modelconfig.lint.model_folder import MOST_BYTES, Source, of_data, read_source
from backend.modelconfig.lint.release import EMBEDDED, Release
from backend.modelconfig.lint.report import to_json, to_text
from backend.modelconfig.lint.sarif import to_sarif
from backend.workload.study import Study, TrafficClass
from backend.workload.study_file import load_study

STANDS_IN: Final = "For each placeholder a plausible value is taken; what is told depends on it."


def lint_file(
    config: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG",
            help="A config.pbtxt, the JSON of the configuration endpoint, a model's folder, or - "
            "for standard input.",
        ),
    ],
    triton: Annotated[
        str | None,
        typer.Option(
            "--triton",
            metavar="RELEASE",
            help="The release that is to load it; else the study's, else 24.10.",
        ),
    ] = None,
    backend: Annotated[
        str, typer.Option("--backend", metavar="NAME", help="The backend, if the file names none.")
    ] = "",
    study: Annotated[
        Path | None,
        typer.Option("--study", metavar="STUDY", help="Check it against a study's traffic."),
    ] = None,
    class_name: Annotated[
        str | None, typer.Option("--class", metavar="NAME", help="Which class of the study.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", metavar="DIR", help="The model's folder, if CONFIG lies elsewhere."
        ),
    ] = None,
    no_gpu: Annotated[
        bool, typer.Option("--no-gpu", help="The machine that is to load it has no GPU.")
    ] = False,
    form: Annotated[
        Literal["text", "json", "sarif"], typer.Option("--format", help="How to print findings.")
    ] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="As --format json.")] = False,
    explained: Annotated[
        bool, typer.Option("--explain", help="Also say what the file makes Triton do.")
    ] = False,
    other: Annotated[
        str | None,
        typer.Option("--compare", metavar="OTHER", help="Also say how another file differs."),
    ] = None,
) -> int:
    """Find what is wrong in a config.pbtxt before Triton does, or where Triton never says it."""
    planned = load_study(study) if study is not None else None
    item = _class_of(planned, study, class_name)
    release = _release(triton, planned)
    source = _read(config, model)
    findings = lint_reading(
        source.reading,
        release=release,
        backend=backend,
        folder=source.folder,
        item=item,
        code=source.code,
        files=source.files,
        gpus=False if no_gpu else None,
        file=source.name,
    )
    machine = "json" if as_json else form
    if machine == "json":
        show_json(to_json(findings))
    elif machine == "sarif":
        show_json(to_sarif([(source.name, findings)], str(release)))
    else:
        show(to_text(source.name, findings))
    extra = say if machine != "text" else show
    if explained and source.reading.cut:
        extra(f"\nNot explained: {_cut(source)}")
    elif explained and source.reading.form != "none":
        extra("\nWhat it makes Triton do")
        if source.reading.holes:
            extra(paragraph(STANDS_IN, indent="  ", first="  "))
        for sentence in explain(source.reading.config, release):
            extra(paragraph(sentence, indent="  ", first="- "))
    if other is not None:
        _compare(source, _read(other), release, extra)
    return int(any(finding.severity == "error" for finding in findings))


def _compare(left: Source, right: Source, release: Release, extra: Any) -> None:
    for source in (left, right):
        if source.reading.form == "none":
            raise InputError(
                f"{source.name} is no configuration that could be compared.",
                why=source.reading.troubles[0].what,
                next_step="Name a config.pbtxt.",
            )
        if source.reading.cut:
            raise InputError(
                f"{source.name} cannot be compared: {_cut(source)}",
                next_step="Correct it there first.",
            )
    found = differences(left.reading.config, right.reading.config, release)
    extra(f"\nWhat differs between {left.name} and {right.name}, defaults filled in")
    if not found:
        extra("  nothing")
    for row in found:
        extra(f"- {row.field}: {row.left or 'not set'} | {row.right or 'not set'}")
        extra(paragraph(row.effect, indent="    ", first="    "))


def _cut(source: Source) -> str:
    """Where reading stopped."""
    broken = source.reading.troubles[-1]
    return (
        f"it could be read up to line {broken.line}, column {broken.column} only, and what stands "
        "below may change everything."
    )


def _release(given: str | None, study: Study | None) -> Release:
    if given is not None:
        return Release.of(given)
    return EMBEDDED if study is None else Release.of(study.triton_release)


def _class_of(study: Study | None, path: Path | None, name: str | None) -> TrafficClass | None:
    if study is None:
        if name is not None:
            raise InputError(
                f"--class {name} names a class, but no study is given.",
                next_step="Add --study STUDY.",
            )
        return None
    if name is None:
        if len(study.classes) > 1:
            names = ", ".join(item.name for item in study.classes)
            raise InputError(
                f"The study {path} has several classes.",
                next_step=f"Add --class with one of {names}.",
            )
        return study.classes[0]
    for item in study.classes:
        if item.name == name:
            return item
    names = ", ".join(item.name for item in study.classes)
    raise InputError(f"The study has no class '{name}'.", next_step=f"It has {names}.")


def _read(given: str, model: Path | None = None) -> Source:
    if given == "-":
        return of_data(sys.stdin.buffer.read(MOST_BYTES), "standard input", model)
    return read_source(Path(given), model, pipes=True)
