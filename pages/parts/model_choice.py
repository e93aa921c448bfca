"""Which model serves a class: a template with its parameters, or tensors alone; saved at once."""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from backend.studies.drafts import Draft
from backend.templates.reader import list_templates, load_template, missing_requirements
from backend.templates.template import Parameter, Template, Tensor
from backend.workload.declared_model import DeclaredModel, DeclaredTensor
from backend.workload.study import ModelChoice, Study, TrafficClass
from pages.parts import classes, declared_model, edit
from pages.parts.words import plain

KINDS: Final = {
    "template": "A model template: can be tested here",
    "declared": "Another model, described by its tensors",
}


def form(draft: Draft, item: TrafficClass) -> None:
    """The model of a class."""
    prefix = edit.key(draft, item.name, "model_")
    kind = "template" if item.model.declared is None else "declared"
    st.session_state.setdefault(_before(f"{prefix}kind"), {})
    st.radio(
        "What is known of the model",
        list(KINDS),
        format_func=KINDS.__getitem__,
        key=edit.held(f"{prefix}kind", kind),
        on_change=partial(_kind_changed, draft, item.name, f"{prefix}kind"),
        horizontal=True,
    )
    if item.model.declared is not None:
        declared_model.form(draft, item, item.model.declared)
    else:
        _template(draft, item, prefix)


def _template(draft: Draft, item: TrafficClass, prefix: str) -> None:
    templates = {template.name: template for template in list_templates()}
    names = list(templates)
    known = item.model.template in templates
    st.selectbox(
        "Model template",
        names,
        index=names.index(item.model.template) if known else None,
        format_func=lambda name: templates[name].title,
        key=f"{prefix}template",
        on_change=partial(_template_changed, draft, item.name, f"{prefix}template"),
        help="What runs behind Triton in the test: a model that comes with the console.",
    )
    if not known:
        # says which templates there are
        load_template(item.model.template)
        return
    template = templates[item.model.template]
    st.markdown(plain(template.about))
    _facts(template)
    values = template.parameter_values(item.model.parameters)
    if template.parameters:
        st.markdown("**Parameters**")
    columns = st.columns(2)
    for number, parameter in enumerate(template.parameters):
        # a template of its own for the key: parameters of two templates may share a name
        key = f"{prefix}{template.name}_{parameter.name}"
        with columns[number % 2]:
            _parameter(draft, item.name, parameter, values[parameter.name], key)


def _facts(template: Template) -> None:
    st.caption(
        f"{'Keeps state between requests' if template.stateful else 'Keeps no state'} · "
        f"batches of up to {template.max_batch_size} · inputs: {plain(template.samples.about)}"
    )
    missing = missing_requirements(template)
    if missing:
        names = ", ".join(missing)
        st.warning(
            f"This model needs Python packages that are not installed: {plain(names)}.\n\n"
            f"**Next:** run `make venv`, or install them into the environment of the console.",
            icon=":material/warning:",
        )


def _parameter(
    draft: Draft, class_name: str, parameter: Parameter, value: int | float | str, key: str
) -> None:
    words = [word for word in parameter.name.split("_") if word != parameter.unit]
    label = " ".join(words).capitalize()
    if parameter.unit:
        label += f" ({parameter.unit})"
    changed = partial(_parameter_changed, draft, class_name, parameter, key)
    if parameter.kind == "choice":
        st.selectbox(
            label,
            parameter.choices,
            index=parameter.choices.index(str(value)),
            format_func=lambda text: text.replace("_", " "),
            key=key,
            on_change=changed,
            help=parameter.about,
        )
        return
    kind = int if parameter.kind == "integer" else float
    st.number_input(
        label,
        min_value=None if parameter.minimum is None else kind(parameter.minimum),
        max_value=None if parameter.maximum is None else kind(parameter.maximum),
        value=kind(value),
        step=1 if kind is int else None,
        format="%d" if kind is int else "%g",
        key=key,
        on_change=changed,
        help=parameter.about,
    )


def _kind_changed(draft: Draft, class_name: str, key: str) -> None:
    kind = edit.typed(key)
    # what was there before comes back, should the user change their mind
    before: dict[str, ModelChoice] = edit.typed(_before(key))

    def make(study: Study) -> Study:
        item = study.class_named(class_name)
        model = before.get(kind) or (
            _first_tensors(item) if kind == "declared" else ModelChoice(template=classes.NEW_MODEL)
        )
        before["template" if kind == "declared" else "declared"] = item.model
        return edit.with_class(study, item.model_copy(update={"model": model}))

    edit.change(draft, make)


def _before(key: str) -> str:
    return f"{key}_before"


def _first_tensors(item: TrafficClass) -> ModelChoice:
    """The tensors of the template that was chosen, to begin with."""
    template = load_template(item.model.template)
    return ModelChoice(
        declared=DeclaredModel(
            max_batch_size=template.max_batch_size,
            inputs=tuple(_declared(tensor) for tensor in template.inputs),
            outputs=tuple(_declared(tensor) for tensor in template.outputs),
        )
    )


def _declared(tensor: Tensor) -> DeclaredTensor:
    return DeclaredTensor.model_validate(
        {"name": tensor.name, "data_type": tensor.data_type, "dims": tensor.dims}
    )


def _template_changed(draft: Draft, class_name: str, key: str) -> None:
    name = edit.typed(key)
    if name is None:
        return

    def make(study: Study) -> Study:
        item = study.class_named(class_name)
        # parameters belong to their template: another one begins with its defaults
        return edit.with_class(study, item.model_copy(update={"model": ModelChoice(template=name)}))

    edit.change(draft, make)


def _parameter_changed(draft: Draft, class_name: str, parameter: Parameter, key: str) -> None:
    value = edit.typed(key)
    if value is None:
        value = parameter.default

    def make(study: Study) -> Study:
        item = study.class_named(class_name)
        parameters = {**item.model.parameters, parameter.name: value}
        model = item.model.model_copy(update={"parameters": parameters})
        return edit.with_class(study, item.model_copy(update={"model": model}))

    edit.change(draft, make)
