"""The sizes of a candidate: batch, preferred batches, delay, slots; each with its reason (M13).

A conservative start: a batch no larger than can form, no voluntary waiting, as many slots as live
sessions. What is far from that is flagged with what to watch.
"""

from __future__ import annotations

import math
from typing import Final

from backend.contracts.errors import InputError
from backend.templates.template import Template
from backend.workload.study import CandidateChoice

LONG_DELAY_MS: Final = 100.0
LARGE_BATCH: Final = 64
MANY_SLOTS: Final = 256
SPARE_SLOTS: Final = 1.25


class Sizes:
    """Works out one candidate's sizes; ``reasons`` collects why each has its value."""

    def __init__(
        self,
        choice: CandidateChoice,
        *,
        class_name: str,
        template: Template,
        instances: int,
        live: int,
        reasons: dict[str, str],
    ) -> None:
        """Keep what sizes depend on.

        Args:
            choice: The candidate's name and the study's own values.
            class_name: The class, for messages.
            template: Its model.
            instances: Model instances.
            live: Most sessions that are live at once.
            reasons: Where reasons go, by the candidate's field.
        """
        self._choice = choice
        self._class = class_name
        self._template = template
        self._instances = instances
        self._live = live
        self._reasons = reasons

    def _given(self, field: str, meaning: str) -> None:
        self._reasons[field] = f"Set by the study. {meaning}"

    def max_batch_size(self) -> int:
        """Most requests in one execution; 0 where the model has no batch dimension.

        Raises:
            InputError: if the study's value does not fit the model.
        """
        most = self._template.max_batch_size
        chosen = self._choice.max_batch_size
        if most == 0:
            if chosen:
                raise self._batch_error(chosen, "has no batch dimension", "Set it to 0")
            self._reasons["max_batch_size"] = (
                "0: the model has no batch dimension; every request is executed by itself."
            )
            return 0
        if chosen is not None:
            if not 1 <= chosen <= most:
                takes = f"has a batch dimension and takes at most {most} requests in one execution"
                raise self._batch_error(chosen, takes, f"Set it between 1 and {most}")
            self._given("max_batch_size", f"The model takes up to {most}.{_large(chosen)}")
            return chosen
        if self._choice.name == "no-batching":
            self._reasons["max_batch_size"] = (
                "The default scheduler merges nothing; 1 keeps the batch dimension, so that "
                "clients send the same tensors as to the other candidates."
            )
            return 1
        size = min(most, self._live)
        self._reasons["max_batch_size"] = (
            f"At most {self._live} requests wait at once (one per live session), so no "
            f"larger batch can form; the model takes up to {most}."
            if size == self._live
            else f"The most that the model takes in one execution; {self._live} sessions "
            "are live at once."
        ) + _large(size)
        return size

    def _batch_error(self, chosen: int, takes: str, do: str) -> InputError:
        return InputError(
            f"max_batch_size is {chosen} for '{self._choice.name}' of the class '{self._class}'.",
            why=f"The model '{self._template.name}' {takes}.",
            next_step=f"{do}, or leave it out.",
            key="max_batch_size",
        )

    def preferred(self, max_batch_size: int) -> tuple[int, ...]:
        """The preferred batch sizes; none for Triton's own.

        Raises:
            InputError: if one is larger than a batch can be.
        """
        chosen = self._choice.preferred_batch_sizes
        for size in chosen or ():
            if size > max_batch_size:
                raise InputError(
                    f"A preferred batch size of {size} for '{self._choice.name}' of the class "
                    f"'{self._class}' is above max_batch_size {max_batch_size}.",
                    next_step=f"Set it to at most {max_batch_size}, or leave it out.",
                    key="preferred_batch_sizes",
                )
        if chosen:
            meaning = (
                "A batch that waits for others goes at once when it reaches one of these sizes."
                if self._choice.max_queue_delay_microseconds
                else "While the instances are busy, a batch stops growing at the first of these "
                "sizes that it reaches."
            )
            self._given("preferred_batch_sizes", meaning)
            return chosen
        if max_batch_size == 0:
            return ()
        self._reasons["preferred_batch_sizes"] = (
            f"preferred_batch_size is left out: Triton takes max_batch_size ({max_batch_size}). "
            "A smaller size would freeze batches early while an instance is busy."
        )
        return ()

    def delay(self) -> int:
        """Microseconds that a request waits for others on purpose."""
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
        elif 1 in (self._choice.preferred_batch_sizes or ()):
            meaning = "It holds no lone request back: 1 is among the preferred batch sizes."
        elif chosen > LONG_DELAY_MS * 1000:
            meaning += (
                f" {chosen / 1000:g} ms is long for a start: watch the queue time at p99 and the "
                "batch sizes that it buys."
            )
        self._given("max_queue_delay_microseconds", meaning)
        return chosen

    def utilization(self) -> float:
        """The share of slots that a batch of the direct strategy waits for."""
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

    def candidates(self, max_batch_size: int) -> int:
        """Sequences that each instance takes on at once, under the oldest strategy."""
        chosen = self._choice.max_candidate_sequences
        if chosen is not None:
            meaning = "Sequences that each instance takes on at once."
            if chosen < max_batch_size:
                meaning += f" Below max_batch_size ({max_batch_size}) no full batch can form."
            elif chosen > 4 * self._live:
                meaning += f" Far more than the {self._live} live sessions: {_SLOTS_TO_WATCH}"
            self._given("max_candidate_sequences", meaning)
            return chosen
        needed = math.ceil(SPARE_SLOTS * self._live / self._instances)
        count = max(max_batch_size, needed)
        among = "1 instance" if self._instances == 1 else f"{self._instances} instances"
        reason = (
            f"Per instance: {self._live} live sessions and a quarter more over "
            f"{among} gives {needed}; at least max_batch_size, so that a full batch can form."
        )
        if count > MANY_SLOTS:
            reason += f" Many for a start: {_SLOTS_TO_WATCH}"
        self._reasons["max_candidate_sequences"] = reason
        return count


_SLOTS_TO_WATCH: Final = (
    "watch the memory of each instance and the time between a session's requests."
)


def _large(size: int) -> str:
    if size <= LARGE_BATCH:
        return ""
    return (
        f" {size} is large for a start: watch the execution time of a full batch, which every "
        "request in it waits for, and the memory that it takes."
    )
