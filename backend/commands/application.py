"""The table of commands."""

from __future__ import annotations

import typer

from backend.commands import (
    advise,
    cleanup,
    config,
    doctor,
    lint,
    record,
    report,
    run,
)

application = typer.Typer(
    name="interleave",
    help="Choose between Triton's sequence and dynamic batcher by evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
application.command("doctor")(doctor.doctor)
application.command("advise")(advise.advise_study)
application.command("config")(config.write_configs)
application.command("lint")(lint.lint_file)
application.command("run")(run.run)
application.command("report")(report.report)
application.command("cleanup")(cleanup.cleanup)
application.add_typer(record.application, name="record")
