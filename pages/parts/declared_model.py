"""A model that is not at hand, described by its tensors: enough for a configuration."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, get_args

import pandas as pd
import streamlit as st

from backend.contracts.errors import InputError
from backend.studies.drafts import Draft
from backend.workload.declared_model import (
    DeclaredModel,
    DeclaredState,
    DeclaredTensor,
    TensorType,
)
from backend.workload.study import ModelChoice, Study, TrafficClass
from pages.parts import edit

KEEPS: Final = {"yes": "Yes", "no": "No", "unknown": "I don't know"}
INITIAL: Final = ("zero", "uninitialised", "file")
TYPES: Final = get_args(TensorType)
_TENSORS: Final = {"name": "str", "data_type": "str", "dims": "str", "optional": "bool"}
_STATES: Final = {
    "input_name": "str",
    "output_name": "str",
    "data_type": "str",
    "dims": "str",
    "initial": "str",
    "file": "str",
}


def form(draft: Draft, item: TrafficClass, model: DeclaredModel) -> None:
    """Everything that is declared of a model, saved as soon as it is complete."""
    prefix = edit.key(draft, item.name, "declared_")
    st.caption(
        "Enough for advice and for a configuration of its own backend. Nothing can be run: a test "
        "needs a model template."
    )
    if item.workload.answers.serving.backend == "unknown":
        st.info(
            "Which backend runs the model is not answered yet (part Service): without it no "
            "configuration can be written.",
            icon=":material/info:",
        )
    left, right = st.columns(2, vertical_alignment="bottom")
    left.number_input(
        "Largest batch",
        min_value=0,
        max_value=65_536,
        key=edit.held(f"{prefix}max_batch_size", model.max_batch_size),
        on_change=partial(_number_changed, draft, item.name, f"{prefix}max_batch_size"),
        help="`max_batch_size`: the most requests that one execution takes; 0 for a model without "
        "a batch dimension.",
    )
    right.selectbox(
        "Does the model itself keep state?",
        list(KEEPS),
        format_func=KEEPS.__getitem__,
        key=edit.held(f"{prefix}keeps_state", model.keeps_state),
        on_change=partial(_keeps_changed, draft, item.name, f"{prefix}keeps_state"),
        help="Not known counts as yes, unless the answers say that nothing is remembered.",
    )
    wanted = {
        "inputs": _tensors(f"{prefix}inputs", "Inputs", model.inputs, optional=True),
        "outputs": _tensors(f"{prefix}outputs", "Outputs", model.outputs, optional=False),
        "states": _states(f"{prefix}states", model.states),
    }
    st.caption(
        "Dims without the batch dimension, separated by commas; -1 for one that varies, such as "
        "-1, 80."
    )
    _save(draft, item, model, wanted)


def _tensors(
    key: str, title: str, known: tuple[DeclaredTensor, ...], optional: bool
) -> list[dict[str, Any]] | None:
    st.markdown(f"**{title}**")
    columns = {name: kind for name, kind in _TENSORS.items() if optional or name != "optional"}
    rows = [
        {
            "name": tensor.name,
            "data_type": tensor.data_type,
            "dims": _dims_text(tensor.dims),
            "optional": tensor.optional,
        }
        for tensor in known
    ]
    config = {
        "name": st.column_config.TextColumn("Name", required=True),
        "data_type": st.column_config.SelectboxColumn("Type", options=TYPES, required=True),
        "dims": st.column_config.TextColumn("Dims", required=True),
        "optional": st.column_config.CheckboxColumn("May be left out", default=False),
    }
    return _edited(key, rows, columns, config)


def _states(key: str, known: tuple[DeclaredState, ...]) -> list[dict[str, Any]] | None:
    st.markdown("**State tensors that Triton carries**")
    st.caption(
        "The `state` section of `sequence_batching`: each output is handed back as the input of "
        "the session's next request. Leave it empty if the model keeps its state itself."
    )
    rows = [
        {
            "input_name": state.input_name,
            "output_name": state.output_name,
            "data_type": state.data_type,
            "dims": _dims_text(state.dims),
            "initial": state.initial,
            "file": state.file or "",
        }
        for state in known
    ]
    config = {
        "input_name": st.column_config.TextColumn("Input", required=True),
        "output_name": st.column_config.TextColumn("Output", required=True),
        "data_type": st.column_config.SelectboxColumn("Type", options=TYPES, required=True),
        "dims": st.column_config.TextColumn("Dims", required=True),
        "initial": st.column_config.SelectboxColumn(
            "At the start", options=INITIAL, default="zero", required=True
        ),
        "file": st.column_config.TextColumn("File", default=""),
    }
    return _edited(key, rows, _STATES, config)


def _edited(
    key: str, rows: list[dict[str, Any]], columns: dict[str, str], config: dict[str, Any]
) -> list[dict[str, Any]] | None:
    """The rows as they stand in the editor; null while one of them is not complete."""
    base = f"{key}_base"
    if base not in st.session_state:
        # the editor keeps its edits against the table it was first given
        st.session_state[base] = pd.DataFrame(rows, columns=list(columns)).astype(columns)
    table = st.data_editor(
        st.session_state[base], num_rows="dynamic", hide_index=True, key=key, column_config=config
    )
    needed = [name for name in columns if name not in ("optional", "file")]
    if table[needed].isna().any(axis=None) or (table[needed] == "").any(axis=None):
        return None
    return [
        {name: None if pd.isna(value) else value for name, value in row.items()}
        for row in table.to_dict("records")
    ]


def _save(
    draft: Draft,
    item: TrafficClass,
    model: DeclaredModel,
    wanted: dict[str, list[dict[str, Any]] | None],
) -> None:
    if any(rows is None for rows in wanted.values()):
        st.caption(":material/hourglass_empty: A line is not complete: it is not saved yet.")
        return
    try:
        read = {
            "inputs": tuple(_tensor(row) for row in wanted["inputs"] or ()),
            "outputs": tuple(_tensor(row) for row in wanted["outputs"] or ()),
            "states": tuple(_state(row) for row in wanted["states"] or ()),
        }
        changed = model.model_copy(update=read)
        if changed == model:
            return
        edit.checked(_with(draft.study, item.name, changed))
    except InputError as error:
        st.warning(
            "These tensors are not saved yet: " + edit.reason(error), icon=":material/warning:"
        )
        return
    edit.change(draft, lambda study: _with(study, item.name, changed))
    st.rerun()


def _with(study: Study, class_name: str, model: DeclaredModel) -> Study:
    item = study.class_named(class_name)
    # unchecked here: the whole study is checked at once, with messages that name the place
    choice = ModelChoice.model_construct(template="", parameters={}, declared=model)
    return edit.with_class(study, item.model_copy(update={"model": choice}))


def _tensor(row: dict[str, Any]) -> DeclaredTensor:
    return DeclaredTensor.model_construct(
        name=str(row["name"]).strip(),
        data_type=str(row["data_type"]),
        dims=_dims(str(row["dims"]), str(row["name"])),
        optional=bool(row.get("optional") or False),
    )


def _state(row: dict[str, Any]) -> DeclaredState:
    return DeclaredState.model_construct(
        input_name=str(row["input_name"]).strip(),
        output_name=str(row["output_name"]).strip(),
        data_type=str(row["data_type"]),
        dims=_dims(str(row["dims"]), str(row["input_name"])),
        initial=str(row["initial"]),
        file=str(row["file"] or "").strip() or None,
    )


def _dims_text(dims: tuple[int, ...]) -> str:
    return ", ".join(map(str, dims))


def _dims(text: str, of: str) -> tuple[int, ...]:
    """Dims as typed, with or without brackets.

    Raises:
        InputError: if one of them is no whole number.
    """
    parts = text.strip().strip("[]()").replace(",", " ").split()
    try:
        return tuple(int(part) for part in parts)
    except ValueError as error:
        raise InputError(
            f"The dims of {of} are '{text}'.",
            next_step="Write whole numbers with commas between them, such as -1, 80.",
        ) from error


def _number_changed(draft: Draft, class_name: str, key: str) -> None:
    value = edit.typed(key)
    if value is not None:
        _set(draft, class_name, {"max_batch_size": int(value)})


def _keeps_changed(draft: Draft, class_name: str, key: str) -> None:
    _set(draft, class_name, {"keeps_state": edit.typed(key)})


def _set(draft: Draft, class_name: str, values: dict[str, Any]) -> None:
    def make(study: Study) -> Study:
        model = study.class_named(class_name).model.declared
        if model is None:
            raise InputError(
                "The model of this class is no longer described by its tensors.",
                next_step="Look at the page again.",
            )
        return _with(study, class_name, model.model_copy(update=values))

    edit.change(draft, make)
