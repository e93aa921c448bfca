"""What is asked of the real service, in numbers; each says what it decides in the configuration."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import streamlit as st

from backend.studies.drafts import Draft
from backend.workload.demand import Demand
from backend.workload.study import Study, TrafficClass
from pages.parts import edit
from pages.parts.glossary import term

WHEN_LATE: Final = {
    "unknown": "Not decided",
    "refuse": "Refuse it: the client gets an error at once",
    "serve_anyway": "Serve it all the same, after the others",
}
_NUMBERS: Final = ("rate_per_s", "live_sessions", "execution_ms", "deadline_ms", "cancel_share")


def form(draft: Draft, item: TrafficClass) -> None:
    """All of a class's demand."""
    demand = item.workload.demand
    prefix = edit.key(draft, item.name, "demand_")
    save = partial(_changed, draft, item.name, prefix)
    st.caption(
        "Numbers of real life, as far as they are known; leave the others empty. They decide sizes "
        "and limits of the proposed configuration, and what is warned of."
    )
    first, second, third = st.columns(3, vertical_alignment="bottom")
    _number(
        first,
        "Requests per second",
        demand.rate_per_s,
        f"{prefix}rate_per_s",
        save,
        "At the peak, all clients together. With lost ENDs it decides how many slots are held "
        "beside the live sessions.",
    )
    second.number_input(
        "Live sessions",
        min_value=1,
        max_value=1_000_000,
        value=None,
        placeholder="not known",
        key=edit.held(f"{prefix}live_sessions", demand.live_sessions),
        on_change=save,
        help="Sessions that are live at the same time, at the peak. They decide "
        "`max_candidate_sequences` (oldest) or instances and `max_batch_size` (direct): one more "
        "than there are slots has to wait.\n\n" + term("sequence slot"),
    )
    _number(
        third,
        "Execution time (ms)",
        demand.execution_ms,
        f"{prefix}execution_ms",
        save,
        "Of one execution with the batch that is expected. With the longest pause it decides "
        "`max_sequence_idle_microseconds`.",
    )
    first, second, third = st.columns(3, vertical_alignment="bottom")
    _number(
        first,
        "Deadline (ms)",
        demand.deadline_ms,
        f"{prefix}deadline_ms",
        save,
        "After this a reply is of no use. Together with the next answer it decides "
        "`default_queue_policy` of the dynamic batcher.",
    )
    second.selectbox(
        "A request that will be late",
        list(WHEN_LATE),
        format_func=WHEN_LATE.__getitem__,
        key=edit.held(f"{prefix}when_late", demand.when_late),
        on_change=save,
        help="A queue policy stops Triton from preparing batches ahead: on 24.10 a handover may "
        "then take 500 ms. It is proposed only if it is asked for here.",
    )
    third.number_input(
        "Priority levels",
        min_value=0,
        max_value=100,
        key=edit.held(f"{prefix}priority_levels", demand.priority_levels),
        on_change=save,
        help="Kinds of callers of which an earlier one goes first (`priority_levels`); 0: all "
        "alike. Strict: a lower level may wait for ever.",
    )
    first, _, _ = st.columns(3, vertical_alignment="bottom")
    _number(
        first,
        "Share of cancelled sessions",
        demand.cancel_share,
        f"{prefix}cancel_share",
        save,
        "From 0 to 1: sessions that their client cancels or leaves. The model is never told; its "
        "state stays until it evicts it.",
        most=1.0,
    )


def _number(
    place: Any,
    label: str,
    value: float | None,
    key: str,
    save: Any,
    help: str,
    most: float | None = None,
) -> None:
    place.number_input(
        label,
        min_value=0.0 if most is not None else 0.001,
        max_value=most,
        value=None,
        format="%g",
        placeholder="not known",
        key=edit.held(key, value),
        on_change=save,
        help=help,
    )


def _changed(draft: Draft, class_name: str, prefix: str) -> None:
    held = {name: edit.typed(f"{prefix}{name}") for name in _NUMBERS}
    held["when_late"] = edit.typed(f"{prefix}when_late")
    held["priority_levels"] = edit.typed(f"{prefix}priority_levels") or 0

    def make(study: Study) -> Study:
        item = study.class_named(class_name)
        # unchecked here: the whole study is checked at once, with messages that name the place
        demand = Demand.model_construct(**held)
        workload = item.workload.model_copy(update={"demand": demand})
        return edit.with_class(study, item.model_copy(update={"workload": workload}))

    edit.change(draft, make)
