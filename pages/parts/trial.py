"""One run on the page Test: how far it is, what it tries, its log, and where it leads."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

from backend.contracts.errors import InputError
from backend.contracts.run_directory import RunDirectory
from backend.studies.drafts import create_draft
from backend.studies.results import open_run
from backend.workload.study import Study
from pages.parts import candidates, errors, journey, layout, progress, runs
from pages.parts.figures import count
from pages.parts.words import plain

TAIL_BYTES: Final = 24_000


def page(run: RunDirectory) -> None:
    """Everything about one run, going on or over."""
    st.subheader(plain(run.name), anchor=False)
    st.caption(f"Started {runs.started_at(run)}")
    now = progress.watch(run)
    study = None
    with errors.shown():
        study = open_run(run.root).study
        tried(study)
    log("Server log", run.server_log, f"test_log_server_{run.name}")
    worker = run.worker_log if run.worker_log.exists() else _worker_log(run)
    log("What the worker printed", worker, f"test_log_worker_{run.name}")
    if now.is_over:
        if now.trials_done:
            layout.next_step(
                "compare",
                "Compare the candidates",
                "See whether the sessions stayed apart, and what the slowest replies cost.",
                {"run": run.name},
            )
        again(study)


def tried(study: Study) -> None:
    """What the run tries, in words."""
    lines = []
    for item in study.classes:
        names = ", ".join(candidates.tried(item))
        cells = study.cells(item)
        lines.append(
            f"- **{plain(item.name)}** ({plain(item.model.template)}): {plain(names)}; "
            f"{count(len(cells), 'cell')}: {'; '.join(plain(cell.name) for cell in cells)}"
        )
    with st.expander("What is tried", icon=":material/grid_view:"):
        st.markdown("\n".join(lines))
        st.caption(f"{count(study.rounds, 'round')}, seed {study.seed}.")


def again(study: Study | None) -> None:
    """Ways on from a finished run, beside the comparison."""
    with st.container(horizontal=True):
        if study is not None and st.button(
            "Change it and test again",
            icon=":material/edit:",
            key="test_again",
            help="Makes a new draft from the study of this run.",
        ):
            draft = create_draft(journey.place(), study)
            journey.forget("run")
            st.switch_page("pages/describe.py", query_params={"draft": draft.id})
        if st.button("Choose another test", icon=":material/list:", key="test_other"):
            journey.forget("run")
            st.rerun()


def log(title: str, path: Path, key: str) -> None:
    """The end of a log, folded; read again on asking, so that watching costs nothing."""
    with st.expander(title, icon=":material/terminal:", key=key, on_change="rerun") as shown:
        if not shown.open:
            return
        text = tail(path)
        if text is None:
            st.caption("Nothing was written yet.")
            return
        st.code(text, language=None, height=320)
        with st.container(horizontal=True):
            if st.button("Read again", icon=":material/refresh:", key=f"{key}_again"):
                st.rerun()
            st.download_button(
                "Download all of it",
                path.read_bytes,
                file_name=path.name,
                mime="text/plain",
                icon=":material/download:",
                on_click="ignore",
                key=f"{key}_download",
            )


def tail(path: Path) -> str | None:
    """The last lines of a file; null if it is missing or empty."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(max(0, size - TAIL_BYTES))
            content = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"The log {path} cannot be read.", why=str(error)) from error
    text = content.decode("utf-8", errors="replace")
    if size > TAIL_BYTES:
        # the first line is cut somewhere in its middle
        text = "…\n" + text.partition("\n")[2]
    return text if text.strip() else None


def _worker_log(run: RunDirectory) -> Path:
    return journey.place().work / f"{run.name}.log"
