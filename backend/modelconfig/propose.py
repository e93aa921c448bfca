"""Proposes a candidate: defaults with a reason for each, and the study's own values over them.

A conservative start: a batch no larger than can form, no voluntary waiting, as many slots as live
sessions, and an idle limit that no live session reaches.
"""

from __future__ import annotations

import math
from typing import Any, Final

from backend.contracts.errors import InputError
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.idle_limit import idle_limit
from backend.templates.template import Template
from backend.workload.answers import IdType
from backend.workload.study import CandidateChoice, TrafficClass
from backend.workload.traffic import Traffic

LONG_DELAY_MS: Final = 100.0
MANY_INSTANCES: Final = 8
SPARE_SLOTS: Final = 1.25

_SCHEDULER_REASONS: Final = {
    "no-batching": (
        "No scheduler section: Triton's default scheduler executes every request by itself, in "
        "order of arrival, on any idle instance. The baseline: what batching costs or gains is "
        "measured against it. Nothing keeps a session on one instance."
    ),
    "dynamic": (
        "Merges waiting requests, whichever session they belong to, and runs them on any idle "
        "instance. Right only for requests that each stand alone."
    ),
    "sequence-direct": (
        "Keeps a session on one instance and in one slot, its place in every batch, from START to "
        "END. Needed by a model that finds its state by position."
    ),
    "sequence-oldest": (
        "Keeps a session on one instance and runs one of its requests at a time; its position in "
        "a batch changes. For a model that finds its state by correlation ID."
    ),
}


def propose_candidate(
    item: TrafficClass,
    choice: CandidateChoice,
    cell_instances: int,
    max_concurrency: int,
    template: Template,
) -> Candidate:
    """The candidate that a study tries for a class.

    Args:
        item: The class; its traffic and answers decide sizes and the idle limit.
        choice: The candidate's name and the study's own values.
        cell_instances: Model instances in this cell.
        max_concurrency: Most sessions that are live at once in the study.
        template: The class's model.

    Raises:
        InputError: if the study's values do not fit the model.
    """
    draft = _Draft(item, choice, cell_instances, max_concurrency, template)
    return draft.candidate()


