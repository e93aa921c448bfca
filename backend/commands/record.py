"""``record``: write, list, show, accept, reject and export decision records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backend.commands.printing import say, show, show_json
from backend.contracts.errors import EnvironmentMissing, InputError
from backend.contracts.run_directory import RunDirectory
from backend.records.bundle import bundle
from backend.records.drafting import new_record
from backend.records.html import to_html
from backend.records.interchange import to_json
from backend.records.lifecycle import reject
from backend.records.markdown import to_markdown
from backend.records.run_evidence import read_evidence
from backend.store.store import Store
from backend.studies.advising import class_advice

application = typer.Typer(
    help="Write, list, show, accept, reject and export decision records.", no_args_is_help=True
)

Number = Annotated[int, typer.Argument(metavar="N", help="The record's number.")]
By = Annotated[str, typer.Option(help="Who decides.")]


def _by_class(values: list[str], option: str) -> str | dict[str, str]:
    """``NAME`` for the only class, or ``CLASS=NAME`` for each."""
    if len(values) == 1 and "=" not in values[0]:
        return values[0]
    chosen = {}
    for value in values:
        name, equals, candidate = value.partition("=")
        if not equals:
            raise InputError(
                f"{option} '{value}' does not name its class.",
                next_step=f"Write {option} CLASS={value}, once per class.",
            )
        chosen[name] = candidate
    return chosen


@application.command("new")
def new(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="What 'run --out' wrote.")],
    chosen: Annotated[
        list[str],
        typer.Option(metavar="[CLASS=]CANDIDATE", help="What is chosen; repeat it per class."),
    ],
    author: Annotated[str, typer.Option(help="Who writes it.")],
    because: Annotated[str, typer.Option(help="Why, in a sentence or two.")],
    title: Annotated[str, typer.Option(help="Default: made from the study and the choice.")] = "",
    consequence: Annotated[
        list[str] | None, typer.Option(help="What follows; may be repeated.")
    ] = None,
    supersedes: Annotated[
        int | None, typer.Option(metavar="N", help="The accepted record that it is to replace.")
    ] = None,
) -> int:
    """Write a proposed record with a run's evidence."""
    evidence = read_evidence(RunDirectory(run_dir.resolve()))
    advice = {item.name: class_advice(item) for item in evidence.study.classes}
    record = new_record(
        evidence,
        _by_class(chosen, "--chosen"),
        author=author,
        why=because,
        title=title,
        consequences=tuple(consequence or ()),
        advice=advice,
        supersedes=supersedes,
    )
    with Store() as store:
        stored = store.add_record(record)
    say(f"Record {stored.number} is proposed: {stored.record.title}")
    show(str(stored.number))
    return 0


@application.command("list")
def list_records(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON value for machines.")] = False,
) -> int:
    """List all records, the latest first."""
    with Store() as store:
        records = store.list_records()
    if as_json:
        show_json([record.model_dump(mode="json") for record in records])
        return 0
    for record in records:
        show(
            f"{record.number:>4}  {record.status:<10}  {record.created_at:%Y-%m-%d}  {record.title}"
        )
    if not records:
        show("There are no records yet. 'record new RUN_DIR' writes one.")
    return 0


@application.command("show")
def show_record(
    number: Number,
    form: Annotated[
        str, typer.Option("--format", metavar="FORM", help="markdown, html, json or zip.")
    ] = "markdown",
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write it to a file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> int:
    """Print or export a record."""
    with Store() as store:
        record = store.get_record(number).record
    chosen = "json" if as_json else form
    texts = {"markdown": to_markdown, "html": to_html, "json": to_json}
    if chosen == "zip" and out is None:
        raise InputError("A zip file is not for the terminal.", next_step="Name it with --out.")
    if chosen not in texts and chosen != "zip":
        raise InputError(
            f"There is no format '{chosen}'.", next_step="Choose markdown, html, json or zip."
        )
    content = bundle(record) if chosen == "zip" else texts[chosen](record).encode()
    if out is None:
        show(content.decode().rstrip("\n"))
        return 0
    try:
        out.write_bytes(content)
    except OSError as error:
        raise EnvironmentMissing(
            f"{out} cannot be written.", why=str(error), next_step="Choose another place."
        ) from error
    say(f"Wrote {out}")
    return 0


@application.command("accept")
def accept_record(
    number: Number,
    by: By,
    despite: Annotated[
        str, typer.Option(help="Why to accept a choice that its evidence does not support.")
    ] = "",
) -> int:
    """Accept a proposed record; after that its content cannot change."""
    with Store() as store:
        version = store.get_record(number).version
        store.accept_record(number, by, version, despite=despite)
    say(f"Record {number} is accepted. Its content can no longer change.")
    return 0


@application.command("reject")
def reject_record(
    number: Number,
    by: By,
    because: Annotated[str, typer.Option(help="Why.")] = "",
) -> int:
    """Reject a proposed record; it stays in the list."""
    with Store() as store:
        stored = store.get_record(number)
        store.change_record(reject(stored.record, by, because=because), stored.version)
    say(f"Record {number} is rejected.")
    return 0
