"""Choices that are part of the link: what is chosen stands in the address, and the address wins.

Streamlit's own binding writes the shown label into the address; here the link carries the value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st


def one_of(
    label: str,
    options: Sequence[str],
    param: str,
    *,
    format_func: Callable[[str], str] = str,
    help: str | None = None,
    label_visibility: Literal["visible", "hidden", "collapsed"] = "visible",
    default: str | None = None,
) -> str:
    """One of a few options, side by side, bound to a parameter of the link."""
    first = default if default is not None and default in options else options[0]
    key = _take_link(param, options, first)
    chosen = st.radio(
        label,
        options,
        format_func=format_func,
        key=key,
        help=help,
        horizontal=True,
        label_visibility=label_visibility,
    )
    return _put_link(param, str(chosen), first)


def select(
    label: str,
    options: Sequence[str],
    param: str,
    *,
    format_func: Callable[[str], str] = str,
    help: str | None = None,
    default: str | None = None,
) -> str:
    """One of many options as a list, bound to a parameter of the link."""
    first = default if default is not None and default in options else options[0]
    key = _take_link(param, options, first)
    chosen = st.selectbox(label, options, format_func=format_func, key=key, help=help)
    return _put_link(param, str(chosen), first)


def yes(label: str, param: str, *, help: str | None = None) -> bool:
    """A switch, off by default, bound to a parameter of the link."""
    key = _take_link(param, ("no", "yes"), "no")
    held = f"{key}_switch"
    if held not in st.session_state:
        st.session_state[held] = st.session_state[key] == "yes"
    on = bool(st.toggle(label, key=held, help=help))
    return _put_link(param, "yes" if on else "no", "no") == "yes"


def _take_link(param: str, options: Sequence[str], first: str) -> str:
    key, seen = f"linked_{param}", f"linked_seen_{param}"
    in_link = st.query_params.get(param)
    if in_link != st.session_state.get(seen):
        # the address was changed by a link: it wins over what the widget held
        st.session_state[key] = in_link if in_link in options else first
    elif st.session_state.get(key) not in options:
        st.session_state[key] = first
    return key


def _put_link(param: str, chosen: str, first: str) -> str:
    if chosen == first:
        st.query_params.pop(param, None)
    else:
        st.query_params[param] = chosen
    st.session_state[f"linked_seen_{param}"] = st.query_params.get(param)
    return chosen