class _Draft:
    """Collects the values of one candidate and the reason of each."""

    def __init__(
        self,
        item: TrafficClass,
        choice: CandidateChoice,
        instances: int,
        concurrency: int,
        template: Template,
    ) -> None:
        self._traffic: Traffic = item.workload.traffic
        self._id_type: IdType = item.workload.answers.correlation_id.type
        self._item = item
        self._choice = choice
        self._instances = instances
        self._concurrency = max(1, concurrency)
        self._template = template
        self._reasons: dict[str, str] = {"scheduler": _SCHEDULER_REASONS[choice.name]}

    def candidate(self) -> Candidate:
        name = self._choice.name
        values: dict[str, Any] = {"max_batch_size": self._max_batch_size()}
        if name in ("dynamic", "sequence-oldest"):
            values["preferred_batch_sizes"] = self._preferred(values["max_batch_size"])
        if name != "no-batching":
            values["max_queue_delay_microseconds"] = self._delay()
        if name == "sequence-direct":
            values["minimum_slot_utilization"] = self._utilization()
        if name == "sequence-oldest":
            values["max_candidate_sequences"] = self._candidates(values["max_batch_size"])
        self._reasons["instances"] = self._instances_reason()
        if self._template.parameters:
            self._reasons["parameters"] = (
                f"Settings of the model template '{self._template.name}', read by its model.py."
            )
        candidate = Candidate(
            name=name,
            model_name=self._item.name,
            template=self._template.name,
            parameters=dict(self._template.parameter_values(self._item.model.parameters)),
            instances=self._instances,
            correlation_id_type="string" if self._id_type == "string" else "uint64",
            **values,
        )
        if candidate.is_sequence:
            self._slots_reason(candidate)
            self._id_reason(candidate)
            limit = self._idle_microseconds(candidate)
            candidate = candidate.model_copy(update={"max_sequence_idle_microseconds": limit})
        return candidate.model_copy(update={"reasons": self._reasons})

    def _given(self, field: str, meaning: str) -> None:
        self._reasons[field] = f"Set by the study. {meaning}"

    def _max_batch_size(self) -> int:
        most = self._template.max_batch_size
        chosen = self._choice.max_batch_size
        if chosen is not None:
            if not 1 <= chosen <= most:
                raise InputError(
                    f"max_batch_size is {chosen} for '{self._choice.name}' of the class "
                    f"'{self._item.name}'.",
                    why=f"The model '{self._template.name}' has a batch dimension and takes at "
                    f"most {most} requests in one execution.",
                    next_step=f"Set it between 1 and {most}, or leave it out.",
                    key="max_batch_size",
                )
            self._given("max_batch_size", f"The model takes up to {most}.")
            return chosen
        if self._choice.name == "no-batching":
            self._reasons["max_batch_size"] = (
                "The default scheduler merges nothing; 1 keeps the batch dimension, so that "
                "clients send the same tensors as to the other candidates."
            )
            return 1
        size = min(most, self._concurrency)
        self._reasons["max_batch_size"] = (
            f"At most {self._concurrency} requests wait at once (one per live session), so no "
            f"larger batch can form; the model takes up to {most}."
            if size == self._concurrency
            else f"The most that the model takes in one execution; {self._concurrency} sessions "
            "are live at once."
        )
        return size

    def _preferred(self, max_batch_size: int) -> tuple[int, ...]:
        chosen = self._choice.preferred_batch_sizes
        for size in chosen or ():
            if size > max_batch_size:
                raise InputError(
                    f"A preferred batch size of {size} for '{self._choice.name}' of the class "
                    f"'{self._item.name}' is above max_batch_size {max_batch_size}.",
                    next_step=f"Set it to at most {max_batch_size}, or leave it out.",
                    key="preferred_batch_sizes",
                )
        if chosen:
            meaning = "A batch freezes at the first of these sizes that is reached."
            self._given("preferred_batch_sizes", meaning)
            return chosen
        self._reasons["preferred_batch_sizes"] = (
            f"preferred_batch_size is left out: Triton takes max_batch_size ({max_batch_size}). "
            "A smaller size would freeze batches early while an instance is busy."
        )
        return ()

    def _delay(self) -> int:
        chosen = self._choice.max_queue_delay_microseconds
        if chosen is None:
            self._reasons["max_queue_delay_microseconds"] = (
                "0: no request waits for others on purpose; batches form from what waits anyway "
                "while the instances are busy. Raise it only after measuring."
            )
            return 0
        meaning = "The longest that a request waits for others although an instance is idle."
        if self._choice.name == "sequence-direct" and not self._choice.minimum_slot_utilization:
            meaning = "It does nothing while minimum_slot_utilization is 0."
        elif chosen > LONG_DELAY_MS * 1000:
            meaning += (
                f" {chosen / 1000:g} ms is long for a start: watch the queue time at p99 and the "
                "batch sizes that it buys."
            )
        self._given("max_queue_delay_microseconds", meaning)
        return chosen

    def _utilization(self) -> float:
        chosen = self._choice.minimum_slot_utilization
        if chosen is None:
            self._reasons["minimum_slot_utilization"] = (
                "0: a batch goes as soon as the instance is free, however few slots are ready."
            )
            return 0.0
        meaning = "A batch waits until this share of max_batch_size is ready, or the delay is over."
        if not self._choice.max_queue_delay_microseconds:
            meaning = "It does nothing while max_queue_delay_microseconds is 0."
        self._given("minimum_slot_utilization", meaning)
        return chosen

    def _candidates(self, max_batch_size: int) -> int:
        chosen = self._choice.max_candidate_sequences
        if chosen is not None:
            meaning = "Sequences that each instance takes on at once."
            if chosen < max_batch_size:
                meaning += f" Below max_batch_size ({max_batch_size}) no full batch can form."
            elif chosen > 4 * self._concurrency:
                meaning += (
                    f" Far more than the {self._concurrency} live sessions: watch the memory of "
                    "each instance and the time between a session's requests."
                )
            self._given("max_candidate_sequences", meaning)
            return chosen
        needed = math.ceil(SPARE_SLOTS * self._concurrency / self._instances)
        count = max(max_batch_size, needed)
        self._reasons["max_candidate_sequences"] = (
            f"Per instance: {self._concurrency} live sessions and a quarter more over "
            f"{_counted(self._instances, 'instance')} gives {needed}; at least max_batch_size, so "
            "that a full batch can form."
        )
        return count

    def _instances_reason(self) -> str:
        text = (
            f"{_counted(self._instances, 'model instance')}, as this cell of the study sets. The "
            "model computes on the CPU."
        )
        if self._instances > 1 and self._template.stateful:
            text += " Each instance has a state of its own."
        if self._instances > MANY_INSTANCES:
            text += " Many for a start: watch memory and whether each instance still gets a core."
        return text

    def _slots_reason(self, candidate: Candidate) -> None:
        slots, each = candidate.slots or 0, candidate.slots_per_instance or 1
        field = (
            "max_batch_size" if candidate.name == "sequence-direct" else ("max_candidate_sequences")
        )
        formula = f"Slots: {self._instances} x {field} {each} = {slots}"
        if slots >= self._concurrency:
            self._reasons["slots"] = f"{formula}, for {self._concurrency} live sessions."
            return
        self._reasons["slots"] = (
            f"{formula}, fewer than the {self._concurrency} live sessions: newcomers wait until a "
            f"session ends. Enough would be {field} of at least "
            f"{math.ceil(self._concurrency / self._instances)}, or at least "
            f"{math.ceil(self._concurrency / each)} instances (instances x {field} >= live "
            "sessions)."
        )

    def _id_reason(self, candidate: Candidate) -> None:
        if candidate.name == "sequence-direct":
            text = (
                "START and END tell the model where a session begins and ends; READY tells a "
                "request from the padding that fills a silent slot."
            )
        elif candidate.correlation_id_type == "string":
            text = (
                "START and END tell the model where a session begins and ends. No CORRID: Triton's "
                "Python backend cannot be given text ids; the model asks the request."
            )
        else:
            text = (
                "START and END tell the model where a session begins and ends; CORRID which "
                "session a request belongs to. Send whole numbers only: on release 24.10 a text id "
                "can end the server."
            )
            if self._id_type == "unknown":
                text += " The study does not say which ids are sent; whole numbers are assumed."
        self._reasons["correlation_id_type"] = text

    def _idle_microseconds(self, candidate: Candidate) -> int:
        chosen = self._choice.max_sequence_idle_microseconds
        if chosen is not None:
            meaning = (
                "Counted from the arrival of a session's last request: it must exceed queue, "
                "execution and the client's pause together."
            )
            self._given("max_sequence_idle_microseconds", meaning)
            return chosen
        slots = candidate.slots or self._concurrency
        ahead = math.ceil(self._concurrency / slots) - 1
        limit = idle_limit(self._traffic, sessions_ahead=ahead)
        self._reasons["max_sequence_idle_microseconds"] = limit.reason
        return limit.seconds * 1_000_000


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
