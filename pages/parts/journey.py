"""What the link opens: a draft, a run; kept while the reader walks through the menu.

The link is the truth. A page opened from the menu carries none: it takes up what this session
opened last and puts it into the link, so that the address can always be shared.
"""

from __future__ import annotations

import re

import streamlit as st

from backend.contracts.errors import InputError
from backend.contracts.home import Home, home
from backend.contracts.run_directory import RunDirectory
from backend.studies.drafts import Draft, load_draft

_RUN = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$")


def place() -> Home:
    """The home of this console, with its folders made."""
    return home().ensure()


def opened(kind: str) -> str | None:
    """The id in the link, or the last one of this session (then put into the link)."""
    key = f"journey_{kind}"
    value = st.query_params.get(kind)
    if value is None:
        value = st.session_state.get(key)
        if value is not None:
            st.query_params[kind] = value
    if value is not None:
        st.session_state[key] = value
    return value


def forget(kind: str) -> None:
    """Open nothing of that kind any longer."""
    st.session_state.pop(f"journey_{kind}", None)
    st.query_params.pop(kind, None)


def opened_draft() -> Draft | None:
    """The draft that the link names; null if it names none.

    Raises:
        InputError: if there is no such draft here.
    """
    draft_id = opened("draft")
    return None if draft_id is None else load_draft(place(), draft_id)


def run_named(name: str) -> RunDirectory:
    """The run of that name in the home.

    Raises:
        InputError: if there is none, or the name is none.
    """
    run = RunDirectory(place().runs / name)
    if not _RUN.match(name) or not run.root.is_dir():
        raise InputError(
            f"There is no run '{name}' here.",
            why="Runs live in this machine's own folder; a link works where the run was made.",
            next_step="Choose a run on the start page.",
        )
    return run


def opened_run() -> RunDirectory | None:
    """The run that the link names; null if it names none.

    Raises:
        InputError: if there is no such run here.
    """
    name = opened("run")
    return None if name is None else run_named(name)
