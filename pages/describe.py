"""Describe: the questions that decide, the session's state machine drawn as they are answered."""

from __future__ import annotations

import base64
from functools import partial
from html import escape
from typing import Final

import streamlit as st

from backend.studies.drafts import Draft
from backend.workload.questions import (
    Question,
    answer_text,
    answer_to,
    question,
    relevant_questions,
    with_answer,
)
from backend.workload.state_chart import describe, to_dot, to_mermaid
from backend.workload.state_machine import StateMachine, machine_of
from backend.workload.state_picture import DARK, LIGHT, to_svg
from backend.workload.study import Study, TrafficClass
from pages.parts import (
    choose,
    classes,
    demand,
    edit,
    errors,
    guard,
    layout,
    linked,
    model_choice,
    study_text,
    traffic,
)
from pages.parts.glossary import term
from pages.parts.words import plain

guard.framed("describe")

PARTS: Final = {
    "meaning": (
        "Relation and state",
        ("relation", "order", "state_kind", "state_place", "batch_mates", "replies", "shapes"),
    ),
    "life": (
        "Begin and end",
        ("start_marked", "belongs_by", "waits_for_reply", "end_marked", "ends_on"),
    ),
    "id": (
        "Correlation ID",
        (
            "id_type",
            "id_assigned_by",
            "id_made_as",
            "id_control",
            "id_unique",
            "id_scope",
            "id_reused",
            "id_empty",
        ),
    ),
    "service": ("Service", ("arrivals", "backend", "hardware")),
    "demand": ("Demand", ()),
    "traffic": ("Test traffic", ()),
    "model": ("Model", ()),
}


def page() -> None:
    layout.head(
        "Describe the requests",
        "Whether requests may be batched freely follows from what they mean, not from their shape.",
    )
    draft = choose.draft()
    if draft is None:
        return
    edit.refusal()
    item = choose.traffic_class(draft.study)
    drawn = machine_of(item)
    # in a container of its own: what comes and goes in it must not move the questions, whose reader
    # would lose their place
    with st.container(key="describe_drawing"):
        drawing(item, drawn)
    classes.manage(draft, item)
    chosen = choose_part(item)
    if PARTS[chosen][1]:
        questions, told = st.columns([3, 2], gap="large")
        with told:
            in_words(drawn)
        with questions, errors.shown():
            part(draft, item, drawn, chosen)
    else:
        with errors.shown():
            part(draft, item, drawn, chosen)
        if drawn.problems:
            in_words(drawn)
    layout.next_step(
        "propose",
        "Propose a configuration",
        "See which batcher follows from these answers, and why.",
        {"draft": draft.id, "class": item.name},
    )
    study_text.editor(draft)
    edit.saved(draft)


def drawing(item: TrafficClass, drawn: StateMachine) -> None:
    st.subheader(
        "The life of a session" if drawn.sessions else "The life of a request",
        anchor=False,
        help=term("session", "sequence", "sequence slot"),
    )
    title = f"The life of a {'session' if drawn.sessions else 'request'} of {item.name}"
    inks = DARK if st.context.theme.type == "dark" else LIGHT
    problems = len(drawn.problems)
    found = "no open question" if not problems else f"{problems} open or contradictory"
    # as an image: Streamlit takes SVG elements out of HTML, and Mermaid's letters grow too small
    source = base64.b64encode(to_svg(drawn, title, inks).encode()).decode()
    st.html(
        f'<img src="data:image/svg+xml;base64,{source}" style="max-width:100%;height:auto" '
        f'alt="{escape(title)}: a state machine, {found}; the same in sentences below.">'
    )
    if any(step.guard for step in drawn.transitions):
        st.caption("In brackets: what must hold for a step.")
    exports(item, drawn, title)


def exports(item: TrafficClass, drawn: StateMachine, title: str) -> None:
    with st.container(horizontal=True):
        for label, name, mime, text in (
            ("Picture (SVG)", "svg", "image/svg+xml", to_svg(drawn, title)),
            ("Graphviz (DOT)", "dot", "text/vnd.graphviz", to_dot(drawn)),
            ("Mermaid", "mmd", "text/plain", to_mermaid(drawn, guards=True)),
        ):
            st.download_button(
                label,
                text,
                file_name=f"{item.name}-states.{name}",
                mime=mime,
                icon=":material/download:",
                on_click="ignore",
                key=f"describe_states_{name}",
                help="The drawing as it is now, to take along.",
            )


