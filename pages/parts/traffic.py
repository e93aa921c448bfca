"""The traffic of a class: sessions, their lengths, pauses and objectives; saved on every change."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import pandas as pd
import streamlit as st

from backend.contracts.errors import InputError
from backend.studies.drafts import Draft
from backend.workload.study import Study, TrafficClass
from backend.workload.traffic import Gaps, LengthGroup, Objectives, Traffic
from pages.parts import edit
from pages.parts.glossary import term

GAPS: Final = {
    "none": "None: the next request follows at once",
    "fixed": "Always the same",
    "exponential": "Of different length (exponential)",
}


def form(draft: Draft, item: TrafficClass) -> None:
    """All of a class's traffic."""
    traffic = item.workload.traffic
    prefix = edit.key(draft, item.name, "traffic_")
    save = partial(_changed, draft, item.name, prefix)
    st.caption(
        "Each session sends its next request after its reply and a pause (a closed loop); all "
        "sessions interleave. The same seed gives the same requests, ids and pauses."
    )
    left, right = st.columns(2, vertical_alignment="bottom")
    left.number_input(
        "Sessions per cell" if traffic.mixes else "Requests per cell",
        min_value=1,
        max_value=1_000_000,
        key=edit.held(f"{prefix}sessions", traffic.sessions),
        on_change=save,
        help=term("session", "cell"),
    )
    right.number_input(
        "Time scale",
        min_value=0.001,
        max_value=1.0,
        step=0.05,
        format="%g",
        key=edit.held(f"{prefix}time_scale", traffic.time_scale),
        on_change=save,
        help="Pauses are multiplied by it, so that a long conversation fits a test. 1 is real "
        "time; results say when it is not.",
    )
    left, right = st.columns(2, vertical_alignment="bottom")
    left.selectbox(
        "Pauses between requests",
        list(GAPS),
        format_func=GAPS.__getitem__,
        key=edit.held(f"{prefix}gap_kind", traffic.gaps.kind),
        on_change=save,
    )
    right.number_input(
        "Mean pause (ms)",
        min_value=0.0,
        value=traffic.gaps.mean_ms,
        format="%g",
        disabled=traffic.gaps.kind == "none",
        help="In real life; the test multiplies it by the time scale.",
        key=f"{prefix}gap_mean",
        on_change=save,
    )
    _optional(traffic, prefix, save)
    _mixes(draft, item, prefix)


def _optional(traffic: Traffic, prefix: str, save: Any) -> None:
    first, second, third = st.columns(3, vertical_alignment="bottom")
    first.number_input(
        "Longest pause (ms)",
        min_value=0.001,
        value=None,
        format="%g",
        placeholder="not known",
        key=edit.held(f"{prefix}longest", traffic.longest_gap_ms),
        on_change=save,
        help="The longest silence of a session that is still alive, in real life. It decides the "
        "idle limit (`max_sequence_idle_microseconds`).\n\n" + term("idle timeout"),
    )
    second.number_input(
        "Promised response p99 (ms)",
        min_value=0.001,
        value=None,
        format="%g",
        placeholder="none",
        key=edit.held(f"{prefix}response", traffic.objectives.response_p99_ms),
        on_change=save,
        help="What the service promised: 99 of 100 responses are faster.\n\n"
        + term("response time"),
    )
    third.number_input(
        "Promised queue p99 (ms)",
        min_value=0.001,
        value=None,
        format="%g",
        placeholder="none",
        key=edit.held(f"{prefix}queue", traffic.objectives.queue_p99_ms),
        on_change=save,
        help="What the service promised: 99 of 100 requests wait less.\n\n" + term("queue time"),
    )


def _changed(draft: Draft, class_name: str, prefix: str) -> None:
    held = {name: edit.typed(f"{prefix}{name}") for name in _WIDGETS}

    def make(study: Study) -> Study:
        item = study.class_named(class_name)
        kind = held["gap_kind"]
        traffic = item.workload.traffic.model_copy(
            update={
                "sessions": held["sessions"],
                "time_scale": held["time_scale"],
                # a pause that was just chosen begins with a length that can be seen
                "gaps": Gaps(
                    kind=kind, mean_ms=0.0 if kind == "none" else float(held["gap_mean"] or 100.0)
                ),
                "longest_gap_ms": held["longest"],
                "objectives": Objectives(
                    response_p99_ms=held["response"], queue_p99_ms=held["queue"]
                ),
            }
        )
        return _with_traffic(study, item, traffic)

    edit.change(draft, make)


