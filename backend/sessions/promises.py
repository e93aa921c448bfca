"""What a scheduler promises a stateful model: remarks for right and for lucky choices."""

from __future__ import annotations

from backend.contracts.findings import PropertyVerdict
from backend.modelconfig.candidate import Candidate
from backend.templates.template import Template

STATE_PLACE_PARAMETER = "state_place"
"""A template with this parameter lets the user choose where the model keeps its state."""

_OLDEST_BY_SLOT = (
    "The model keeps its state by position in the batch. Under the oldest strategy that position "
    "is arbitrary: a batch is filled with whichever sequences have a request ready, so a session "
    "can find the state that another one left at its position. Only the direct strategy gives a "
    "sequence one slot for its whole life."
)

_BATCHER = {
    "dynamic": "the dynamic batcher",
    "no-batching": "Triton without a batcher",
}


def state_place(template: Template, candidate: Candidate) -> str:
    """Where the served model keeps its state: its parameter, or the template's only way."""
    values = template.parameter_values(candidate.parameters)
    return str(values.get(STATE_PLACE_PARAMETER, template.state_places[0]))


def unpromised(template: Template, candidate: Candidate) -> str | None:
    """Why a *sequence* batcher does not promise what this model needs; null where it does.

    Without a sequence batcher nothing is promised to any stateful model: see ``scheduler_note``.
    """
    if candidate.name == "sequence-oldest" and state_place(template, candidate) == "slot":
        return _OLDEST_BY_SLOT
    return None


def scheduler_note(
    template: Template, candidate: Candidate, instances: int, verdict: PropertyVerdict
) -> str:
    """What the scheduler's rules say about a verdict on whose context replies used; may be empty.

    Sources: Triton's architecture guide (a stateful model's requests must all reach one instance,
    and one slot of its batch under *direct*; *oldest* gives no fixed position; the dynamic batcher
    is for stateless models).
    """
    place = state_place(template, candidate)
    if not template.stateful or place not in ("slot", "correlation_id") or verdict == "not_shown":
        return ""
    if candidate.is_sequence:
        reason = unpromised(template, candidate)
        if reason is None:
            return ""
        return reason if verdict == "violated" else f"Not a proof. {reason}"
    if verdict == "holds":
        return _survived(_BATCHER[candidate.name], instances)
    return _broken(_BATCHER[candidate.name], candidate, place, instances)


def _survived(batcher: str, instances: int) -> str:
    if instances == 1:
        return (
            f"Held only because one instance served everything; {batcher} promises neither the "
            "order nor the instance of a session's requests."
        )
    return (
        f"Not a proof: {batcher} binds no session to one of the {instances} instances; this time "
        "each request happened to reach its own state."
    )


def _broken(batcher: str, candidate: Candidate, place: str, instances: int) -> str:
    begin = batcher[0].upper() + batcher[1:]
    if place == "slot":
        where = (
            "gives a request any position in the batch"
            if candidate.name == "dynamic" and candidate.max_batch_size > 1
            else "gives every request the same, first position"
        )
        return (
            f"The model keeps its state by position in the batch; {batcher} {where}, whatever its "
            "session."
        )
    if instances > 1:
        return (
            f"{begin} hands a session's next request to whichever of the {instances} instances is "
            "free; the state stayed in the instance that served the one before."
        )
    return f"{begin} promises neither the order nor the instance of a session's requests."