def in_words(drawn: StateMachine) -> None:
    st.markdown("**Open questions and contradictions**")
    if not drawn.problems:
        st.markdown(":green[:material/check_circle: None.] Every transition is accounted for.")
    for problem in drawn.problems:
        alarming = problem.kind in ("contradictory", "doubtful")
        icon = ":material/warning:" if alarming else ":material/help:"
        where = next(
            (title for title, ids in PARTS.values() if {*ids} & {*problem.questions[:1]}), "Demand"
        )
        st.markdown(
            f"{icon} **{problem.number}** · {where}, {problem.kind}: {plain(problem.sentence)}"
        )
    sentences = describe(drawn)
    told = sentences[: len(sentences) - len(drawn.problems)]
    with st.expander("The drawing in sentences", icon=":material/subject:"):
        st.markdown("\n".join(f"- {plain(sentence)}" for sentence in told))


def asked_in(name: str, item: TrafficClass) -> tuple[Question, ...]:
    return tuple(q for q in relevant_questions(item.workload.answers) if q.id in PARTS[name][1])


def choose_part(item: TrafficClass) -> str:
    offered = [name for name in PARTS if not PARTS[name][1] or asked_in(name, item)]
    return linked.one_of(
        "Part of the description",
        offered,
        "part",
        format_func=lambda name: PARTS[name][0],
        label_visibility="collapsed",
    )


def part(draft: Draft, item: TrafficClass, drawn: StateMachine, chosen: str) -> None:
    if chosen == "demand":
        demand.form(draft, item)
    elif chosen == "traffic":
        traffic.form(draft, item)
    elif chosen == "model":
        model_choice.form(draft, item)
    else:
        for asked in asked_in(chosen, item):
            ask(draft, item, drawn, asked)
        if chosen == "meaning" and not asked_in("life", item):
            st.caption(
                "Nothing is asked of sessions, marks or ids: requests that stand alone have none."
            )


def ask(draft: Draft, item: TrafficClass, drawn: StateMachine, asked: Question) -> None:
    answers = item.workload.answers
    key = edit.key(draft, item.name, asked.id)
    answer = answer_to(answers, asked.id)
    with st.container(border=True, key=f"describe_ask_{asked.id}"):
        st.markdown(f"**{asked.text}**")
        st.caption(f"Why it is asked: {asked.why}")
        labels = {option.value: option.label for option in asked.options}
        changed = partial(answered, draft, item.name, asked.id, key)
        if asked.multiple:
            st.multiselect(
                asked.text,
                [value for value in labels if value != "unknown"],
                format_func=labels.__getitem__,
                key=edit.held(key, list(answer)),
                on_change=changed,
                label_visibility="collapsed",
                placeholder="Nothing else",
            )
            st.caption("Not sure? Choose all of them: all of them happen.")
            for value in answer:
                st.markdown(
                    f":material/subdirectory_arrow_right: **{labels[value]}.** "
                    f"{asked.option(value).help}"
                )
        else:
            values = list(labels)
            st.radio(
                asked.text,
                values,
                format_func=labels.__getitem__,
                key=edit.held(key, str(answer)),
                on_change=changed,
                horizontal=all(len(text) < 16 for text in labels.values()),
                label_visibility="collapsed",
            )
            consequence = asked.option(str(answer)).help
            st.markdown(f":material/subdirectory_arrow_right: {consequence}")
        if asked.note:
            st.caption(f":material/info: {asked.note}")
        for problem in drawn.problems:
            if problem.kind not in ("contradictory", "doubtful"):
                continue
            if asked.id in problem.questions:
                others = [
                    f"{question(other).text} {answer_text(answers, other)}."
                    for other in problem.questions
                    if other != asked.id
                ]
                st.warning(
                    "\n\n".join(
                        [f"{problem.number}. {plain(problem.sentence)}", *map(plain, others)]
                    ),
                    icon=":material/warning:",
                )


def answered(draft: Draft, class_name: str, question_id: str, key: str) -> None:
    value = edit.typed(key)

    def make(study: Study) -> Study:
        item = study.class_named(class_name)
        given = tuple(value) if isinstance(value, list) else str(value)
        answers = with_answer(item.workload.answers, question_id, given)
        workload = item.workload.model_copy(update={"answers": answers})
        return edit.with_class(study, item.model_copy(update={"workload": workload}))

    edit.change(draft, make)


page()
