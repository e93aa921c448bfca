"""Failures as a page shows them: what, why and what next; traces go to the log."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec

import streamlit as st

from backend.contracts.errors import InterleaveError
from pages.parts.words import plain

_log = logging.getLogger("interleave.pages")
P = ParamSpec("P")


def show(error: InterleaveError) -> None:
    """Show the three parts of an error; long evidence is folded."""
    text = plain(error.what)
    if error.next_step:
        text += f"\n\n**Next:** {plain(error.next_step)}"
    st.error(text, icon=":material/error:")
    if error.why:
        lines = error.why.strip().splitlines()
        with st.expander("Why", expanded=len(lines) <= 6, icon=":material/help:"):
            st.code(error.why.strip(), language=None, wrap_lines=True)


@contextmanager
def shown() -> Iterator[None]:
    """Show whatever goes wrong inside as a message; the page's other parts stay.

    The outermost edge of every page: an error of ours in its own words, anything else as a plain
    sentence with its trace in the terminal, never in the page.
    """
    try:
        yield
    except InterleaveError as error:
        _log.warning("%s", error)
        show(error)
    except Exception:
        _log.exception("a page failed")
        st.error(
            "This page could not be shown: a fault of Interleave itself. Nothing that was saved "
            "or measured is lost.\n\n**Next:** reload the page; if it fails again, the trace is in "
            "the terminal that runs the console.",
            icon=":material/error:",
        )


def guarded(function: Callable[P, None]) -> Callable[P, None]:
    """The same for a function that Streamlit calls by itself (a fragment, a dialog)."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> None:
        with shown():
            function(*args, **kwargs)

    return wrapper
