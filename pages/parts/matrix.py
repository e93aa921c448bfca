"""What a test tries: cells, candidates, rounds; and how long that may take."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import streamlit as st

from backend.studies.drafts import Draft
from backend.studies.expectation import expected_duration
from backend.workload.study import (
    CANDIDATE_NAMES,
    CandidateChoice,
    Study,
    TrafficClass,
)
from pages.parts import candidates, edit, journey
from pages.parts.figures import duration
from pages.parts.glossary import term
from pages.parts.words import plain

INSTANCES: Final = (1, 2, 3, 4)
CONCURRENCY: Final = (1, 2, 4, 8, 16, 32, 64)


def form(draft: Draft) -> None:
    """The choices, saved into the draft on every change."""
    study = draft.study
    prefix = edit.key(draft, "test_")
    first, second, third = st.columns([2, 2, 3], gap="medium")
    with first:
        _numbers(
            draft, "Instances", "instances", INSTANCES, study.matrix.instances,
            term("instance"),
        )  # fmt: skip
    with second:
        _numbers(
            draft, "Concurrency", "concurrency", CONCURRENCY, study.matrix.concurrency,
            "Sessions that are live at once. The next one starts when one has ended.",
        )  # fmt: skip
    with third:
        _mixes(draft, prefix)
    st.markdown("**Candidates**", help=term("dynamic batcher", "sequence batcher", "direct"))
    for item in study.classes:
        _candidates(draft, item, prefix)
    first, second, _ = st.columns([2, 2, 3], gap="medium")
    first.number_input(
        "Rounds",
        min_value=1,
        max_value=1000,
        value=study.rounds,
        key=f"{prefix}rounds",
        on_change=partial(_set, draft, "rounds", f"{prefix}rounds"),
        help=term("round") + "\n\nFrom three rounds on, figures carry an interval.",
    )
    second.number_input(
        "Seed",
        min_value=0,
        max_value=2**53 - 1,
        value=min(study.seed, 2**53 - 1),
        key=f"{prefix}seed",
        on_change=partial(_set, draft, "seed", f"{prefix}seed"),
        help="The same seed gives the same requests, ids, flags and pauses.",
    )


def _numbers(
    draft: Draft,
    label: str,
    field: str,
    usual: tuple[int, ...],
    chosen: tuple[int, ...],
    about: str,
) -> None:
    key = edit.key(draft, f"test_{field}")

    def make(study: Study) -> Study:
        values = tuple(sorted(edit.typed(key)))
        return study.model_copy(update={"matrix": study.matrix.model_copy(update={field: values})})

    st.multiselect(
        label,
        sorted({*usual, *chosen}),
        default=list(chosen),
        key=key,
        on_change=partial(_keep, draft, key, make),
        help=about,
    )
    _needs_one(key)


def _mixes(draft: Draft, prefix: str) -> None:
    study = draft.study
    known = sorted({mix for item in study.classes for mix in item.workload.traffic.mixes})
    key = f"{prefix}mix"
    if not known:
        st.markdown("Mix of session lengths")
        st.caption("None: every request is a session of its own.")
        return

    def make(study: Study) -> Study:
        chosen = tuple(mix for mix in known if mix in edit.typed(key))
        # all of them is written as none: a mix that is added later is then tried too
        mix = () if len(chosen) == len(known) else chosen
        return study.model_copy(update={"matrix": study.matrix.model_copy(update={"mix": mix})})

    st.multiselect(
        "Mix of session lengths",
        known,
        default=[mix for mix in known if not study.matrix.mix or mix in study.matrix.mix],
        key=key,
        on_change=partial(_keep, draft, key, make),
        help=term("cell"),
    )
    _needs_one(key)


def _candidates(draft: Draft, item: TrafficClass, prefix: str) -> None:
    key = f"{prefix}candidates_{item.name}"

    def make(study: Study) -> Study:
        current = study.class_named(item.name)
        known = {choice.name: choice for choice in current.candidates}
        names = [name for name in CANDIDATE_NAMES if name in edit.typed(key)]
        choices = tuple(known.get(name, CandidateChoice(name=name)) for name in names)
        return edit.with_class(study, current.model_copy(update={"candidates": choices}))

    st.multiselect(
        f"Class {plain(item.name)}",
        CANDIDATE_NAMES,
        default=list(candidates.tried(item)),
        key=key,
        on_change=partial(_keep, draft, key, make),
        help=plain(item.about) or None,
    )
    _needs_one(key)
    proposed = candidates.recommendation(item).proposed
    if st.session_state[key] and proposed not in st.session_state[key]:
        st.caption(f"{proposed} is tried as well: it is proposed, and the verdict is about it.")


def _keep(draft: Draft, key: str, make: Callable[[Study], Study]) -> None:
    if edit.typed(key):
        edit.change(draft, make)


def _needs_one(key: str) -> None:
    if not st.session_state[key]:
        st.caption(":material/warning: Choose at least one; until then the last choice stands.")


def _set(draft: Draft, field: str, key: str) -> None:
    value: Any = edit.typed(key)
    if value is not None:
        edit.change(draft, lambda study: study.model_copy(update={field: int(value)}))


def trials(study: Study) -> int:
    """How many trials the study has."""
    return study.rounds * sum(
        len(study.cells(item)) * len(candidates.tried(item)) for item in study.classes
    )


def expectation(study: Study) -> str:
    """How long the test may take, in words."""
    counts = {item.name: len(candidates.tried(item)) for item in study.classes}
    expected = expected_duration(study, counts, journey.place())
    about = duration(5 * max(1, round(expected.seconds / 5)))
    return f"about {about}, judged by {expected.basis}."