_WIDGETS: Final = (
    "sessions", "time_scale", "gap_kind", "gap_mean", "longest", "response", "queue",
)  # fmt: skip


def _with_traffic(study: Study, item: TrafficClass, traffic: Traffic) -> Study:
    workload = item.workload.model_copy(update={"traffic": traffic})
    return edit.with_class(study, item.model_copy(update={"workload": workload}))


def _mixes(draft: Draft, item: TrafficClass, prefix: str) -> None:
    traffic = item.workload.traffic
    st.markdown("**Lengths of the sessions**", help=term("session", "cell"))
    if traffic.mixes:
        st.caption(
            "One line per group of sessions of similar length, counted in requests. The shares of "
            "one mix add up to 1; every mix becomes a cell of its own. Short sessions beside long "
            "ones show what the long ones cost the short."
        )
    else:
        st.caption(
            "No lines: every request is a session of its own. Add a line if sessions have several "
            "requests."
        )
    base = f"{prefix}mixes_base"
    if base not in st.session_state:
        # the editor keeps its edits against the table it was first given
        st.session_state[base] = _table(traffic)
    edited = st.data_editor(
        st.session_state[base],
        num_rows="dynamic",
        hide_index=True,
        key=f"{prefix}mixes",
        column_config={
            "mix": st.column_config.TextColumn("Mix", required=True),
            "group": st.column_config.TextColumn("Length group", required=True),
            "share": st.column_config.NumberColumn(
                "Share", min_value=0.0, max_value=1.0, required=True, format="%.2f"
            ),
            "from": st.column_config.NumberColumn("Shortest", min_value=1, step=1, required=True),
            "to": st.column_config.NumberColumn("Longest", min_value=1, step=1, required=True),
        },
    )
    wanted = _read(edited)
    if wanted is None or wanted == traffic.mixes:
        return
    _save_mixes(draft, item, wanted)


def _save_mixes(
    draft: Draft, item: TrafficClass, wanted: dict[str, tuple[LengthGroup, ...]]
) -> None:
    def make(study: Study) -> Study:
        known = study.class_named(item.name)
        return _with_traffic(
            study, known, known.workload.traffic.model_copy(update={"mixes": wanted})
        )

    try:
        edit.checked(make(draft.study))
    except InputError as error:
        st.warning(
            "These lengths are not saved yet: " + edit.reason(error), icon=":material/warning:"
        )
        return
    edit.change(draft, make)
    st.rerun()


def _table(traffic: Traffic) -> pd.DataFrame:
    rows = [
        {
            "mix": mix,
            "group": group.group,
            "share": group.share,
            "from": group.steps[0],
            "to": group.steps[1],
        }
        for mix, groups in traffic.mixes.items()
        for group in groups
    ]
    columns = {"mix": "str", "group": "str", "share": "float", "from": "Int64", "to": "Int64"}
    return pd.DataFrame(rows, columns=list(columns)).astype(columns)


def _read(table: pd.DataFrame) -> dict[str, tuple[LengthGroup, ...]] | None:
    """The mixes of the table as typed, unchecked; null while a line is not complete."""
    if table.isna().any(axis=None) or (table == "").any(axis=None):
        return None
    mixes: dict[str, list[LengthGroup]] = {}
    for row in table.to_dict("records"):
        # unchecked here: the whole study is checked at once, with messages that name the place
        group = LengthGroup.model_construct(
            group=str(row["group"]).strip(),
            share=float(row["share"]),
            steps=(int(row["from"]), int(row["to"])),
        )
        mixes.setdefault(str(row["mix"]).strip(), []).append(group)
    return {mix: tuple(groups) for mix, groups in mixes.items()}
