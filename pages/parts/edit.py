"""Change a draft from a widget: saved at once, refused when another window was faster."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from backend.contracts.errors import InputError, StoreConflict
from backend.studies.drafts import Draft, save_draft
from backend.workload.study import Study, TrafficClass
from backend.workload.study_file import study_from_text, study_to_yaml
from pages.parts import errors, journey
from pages.parts.words import plain

_REFUSED = "edit_refused"


def change(draft: Draft, make: Callable[[Study], Study], prefix: str) -> None:
    """Save a changed study (for a widget's callback); a refusal is kept for the page to show.

    Args:
        draft: As the page that the user sees has read it.
        make: Gives the changed study.
        prefix: Of the keys of all widgets that show this draft: after a refusal they forget what
            they hold, so that the page shows the study as it now is.
    """
    try:
        save_draft(journey.place(), draft, checked(make(draft.study)))
    except InputError as error:
        st.session_state[_REFUSED] = error
        if isinstance(error, StoreConflict):
            for key in [key for key in st.session_state if str(key).startswith(prefix)]:
                del st.session_state[key]


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
