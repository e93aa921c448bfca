"""What does not fit together in a whole class: its workload, its model, its candidates' values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

from backend.workload.contradiction import Contradiction
from backend.workload.doubts import doubts
from backend.workload.study import CandidateChoice, TrafficClass


def class_doubts(item: TrafficClass) -> tuple[Contradiction, ...]:
    """Everything about a class that should be looked at again, beside its answers alone."""
    found = list(doubts(item.workload))
    for rule in _RULES:
        found += rule(item)
    return tuple(found)


def _session_candidates(item: TrafficClass) -> Iterator[CandidateChoice]:
    if item.workload.answers.relation != "independent":
        yield from (known for known in item.candidates if known.name.startswith("sequence-"))


def _idle_limit_too_short(item: TrafficClass) -> Iterator[Contradiction]:
    """Source: core, ``sequence_batch_scheduler.cc``, ``ReaperThread``: arrival to arrival."""
    pause = item.workload.traffic.longest_gap_ms
    execution = item.workload.demand.execution_ms or 0.0
    for choice in _session_candidates(item):
        limit = choice.max_sequence_idle_microseconds
        if pause is None or limit is None or limit / 1000 > pause + execution:
            continue
        of = f" and an execution of {execution:g} ms" if execution else ""
        yield Contradiction(
            id="idle-limit-below-pause",
            questions=("ends_on",),
            sentence=f"{choice.name} sets an idle limit of {limit / 1000:g} ms, yet a live session "
            f"is said to pause for up to {pause:g} ms{of}: Triton forgets it meanwhile and refuses "
            "its next request.",
            transition="idle->ended",
        )


def _slots_too_few(item: TrafficClass) -> Iterator[Contradiction]:
    live = item.workload.demand.live_sessions
    for choice in _session_candidates(item):
        oldest = choice.name == "sequence-oldest"
        slots = choice.max_candidate_sequences if oldest else choice.max_batch_size
        if live is None or not slots or live <= slots:
            continue
        field = "max_candidate_sequences" if oldest else "max_batch_size"
        yield Contradiction(
            id="slots-below-sessions",
            kind="doubtful",
            questions=("end_marked",),
            sentence=f"{choice.name} sets {field} {slots}, so that one instance has as many slots, "
            f"yet {live} sessions are said to be live at once: with fewer than "
            f"{math.ceil(live / slots)} instances some wait until another one ends.",
            transition="starting->active",
        )


def _declared_state(item: TrafficClass) -> Iterator[Contradiction]:
    declared, answers = item.model.declared, item.workload.answers
    if declared is None:
        return
    keeps = bool(declared.states) or declared.keeps_state == "yes"
    if keeps and answers.state_kind in ("none", "carried_in_request"):
        yield Contradiction(
            id="model-keeps-state",
            questions=("state_kind",),
            sentence="The model is declared to keep state, yet nothing is said to be remembered "
            "between requests on the serving side.",
        )
    other = answers.state_kind not in ("implicit_state", "none", "carried_in_request", "unknown")
    if declared.states and other:
        yield Contradiction(
            id="state-tensors-of-another-kind",
            kind="doubtful",
            questions=("state_kind",),
            sentence="The model is declared with state tensors, which Triton carries, yet its "
            "state is said to be of another kind: say which of them the answers depend on.",
        )
    if answers.state_kind == "implicit_state" and not declared.states:
        yield Contradiction(
            id="no-state-tensors",
            questions=("state_kind",),
            sentence="Triton is said to carry state tensors, yet the model is declared without "
            "any.",
            transition="active->idle",
        )
    if declared.keeps_state == "no" and answers.state_kind in _IN_THE_MODEL:
        yield Contradiction(
            id="model-keeps-no-state",
            questions=("state_kind",),
            sentence="Something is said to be remembered between requests, yet the model is "
            "declared to keep no state.",
        )


_IN_THE_MODEL: Final = (
    "recurrent_hidden_state",
    "streaming_decoder_context",
    "cache_across_fragments",
    "session_object",
)


def _template_backend(item: TrafficClass) -> Iterator[Contradiction]:
    """Every model template runs in the Python backend, whatever was answered."""
    answers = item.workload.answers
    backend = answers.serving.backend
    if not item.model.template or backend == "python":
        return
    if backend != "unknown":
        yield Contradiction(
            id="template-is-python",
            kind="doubtful",
            questions=("backend",),
            sentence="The model template runs in the Python backend, yet another one is said to "
            "run the model: what is tested is not what is served. Declare the model by its tensors "
            "for a configuration of its own backend.",
        )
    if answers.state_kind == "implicit_state":
        yield Contradiction(
            id="template-writes-no-state",
            questions=("state_kind",),
            sentence="Triton is said to carry the state, yet the model template runs in the Python "
            "backend, which never writes it back.",
            transition="active->idle",
        )
    if answers.correlation_id.control_type == "string":
        yield Contradiction(
            id="text-control-of-a-template",
            kind="doubtful",
            questions=("id_control",),
            sentence="A text id cannot be handed to a Python model as a control input up to "
            "release 24.12, and the model template is one: it reads the id from the request.",
            transition="absent->starting",
        )


_RULES: Final[tuple[Callable[[TrafficClass], Iterator[Contradiction]], ...]] = (
    _idle_limit_too_short,
    _slots_too_few,
    _declared_state,
    _template_backend,
)
