"""Which model template serves a class, and with which parameters; saved on every change."""

from __future__ import annotations

from functools import partial

import streamlit as st

from backend.studies.drafts import Draft
from backend.templates.reader import list_templates, load_template, missing_requirements
from backend.templates.template import Parameter, Template
from backend.workload.study import ModelChoice, Study, TrafficClass
from pages.parts import edit
from pages.parts.words import plain


def form(draft: Draft, item: TrafficClass) -> None:
    """The model of a class."""
    templates = {template.name: template for template in list_templates()}
    prefix = edit.key(draft, item.name, "model_")
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


def _template_changed(draft: Draft, class_name: str, key: str) -> None:
    name = st.session_state[key]
    if name is None:
        return

    def make(study: Study) -> Study:
        item = study.class_named(class_name)
        # parameters belong to their template: another one begins with its defaults
        return edit.with_class(study, item.model_copy(update={"model": ModelChoice(template=name)}))

    edit.change(draft, make)


def _parameter_changed(draft: Draft, class_name: str, parameter: Parameter, key: str) -> None:
    value = st.session_state[key]
    if value is None:
        value = parameter.default

    def make(study: Study) -> Study:
        item = study.class_named(class_name)
        parameters = {**item.model.parameters, parameter.name: value}
        model = item.model.model_copy(update={"parameters": parameters})
        return edit.with_class(study, item.model_copy(update={"model": model}))

    edit.change(draft, make)
