"""Change a draft from a widget: saved at once, refused when another window was faster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from backend.contracts.errors import InputError, StoreConflict
from backend.studies.drafts import Draft, save_draft
from backend.workload.study import Study, TrafficClass
from backend.workload.study_file import study_from_text, study_to_yaml
from pages.parts import errors, journey
from pages.parts.words import plain

_REFUSED = "edit_refused"


@dataclass
class _Own:
    """What this window has saved of a draft: versions that it replaced, and its last one."""

    superseded: set[str] = field(default_factory=set)
    latest: Draft | None = None


def key(draft: Draft, *names: str) -> str:
    """The key of a widget that shows a part of a draft."""
    # made while the page is drawn: a callback must not touch the state before it has saved
    st.session_state.setdefault(_owned(draft), _Own())
    return "_".join(("edit", draft.id, str(st.session_state.get(_renewals(draft), 0)), *names))


def typed(key: str) -> Any:
    """What a widget holds, for its callback.

    Each access to an item of the session's state is a place where Streamlit breaks the callback off
    when the user has meanwhile changed another widget, and the callback is never called again: an
    answer that the page shows would not be in the study. Reading the state as a whole is no such
    place.

    Raises:
        KeyError: if no widget of that key is on the page.
    """
    return st.session_state.to_dict()[key]


def held(key: str, value: object) -> str:
    """The key of a widget that begins with a value.

    A value handed to the widget itself would be part of what it is: each change would make another
    widget of it, and whoever works with the keyboard would lose their place.
    """
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def renew(draft: Draft) -> None:
    """Let all widgets that show a draft forget what they hold: they get new keys.

    A widget keeps what its user chose, whatever the page gives it later, as long as its key stays.
    """
    st.session_state[_renewals(draft)] = st.session_state.get(_renewals(draft), 0) + 1


def _owned(draft: Draft) -> str:
    return f"edit_own_{draft.id}"


def _renewals(draft: Draft) -> str:
    return f"edit_renewals_{draft.id}"


def change(draft: Draft, make: Callable[[Study], Study]) -> None:
    """Save a changed study (for a widget's callback); a refusal is kept for the page to show.

    Args:
        draft: As the page that the user sees has read it.
        make: Gives the changed study; takes what a widget holds from ``typed`` alone.
    """
    # a callback runs before the page and outside its frame: what goes wrong is shown on top of it
    with errors.shown():
        try:
            _save(draft, make)
        except InputError as error:
            st.session_state[_REFUSED] = error
            if isinstance(error, StoreConflict):
                # the page shows the study as it now is, not what was chosen in vain
                renew(draft)


def _save(draft: Draft, make: Callable[[Study], Study]) -> None:
    """Save over what the page shows, or over what this window itself has saved since.

    A second change may come before the page was drawn again with the first: what its widget knows
    of the draft is then this window's own past, not another window's work.
    """
    own: _Own = typed(_owned(draft))
    try:
        saved = save_draft(journey.place(), draft, checked(make(draft.study)))
    except StoreConflict:
        if own.latest is None or draft.version not in own.superseded:
            raise
        draft = own.latest
        saved = save_draft(journey.place(), draft, checked(make(draft.study)))
    own.superseded.add(draft.version)
    own.latest = saved


def checked(study: Study) -> Study:
    """The study, checked as a study file is: a copy with changed parts is not, by itself.

    Raises:
        InputError: as for a study file; names the line of the study's YAML form.
    """
    return study_from_text(study_to_yaml(study), file="study")


def reason(error: InputError) -> str:
    """What a refused change lacks, in one line, without the place in the file."""
    place = "" if error.file is None else f"{error.file}:"
    what = error.what.removeprefix(place).lstrip("0123456789: ")
    return plain(" ".join(part for part in (what, error.next_step) if part))


def refusal() -> None:
    """Show why the last change was not saved, if it was not."""
    error = st.session_state.pop(_REFUSED, None)
    if error is not None:
        errors.show(error)


def saved(draft: Draft) -> None:
    """The line that says what is open and that nothing needs saving."""
    st.caption(
        f"Study {plain(draft.study.name)} · draft {plain(draft.id)} · every change is saved at "
        "once; this page's address opens it again."
    )


def with_class(study: Study, item: TrafficClass) -> Study:
    """The study with one class replaced by name."""
    classes = tuple(item if known.name == item.name else known for known in study.classes)
    return study.model_copy(update={"classes": classes})
