"""What a sequence_batching section does: sessions, slots, waits, controls, states.

Source: core, ``sequence_batch_scheduler.cc`` and ``sequence_state.cc``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.contracts.implicit_state import NEVER_WRITERS
from backend.contracts.triton_defaults import DEFAULT_IDLE_MICROSECONDS
from backend.modelconfig.backend_support import support
from backend.modelconfig.defaults import effective
from backend.modelconfig.durations import milliseconds
from backend.modelconfig.enum_names import enum_name
from backend.modelconfig.explain_dynamic import waiting
from backend.modelconfig.lint.release import Release
from backend.modelconfig.meaning_scheduling import CONTROLS
from backend.modelconfig.queue_policy import ordering_meaning
from backend.modelconfig.release_support import ORDER_KEPT
from backend.modelconfig.slots import instances, slots_per_instance
from backend.modelconfig.state_order import stray_states

ID_TYPE_CHECKED: Final = Release(25, 1)
_Control = model_config_pb2.ModelSequenceBatching.Control


def explain_sequence(config: Any, release: Release) -> Iterator[str]:
    """Sentences about a configuration's sequence batcher."""
    batching = config.sequence_batching
    oldest = batching.HasField("oldest")
    ceiling = max(1, config.max_batch_size)
    count, each = instances(config), slots_per_instance(config)
    yield (
        "The sequence batcher: a session keeps one instance from START to END, and its requests "
        "run one at a time, in order."
    )
    yield from _strategy(oldest, ceiling)
    yield (
        f"{count} x {each} = {count * each} sessions can be live at once; a further one "
        "waits until a slot is free."
    )
    on_cpu = instances(config, gpus=False)
    if on_cpu > count:
        yield f"On a machine without a GPU it is {on_cpu} x {each} = {on_cpu * each} sessions."
    if oldest:
        sizes = list(batching.oldest.preferred_batch_size) or [ceiling]
        yield from waiting(batching.oldest.max_queue_delay_microseconds, sizes, ceiling)
        yield from _oldest_ordering(batching.oldest, release)
    else:
        yield from _direct_waiting(batching.direct)
    idle = batching.max_sequence_idle_microseconds or DEFAULT_IDLE_MICROSECONDS
    yield (
        f"A session from which nothing arrives for {milliseconds(idle)} is forgotten, also while "
        "its last request is still being served; its next request is refused. The model is not "
        "told."
    )
    yield (
        "There is no queue policy here: a request's own timeout ends its wait for a slot, and "
        "means nothing once the session has one."
    )
    yield from _controls(config, release)
    yield from _states(config)
    if batching.iterative_sequence:
        yield (
            "Iterative: the model may give a request back to be executed again, among the next "
            "batch. A request without an ID gets one from Triton; clients must not send END, such "
            "a request is never answered."
        )


def _strategy(oldest: bool, ceiling: int) -> Iterator[str]:
    if oldest:
        yield (
            "Strategy oldest: the requests that have waited longest form a batch of up to "
            f"{ceiling}; a session's position in it changes. The model has to find its state by "
            "correlation ID."
        )
        return
    yield (
        "Strategy direct: a session keeps its slot, the same position in every batch; silent "
        "slots below the highest ready one are padded. The model may find its state by "
        "position."
    )


def _oldest_ordering(oldest: Any, release: Release) -> Iterator[str]:
    if oldest.preserve_ordering:
        meaning = ordering_meaning(release)
        if release < ORDER_KEPT:
            meaning = f"Release {release} knows the field and does nothing with it."
        yield f"preserve_ordering: {meaning[:1].lower()}{meaning[1:]}"


def _direct_waiting(direct: Any) -> Iterator[str]:
    delay, share = direct.max_queue_delay_microseconds, direct.minimum_slot_utilization
    if delay and share:
        yield (
            f"A batch waits up to {milliseconds(delay)} until {share:.0%} of the slots have a "
            "request."
        )
    elif delay or share:
        yield (
            "The queue delay has no effect: direct waits only if max_queue_delay_microseconds and "
            "minimum_slot_utilization are both above 0."
        )
    else:
        yield "No request waits for others on purpose; batches form while instances are busy."


def _controls(config: Any, release: Release) -> Iterator[str]:
    batching = config.sequence_batching
    told = [
        f"{entry.name} ({_meaning(control)})"
        for entry in batching.control_input
        for control in entry.control
    ]
    if told:
        yield f"With each request the model gets: {', '.join(told)}. Clients do not send these."
    else:
        yield "The model is told nothing of sessions in its inputs."
    for entry in batching.control_input:
        if len(entry.control) > 1:
            yield (
                f"{entry.name} has {len(entry.control)} kinds in one tensor: each overwrites the "
                "one before, and the model sees the last."
            )
        for control in entry.control:
            if control.kind == _Control.CONTROL_SEQUENCE_CORRID:
                yield from _id_type(entry.name, control, config, release)


def _meaning(control: Any) -> str:
    kind = enum_name(control, "kind")
    return CONTROLS.get(kind, f"kind {kind}, which is none")


def _id_type(name: str, control: Any, config: Any, release: Release) -> Iterator[str]:
    kind = enum_name(control, "data_type").removeprefix("TYPE_")
    if kind == "STRING":
        if effective(config).backend == "python":
            yield (
                f"{name} is text: the Python backend of 24.10 fails on every id shorter than 128 "
                "characters there."
            )
        return
    wrong = (
        "a text id is refused"
        if release >= ID_TYPE_CHECKED
        else "a text id is not refused by this release, and can end the server"
    )
    narrow = " Ids that differ above 32 bits look alike to the model." if "32" in kind else ""
    yield f"{name} holds ids as {kind}: {wrong}.{narrow}"


def _states(config: Any) -> Iterator[str]:
    states = config.sequence_batching.state
    if not states:
        return
    backend = effective(config).backend
    for state in states:
        first = "whatever the memory holds"
        if state.initial_state:
            initial = state.initial_state[0]
            first = (
                f"the file initial_state/{initial.data_file}"
                if initial.WhichOneof("state_data") == "data_file"
                else "zeros"
            )
        dims = ", ".join(map(str, state.dims))
        yield (
            f"Triton keeps the state {state.input_name} [{dims}] of each session: the model gets "
            f"what it wrote to {state.output_name} at the session's request before, and at its "
            f"first {first}."
        )
        if state.use_growable_memory:
            yield f"{state.input_name} may grow in place, on a GPU only."
        elif state.use_same_buffer_for_input_output:
            yield f"{state.input_name} and {state.output_name} are one buffer, always written."
    if len(states) > 1 and not all(s.use_same_buffer_for_input_output for s in states):
        strayed = "; ".join(
            f"what is written to {output} arrives as {other}, without a message"
            for output, other in stray_states(states)
        )
        yield (
            "Triton pairs state inputs and outputs by the order of their sorted names, not by "
            f"entry: {strayed or 'here both give the same pairs'}."
        )
    if backend in NEVER_WRITERS:
        yield f"These states never change: {support(backend, 'implicit_state').why}"
