"""Describe: the questions that decide, the session's state machine drawn as they are answered."""

from __future__ import annotations

from functools import partial
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
from backend.workload.state_chart import describe, to_mermaid
from backend.workload.state_machine import StateMachine, machine
from backend.workload.study import Study, TrafficClass
from pages.parts import (
    choose,
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
    "meaning": ("Relation and state", ("relation", "order", "state_kind", "state_place")),
    "life": ("Begin and end", ("start_marked", "end_marked", "ends_on")),
    "id": ("Correlation ID", ("id_type", "id_assigned_by", "id_unique", "id_reused")),
    "traffic": ("Traffic", ()),
    "model": ("Model", ()),
}

# the drawing is scaled to the page's width: its own size of letters would be too small to read
LARGER: Final = '%%{init: {"themeVariables": {"fontSize": "23px"}}}%%\n'


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
    drawn = machine(item.workload.answers)
    drawing(item, drawn)
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
    layout.next_step(
        "propose",
        "Propose a configuration",
        "See which batcher follows from these answers, and why.",
        {"draft": draft.id, "class": item.name},
    )
    study_text.editor(draft)
    edit.saved(draft)


def drawing(item: TrafficClass, drawn: StateMachine) -> None:
    problems = len(drawn.problems)
    found = "no open question" if not problems else f"{problems} open or contradictory"
    st.subheader(
        "The life of a session" if drawn.sessions else "The life of a request",
        anchor=False,
        help=term("session", "sequence", "sequence slot"),
    )
    st.mermaid_chart(
        LARGER + to_mermaid(drawn),
        alt=f"State machine of a {'session' if drawn.sessions else 'request'} of the class "
        f"{item.name}, {found}; the same in sentences below.",
    )
    if problems:
        st.caption(
            "A question mark: missing or not known. An exclamation mark: contradicts another "
            "answer. Numbers: the problems in words below."
        )


def in_words(drawn: StateMachine) -> None:
    st.markdown("**Open questions and contradictions**")
    if not drawn.problems:
        st.markdown(":green[:material/check_circle: None.] Every transition is accounted for.")
    for problem in drawn.problems:
        icon = ":material/warning:" if problem.kind == "contradictory" else ":material/help:"
        where = next(
            (title for title, ids in PARTS.values() if problem.questions[0] in ids), "Description"
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
    if chosen == "traffic":
        traffic.form(draft, item)
    elif chosen == "model":
        model_choice.form(draft, item)
    else:
        for asked in asked_in(chosen, item):
            ask(draft, item, drawn, asked)
        if chosen == "meaning" and not asked_in("life", item):
            st.caption(
                "Nothing more is asked: requests that stand alone have no sessions, marks or ids."
            )


def ask(draft: Draft, item: TrafficClass, drawn: StateMachine, asked: Question) -> None:
    answers = item.workload.answers
    key = edit.key(draft, item.name, asked.id)
    answer = answer_to(answers, asked.id)
    with st.container(border=True):
        st.markdown(f"**{asked.text}**")
        st.caption(f"Why it is asked: {asked.why}")
        labels = {option.value: option.label for option in asked.options}
        changed = partial(answered, draft, item.name, asked.id, key)
        if asked.multiple:
            st.multiselect(
                asked.text,
                [value for value in labels if value != "unknown"],
                default=list(answer),
                format_func=labels.__getitem__,
                key=key,
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
                index=values.index(str(answer)),
                format_func=labels.__getitem__,
                key=key,
                on_change=changed,
                horizontal=all(len(text) < 16 for text in labels.values()),
                label_visibility="collapsed",
            )
            consequence = asked.option(str(answer)).help
            st.markdown(f":material/subdirectory_arrow_right: {consequence}")
        if asked.note:
            st.caption(f":material/info: {asked.note}")
        for problem in drawn.problems:
            if problem.kind == "contradictory" and asked.id in problem.questions:
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
    value = st.session_state[key]

    def make(study: Study) -> Study:
        item = study.class_named(class_name)
        given = tuple(value) if isinstance(value, list) else str(value)
        answers = with_answer(item.workload.answers, question_id, given)
        workload = item.workload.model_copy(update={"answers": answers})
        return edit.with_class(study, item.model_copy(update={"workload": workload}))

    edit.change(draft, make)


page()
