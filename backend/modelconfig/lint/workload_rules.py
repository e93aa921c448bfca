"""Whether a configuration fits the class of traffic that it is to serve."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from tritonclient.grpc import model_config_pb2

from backend.contracts.triton_defaults import DEFAULT_IDLE_MICROSECONDS
from backend.modelconfig.durations import milliseconds
from backend.modelconfig.enum_names import enum_name
from backend.modelconfig.lint.refused_controls import CORRID, TEXT_IDS_SINCE, controls
from backend.modelconfig.lint.refused_scheduling import dynamic, oldest, sequence
from backend.modelconfig.lint.rule import Context, Hit, LintRule
from backend.modelconfig.lint.warning_controls import kinds
from backend.modelconfig.lint.warning_dynamic import waiting_sections
from backend.modelconfig.slots import instances, slots_per_instance
from backend.workload.answers import Answers
from backend.workload.contradictions import KEPT_STATE
from backend.workload.study import TrafficClass

_GUIDE: Final = "Triton server, docs/user_guide/architecture.md"
_SEQ: Final = "Triton core, src/sequence_batch_scheduler/sequence_batch_scheduler.cc"
_INTEGERS: Final = (
    model_config_pb2.TYPE_UINT64,
    model_config_pb2.TYPE_INT64,
    model_config_pb2.TYPE_UINT32,
    model_config_pb2.TYPE_INT32,
)


def is_stateful(answers: Answers) -> bool:
    """Whether the answers say outright that requests belong together or leave state behind."""
    return (
        answers.relation == "parts_of_a_session"
        or answers.order_matters == "yes"
        or answers.state_kind in KEPT_STATE
    )


def stands_alone(answers: Answers) -> bool:
    """Whether the answers say outright that every request stands alone."""
    return (
        answers.relation == "independent"
        and answers.order_matters == "no"
        and answers.state_kind == "none"
    )


def live_sessions(item: TrafficClass) -> int | None:
    """Sessions live at once, as the demand says; null where it does not."""
    return item.workload.demand.live_sessions


def expected_wait_s(item: TrafficClass, slots: int) -> float | None:
    """How long a newcomer waits for a slot, on average; null where too little is known.

    **Formula**: by Little's law a population of ``L`` live sessions that each hold a slot for ``S``
    seconds on ``c`` slots has ``L - c`` of them waiting; slots free up at ``c / S`` per second, so
    the wait is ``(L - c) * S / c``. ``S`` = steps x (execution + mean pause), in real time.
    """
    live = live_sessions(item)
    traffic, demand = item.workload.traffic, item.workload.demand
    if live is None or live <= slots or demand.execution_ms is None:
        return None
    groups = [group for mix in traffic.mixes.values() for group in mix]
    if not groups:
        return None
    weights = sum(group.share for group in groups)
    steps = sum(group.share * sum(group.steps) / 2 for group in groups) / weights
    held_s = steps * (demand.execution_ms + traffic.gaps.mean_ms) / 1000
    return (live - slots) * held_s / slots


def _stateful_mixed(context: Context) -> Iterator[Hit]:
    item = context.item
    if item is None or not is_stateful(item.workload.answers):
        return
    if sequence(context) is not None or context.config.platform == "ensemble":
        return
    section = "dynamic_batching" if dynamic(context) is not None else ""
    how = (
        "merges requests of all sessions and runs them on any instance"
        if section
        else "runs each request on any idle instance, in order of arrival"
    )
    yield Hit(
        section,
        f"The class '{item.name}' has sessions, and nothing here keeps one on its instance.",
        f"Triton {how}: a session's answer may be computed from another session's state, and "
        "nothing reports it. With one instance it may look right.",
        "Write sequence_batching, with the strategy that the recommendation names.",
    )


def _needless(context: Context) -> Iterator[Hit]:
    item = context.item
    if item is not None and stands_alone(item.workload.answers) and sequence(context) is not None:
        yield Hit(
            "sequence_batching",
            f"Every request of the class '{item.name}' stands alone.",
            "Clients must send correlation IDs and flags, and order is paid for that nobody needs.",
            "Write dynamic_batching { }.",
        )


def _slot_under_oldest(context: Context) -> Iterator[Hit]:
    item = context.item
    if (
        item is not None
        and item.workload.answers.state_place == "slot"
        and oldest(context) is not None
    ):
        yield Hit(
            "sequence_batching.oldest",
            "The model finds its state by position in the batch, and the strategy is oldest.",
            "A session's position changes with every execution: the model continues another "
            "session's state.",
            "Write direct { }.",
        )


def _idle(context: Context) -> Iterator[Hit]:
    item, section = context.item, sequence(context)
    if item is None or section is None:
        return
    traffic, demand = item.workload.traffic, item.workload.demand
    pause = traffic.longest_gap_ms or traffic.gaps.longest_ms
    worst = (pause + (demand.execution_ms or 0)) * 1000
    idle = section.max_sequence_idle_microseconds or DEFAULT_IDLE_MICROSECONDS
    if pause and idle <= worst:
        path = "sequence_batching.max_sequence_idle_microseconds"
        yield Hit(
            path if context.written(path) else "sequence_batching",
            f"The idle limit of {milliseconds(idle)} does not exceed the longest pause of a live "
            f"session ({pause:g} ms)"
            + (f" plus an execution ({demand.execution_ms:g} ms)." if demand.execution_ms else "."),
            "The time counts from the arrival of a session's last request: Triton forgets the "
            "session in that pause and refuses its next request for want of START.",
            f"Set max_sequence_idle_microseconds above {math.ceil(worst)}, and add the queue time.",
        )


def _slots(context: Context) -> Iterator[Hit]:
    item, section = context.item, sequence(context)
    live = live_sessions(item) if item is not None else None
    if item is None or section is None or live is None:
        return
    each = slots_per_instance(context.config)
    number = instances(context.config, context.backend, context.gpus)
    slots = each * number
    if slots >= live:
        return
    wait = expected_wait_s(item, slots)
    path = (
        "sequence_batching.oldest.max_candidate_sequences"
        if context.written("sequence_batching.oldest.max_candidate_sequences")
        else "sequence_batching"
    )
    yield Hit(
        path,
        f"{number} x {each} = {slots} slots for {live} live sessions.",
        f"{live - slots} sessions wait in the backlog at the peak"
        + (f", each for about {wait:.3g} s on average." if wait is not None else ".")
        + " Lost ENDs make it longer: such a slot is held until the idle limit.",
        f"Instances x slots must reach {live}: {math.ceil(live / number)} per instance.",
    )


def _id_type(context: Context) -> Iterator[Hit]:
    item = context.item
    if item is None:
        return
    ids = item.workload.answers.correlation_id
    for path, name, control in controls(context):
        if control.kind != CORRID:
            continue
        numeric = control.data_type in _INTEGERS
        narrow = control.data_type in _INTEGERS[2:]
        kind = enum_name(control, "data_type")
        if ids.type == "string" and numeric:
            what = "clients send text"
            fix = "Leave the control out and read the ID in the model."
            if context.backend == "python" and context.release < TEXT_IDS_SINCE:
                fix += f" Release {TEXT_IDS_SINCE} is the first in which it gets text."
            effect = (
                "Up to release 24.12 the model gets a meaningless number, and long IDs end the "
                "server; from 25.01 on every request is refused."
            )
        elif ids.type == "uint64" and control.data_type == model_config_pb2.TYPE_STRING:
            what, fix = "clients send whole numbers", "Write data_type: TYPE_UINT64."
            effect = "From release 25.01 on every request is refused."
        elif narrow and ids.made_as in ("hash", "random"):
            what = f"IDs are made as {'hashes' if ids.made_as == 'hash' else 'random numbers'}"
            effect = "The model sees the low 32 bits only: two live sessions may look alike."
            fix = "Write data_type: TYPE_UINT64."
        else:
            continue
        yield Hit(f"{path}.data_type", f"The control '{name}' is {kind}, but {what}.", effect, fix)


def _no_id(context: Context) -> Iterator[Hit]:
    item = context.item
    if (
        item is not None
        and item.workload.answers.state_place == "correlation_id"
        and sequence(context) is not None
        and CORRID not in kinds(context)
        and context.backend != "python"
    ):
        yield Hit(
            "sequence_batching",
            "The model finds its state by correlation ID, and no control input carries it.",
            "The model cannot know whose request it has.",
            "Add a control_input with CONTROL_SEQUENCE_CORRID.",
        )


def _deadline(context: Context) -> Iterator[Hit]:
    item = context.item
    if item is None or item.workload.demand.deadline_ms is None:
        return
    deadline = item.workload.demand.deadline_ms * 1000
    execution = (item.workload.demand.execution_ms or 0) * 1000
    for path, delay in waiting_sections(context):
        if delay + execution >= deadline:
            yield Hit(
                path,
                f"A wait of {milliseconds(delay)} for others"
                + (f" and {milliseconds(int(execution))} of execution" if execution else "")
                + f" use up the deadline of {milliseconds(int(deadline))}.",
                "A request that comes alone is late although an instance was idle.",
                "Set the delay to a small part of the deadline, or to 0.",
            )


RULES: Final = (
    LintRule("class-stateful-mixed", "error", "Sessions, and no sequence batcher",
             f"{_GUIDE}, Stateful Models", _stateful_mixed),
    LintRule("class-slot-under-oldest", "error", "State by slot under oldest",
             f"{_GUIDE}, Scheduling Strategies: Oldest", _slot_under_oldest),
    LintRule("class-needless-sequence", "warning", "The sequence batcher for requests that stand "
             "alone", f"{_GUIDE}, Stateless Models", _needless),
    LintRule("class-idle-limit", "warning", "An idle limit that a live session reaches",
             f"{_SEQ}, SequenceBatchScheduler::ReaperThread", _idle),
    LintRule("class-slots", "warning", "Fewer slots than live sessions",
             f"{_SEQ}, SequenceBatchScheduler::Enqueue", _slots),
    LintRule("class-id-type", "error", "A control that cannot carry the class's IDs",
             f"{_SEQ}, SequenceBatch::SetControlTensors", _id_type),
    LintRule("class-no-id", "warning", "State by ID, and no ID for the model",
             f"{_GUIDE}, Control Inputs", _no_id),
    LintRule("class-deadline", "warning", "A wait that uses up the deadline",
             "Triton server, docs/user_guide/batcher.md, Delayed Batching", _deadline),
)  # fmt: skip
