"""What the fields of scheduler sections make Triton do; see ``meaning``."""

from __future__ import annotations

from typing import Any, Final

from backend.modelconfig.durations import milliseconds
from backend.modelconfig.queue_delay import waits_for_others
from backend.modelconfig.queue_policy import no_prefetch
from backend.modelconfig.slots import instances, slots_per_instance

CONTROLS: Final = {
    "CONTROL_SEQUENCE_START": "whether a request begins its session",
    "CONTROL_SEQUENCE_END": "whether a request ends its session",
    "CONTROL_SEQUENCE_READY": "whether there is a request at all, not padding",
    "CONTROL_SEQUENCE_CORRID": "which session a request belongs to",
}


def _dynamic(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return _otherwise(config, "dynamic_batching")
    if config.max_batch_size < 2:
        return "the dynamic batcher, which has nothing to merge at this max_batch_size"
    return (
        "requests that wait are merged, whichever session they belong to, up to "
        f"{config.max_batch_size} in an execution, and run on any idle instance"
    )


def _otherwise(config: Any, section: str) -> str:
    """What serves the requests where a scheduler section is not there."""
    other = config.WhichOneof("scheduling_choice")
    if other == "sequence_batching":
        return "no dynamic batcher: the sequence batcher serves the requests"
    if other == "dynamic_batching":
        return (
            "no sequence batcher: nothing keeps a session on one instance, its requests in order, "
            "or two of them apart"
        )
    if other == "ensemble_scheduling":
        return "the steps of the ensemble have schedulers of their own"
    if section == "sequence_batching":
        return "nothing keeps a session on one instance or its requests in order"
    return "each request is executed by itself, in order of arrival, on any idle instance"


def _sequence(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return _otherwise(config, "sequence_batching")
    return (
        "a session keeps one instance from START to END, one request at a time, in order; "
        f"{_capacity(config)}"
    )


def _capacity(config: Any) -> str:
    count, each = instances(config), slots_per_instance(config)
    return f"{count} x {each} = {count * each} sessions at once, one more waits for a slot"


def _ensemble(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "the model itself answers"
    return "requests pass through other models"


def _oldest(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return _no_strategy(config)
    return (
        "strategy oldest: a session's position in the batch changes, the model finds its state by "
        "correlation ID, and no row is padding"
    )


def _direct(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return _no_strategy(config)
    return (
        "strategy direct: a session keeps its position in the batch, and silent positions below "
        "the highest ready one are padded"
    )


def _no_strategy(config: Any) -> str:
    if not config.HasField("sequence_batching"):
        return "no sequence batcher"
    other = "direct" if config.sequence_batching.HasField("direct") else "oldest"
    return f"the other strategy, {other}"


def _candidates(config: Any, _: str, value: str | None) -> str:
    return _capacity(config) if config.HasField("sequence_batching") else _no_strategy(config)


def _preferred(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "there are no batch sizes to wait for"
    sizes = value.strip("[]")
    if sizes == str(config.max_batch_size):
        return f"a batch grows until it holds {sizes}, which is max_batch_size"
    return f"a batch is let go once it holds {sizes.replace(', ', ' or ')}"


def _delay(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "no request waits for others on purpose"
    if config.max_batch_size < 2:
        return f"{milliseconds(int(value))}, without effect at this max_batch_size"
    sizes = (
        config.dynamic_batching.preferred_batch_size
        or config.sequence_batching.oldest.preferred_batch_size
    )
    if not waits_for_others(int(value), sizes, config.max_batch_size):
        return f"{milliseconds(int(value))}, yet a lone request goes at once: 1 is preferred"
    return f"a request waits up to {milliseconds(int(value))} for others, idle instance or not"


def _direct_delay(config: Any, _: str, value: str | None) -> str:
    share = config.sequence_batching.direct.minimum_slot_utilization
    if value is None:
        return "a batch goes as soon as its instance is free"
    if not share:
        return f"{milliseconds(int(value))}, without effect while minimum_slot_utilization is 0"
    return (
        f"a batch waits up to {milliseconds(int(value))} until {share:.0%} of the slots are ready"
    )


def _share(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "a batch goes however few slots are ready"
    if not config.sequence_batching.direct.max_queue_delay_microseconds:
        return f"{float(value):.0%} of the slots, without effect while the queue delay is 0"
    return f"a batch waits for {float(value):.0%} of the slots, or for its delay"


def _idle(config: Any, _: str, value: str | None) -> str:
    silent = milliseconds(int(value or 0))
    return f"a session silent for {silent} is forgotten, its next request refused"


def _ordering(config: Any, _: str, value: str | None) -> str:
    if value == "true":
        return "replies leave in the order of the queue, a slow batch holds back faster ones"
    return "a reply leaves as soon as it is there"


def _levels(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "all requests are alike, first come, first served"
    return f"{value} levels of priority, level 1 always first; no batch is prepared ahead"


def _default_level(config: Any, _: str, value: str | None) -> str:
    return "no levels" if value is None else f"a request that names no level gets level {value}"


def _policy(config: Any, _: str, value: str | None) -> str:
    if no_prefetch(config.dynamic_batching):
        return "no batch is prepared ahead while instances are busy: a handover may take 500 ms"
    return "a batch is prepared ahead while instances are busy"


def _timeout(config: Any, level: str, value: str | None) -> str:
    of = f" of level {level}" if level else ""
    if value is None:
        return f"no request{of} expires in the queue"
    return f"a request{of} expires after {milliseconds(int(value))} in the queue"


def _action(config: Any, level: str, value: str | None) -> str:
    if value == "DELAY":
        return "an expired request goes behind those in time, and may wait without end"
    return "an expired request is refused"


def _override(config: Any, level: str, value: str | None) -> str:
    if value == "true":
        return "a request may set a shorter timeout of its own"
    return "a request's own timeout has no effect in the queue"


def _queue_size(config: Any, level: str, value: str | None) -> str:
    of = f" of level {level}" if level else ""
    if value is None:
        return f"the queue{of} has no end"
    return f"with {value} requests{of} waiting, the next is refused at once"


def _control(config: Any, name: str, value: str | None) -> str:
    if value is None:
        return f"the model gets no tensor {name} from Triton"
    kinds = [kind for kind in CONTROLS if kind in value]
    told = " and ".join(CONTROLS[kind] for kind in kinds)
    rest = value.partition(", ")[2]
    return f"the model is told in {name} {told} ({rest})" if rest else f"in {name}: {told}"


def _state(config: Any, name: str, value: str | None) -> str:
    if value is None:
        return f"not so for the state {name}"
    return f"Triton carries the state {name} from request to request, with this as {value}"


def _state_output(config: Any, name: str, value: str | None) -> str:
    if value is None:
        return f"Triton carries no state {name}"
    return f"what the model writes to {value} is its {name} at the session's next request"


def _initial(config: Any, name: str, value: str | None) -> str:
    if value is None:
        return f"a session's first {name} is not set so"
    return f"a session's first {name} has this as {value}"


def _iterative(config: Any, _: str, value: str | None) -> str:
    if value == "true":
        return "a request may be executed again and again until the model lets it go"
    return "a request is executed once"


def _step(config: Any, name: str, value: str | None) -> str:
    if value is None:
        return f"not so in the step {name}"
    return f"the step {name} has {value} here"


def _inflight(config: Any, _: str, value: str | None) -> str:
    if value is None:
        return "no limit on what a step has under way"
    return f"a step has at most {value} requests under way"


MEANINGS: Final = (
    (r"dynamic_batching", _dynamic),
    (r"sequence_batching", _sequence),
    (r"ensemble_scheduling", _ensemble),
    (r"sequence_batching\.oldest", _oldest),
    (r"sequence_batching\.direct", _direct),
    (r"sequence_batching\.oldest\.max_candidate_sequences", _candidates),
    (r"(?:dynamic_batching|sequence_batching\.oldest)\.preferred_batch_size", _preferred),
    (r"(?:dynamic_batching|sequence_batching\.oldest)\.max_queue_delay_microseconds", _delay),
    (r"(?:dynamic_batching|sequence_batching\.oldest)\.preserve_ordering", _ordering),
    (r"sequence_batching\.direct\.max_queue_delay_microseconds", _direct_delay),
    (r"sequence_batching\.direct\.minimum_slot_utilization", _share),
    (r"sequence_batching\.max_sequence_idle_microseconds", _idle),
    (r"dynamic_batching\.priority_levels", _levels),
    (r"dynamic_batching\.default_priority_level", _default_level),
    (r"dynamic_batching\.default_queue_policy", _policy),
    (
        r"dynamic_batching\.(?:default_queue_policy|priority_queue_policy\[(\d+)\])"
        r"\.default_timeout_microseconds",
        _timeout,
    ),
    (
        r"dynamic_batching\.(?:default_queue_policy|priority_queue_policy\[(\d+)\])"
        r"\.timeout_action",
        _action,
    ),
    (
        r"dynamic_batching\.(?:default_queue_policy|priority_queue_policy\[(\d+)\])"
        r"\.allow_timeout_override",
        _override,
    ),
    (
        r"dynamic_batching\.(?:default_queue_policy|priority_queue_policy\[(\d+)\])"
        r"\.max_queue_size",
        _queue_size,
    ),
    (r"sequence_batching\.control_input\[(.*)\]", _control),
    (r"sequence_batching\.state\[(.*)\]\.output_name", _state_output),
    (r"sequence_batching\.state\[(.*)\]\.initial_state\[.*\]\..*", _initial),
    (r"sequence_batching\.state\[(.*)\]\..*", _state),
    (r"sequence_batching\.iterative_sequence", _iterative),
    (r"ensemble_scheduling\.step\[(.*)\]\..*", _step),
    (r"ensemble_scheduling\.max_inflight_requests", _inflight),
)
