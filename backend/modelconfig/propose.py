"""Proposes a candidate: defaults with a reason for each, and the study's own values over them.

A conservative start: a batch no larger than can form, no voluntary waiting, as many slots as live
sessions, an idle limit that no live session reaches, and nothing that nobody asked for.
"""

from __future__ import annotations

import math
from typing import Any, Final

from backend.modelconfig.candidate import Candidate
from backend.modelconfig.control_inputs import control_inputs
from backend.modelconfig.hardware import placement
from backend.modelconfig.idle_limit import chosen_reason, idle_limit
from backend.modelconfig.implicit_state import check_states, states_reason
from backend.modelconfig.lint.release import EMBEDDED, Release
from backend.modelconfig.queue_policy import ordering_meaning, queueing, sequence_has_none
from backend.modelconfig.release_support import check_release
from backend.modelconfig.replies import transaction
from backend.modelconfig.sizes import Sizes
from backend.modelconfig.tensor_shapes import tensor_shapes
from backend.modelconfig.warm_up import warm_up
from backend.templates.template import Template
from backend.workload.study import CandidateChoice, TrafficClass

MANY_INSTANCES: Final = 8

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
    release: Release = EMBEDDED,
) -> Candidate:
    """The candidate that a study tries for a class.

    Args:
        item: The class; its traffic, answers and demand decide sizes, limits and policies.
        choice: The candidate's name and the study's own values.
        cell_instances: Model instances in this cell.
        max_concurrency: Most sessions that are live at once in the study.
        template: The class's model.
        release: The release of Triton that is to load it.

    Raises:
        InputError: if the study's values do not fit the model, its backend or the release.
    """
    draft = _Draft(item, choice, cell_instances, max_concurrency, template, release)
    candidate = draft.candidate()
    check_release(candidate, template, release)
    return candidate


class _Draft:
    """Collects the values of one candidate and the reason of each."""

    def __init__(
        self,
        item: TrafficClass,
        choice: CandidateChoice,
        instances: int,
        concurrency: int,
        template: Template,
        release: Release,
    ) -> None:
        self._item = item
        self._traffic = item.workload.traffic
        self._answers = item.workload.answers
        self._demand = item.workload.demand
        self._declared = item.model.declared
        self._choice = choice
        self._instances = instances
        # what is asked of the real service outweighs what a test plays
        self._live = max(1, concurrency, self._demand.live_sessions or 0)
        self._template = template
        self._release = release
        self._reasons: dict[str, str] = {"scheduler": _SCHEDULER_REASONS[choice.name]}

    def candidate(self) -> Candidate:
        values = self._sizes()
        values |= self._tensors()
        self._instances_and_parameters(values)
        self._model_reasons()
        if self._choice.name == "dynamic":
            values |= self._queueing(values["max_batch_size"])
        ids = self._answers.correlation_id.type
        candidate = Candidate(
            name=self._choice.name,
            model_name=self._item.name,
            template=self._template.name,
            parameters=dict(self._template.parameter_values(self._item.model.parameters)),
            instances=self._instances,
            correlation_id_type="string" if ids == "string" else "uint64",
            **values,
        )
        if candidate.is_sequence:
            candidate = self._sequence(candidate)
        warmed = warm_up(candidate, self._template, self._choice.warm_up)
        self._reasons["warm_up_batch_sizes"] = warmed.reason
        return candidate.model_copy(
            update={"warm_up_batch_sizes": warmed.batch_sizes, "reasons": self._reasons}
        )

    def _sizes(self) -> dict[str, Any]:
        name = self._choice.name
        sizes = Sizes(
            self._choice,
            class_name=self._item.name,
            template=self._template,
            instances=self._instances,
            live=self._live,
            reasons=self._reasons,
        )
        batch = sizes.max_batch_size()
        values: dict[str, Any] = {"max_batch_size": batch}
        if name in ("dynamic", "sequence-oldest"):
            values["preferred_batch_sizes"] = sizes.preferred(batch)
        if name != "no-batching":
            values["max_queue_delay_microseconds"] = sizes.delay()
        if name == "sequence-direct":
            values["minimum_slot_utilization"] = sizes.utilization()
        if name == "sequence-oldest":
            values["max_candidate_sequences"] = sizes.candidates(batch)
        return values

    def _tensors(self) -> dict[str, Any]:
        name, template = self._choice.name, self._template
        shapes = tensor_shapes(template, self._declared, self._answers.shapes, name)
        if shapes.reason:
            self._reasons["tensors"] = shapes.reason
        states = self._declared.states if self._declared is not None else ()
        if self._declared is not None:
            check_states(self._declared, template.backend, name)
        if states:
            self._reasons["states"] = states_reason(states, name)
        replies = transaction(template, self._answers.replies, declared=self._declared is not None)
        if replies.reason:
            self._reasons["decoupled"] = replies.reason
        return {
            "ragged_inputs": shapes.ragged,
            "optional_inputs": shapes.optional,
            "states": states,
            "decoupled": replies.decoupled,
        }

    def _instances_and_parameters(self, values: dict[str, Any]) -> None:
        where = placement(
            self._template,
            self._answers.serving.hardware,
            self._choice.instance_kind,
            declared=self._declared is not None,
        )
        values["instance_kind"] = where.kind
        text = (
            f"{_counted(self._instances, 'model instance')}, as this cell of the study sets. "
            f"{where.reason}"
        )
        if self._instances > 1 and self._template.stateful:
            text += " Each instance has a state of its own."
        if self._instances > MANY_INSTANCES:
            text += " Many for a start: watch memory and whether each instance still gets a core."
        self._reasons["instances"] = text
        if self._template.parameters:
            self._reasons["parameters"] = (
                f"Settings of the model template '{self._template.name}', read by its model.py."
            )

    def _model_reasons(self) -> None:
        self._reasons["versions_served"] = (
            "The newest version alone is served: Triton's own default, written out so that a new "
            "version folder replaces the old one and never stands beside it."
        )
        if self._template.backend == "custom":
            self._reasons["backend"] = (
                "'custom' stands for a backend of your own: write the name of its folder here."
            )
        if self._template.backend == "tensorflow":
            self._reasons["platform"] = (
                "TensorFlow needs it written out: the usual format; write tensorflow_graphdef for "
                "the other one."
            )
        if self._template.stateful:
            return
        # M14: the file is where somebody would otherwise add a class to a model that is there
        self._reasons["model_name"] = (
            "A model of its own for requests that stand alone: requests of sessions go to another "
            "model, since the two never share a scheduler."
        )

    def _queueing(self, max_batch_size: int) -> dict[str, Any]:
        queue = queueing(
            self._choice,
            self._demand,
            instances=self._instances,
            max_batch_size=max_batch_size,
            release=self._release,
        )
        self._reasons |= queue.reasons
        if queue.not_proposed:
            self._reasons["scheduler"] += f"\n{queue.not_proposed}"
        return {
            "queue_policy": queue.policy,
            "priority_levels": queue.priority_levels,
            "default_priority_level": queue.default_priority_level,
            "preserve_ordering": queue.preserve_ordering,
        }

    def _sequence(self, candidate: Candidate) -> Candidate:
        """What only sequences have: control inputs, slots, an idle limit."""
        if lacks := sequence_has_none(self._demand):
            self._reasons["scheduler"] += f"\n{lacks}"
        controls = control_inputs(
            candidate.name,
            self._answers.correlation_id,
            self._template.backend,
            release=self._release,
            finds_by_id=not candidate.states and self._template.state_places[0] == "correlation_id",
            state_in_triton=bool(candidate.states),
        )
        self._reasons["correlation_id_type"] = controls.reason
        self._slots_reason(candidate)
        update: dict[str, Any] = {
            "controls": controls.inputs,
            "max_sequence_idle_microseconds": self._idle_microseconds(candidate),
        }
        if self._choice.preserve_ordering is not None:
            update["preserve_ordering"] = self._choice.preserve_ordering
            if self._choice.preserve_ordering:
                meaning = ordering_meaning(self._release)
                self._reasons["preserve_ordering"] = f"Set by the study. {meaning}"
        return candidate.model_copy(update=update)

    def _slots_reason(self, candidate: Candidate) -> None:
        slots, each = candidate.slots or 0, candidate.slots_per_instance or 1
        field = (
            "max_batch_size" if candidate.name == "sequence-direct" else "max_candidate_sequences"
        )
        formula = f"Slots: {self._instances} x {field} {each} = {slots}"
        if slots >= self._live:
            self._reasons["slots"] = f"{formula}, for {self._live} live sessions."
            return
        self._reasons["slots"] = (
            f"{formula}, fewer than the {self._live} live sessions: newcomers wait until a "
            f"session ends. Enough would be {field} of at least "
            f"{math.ceil(self._live / self._instances)}, or at least "
            f"{math.ceil(self._live / each)} instances (instances x {field} >= live "
            "sessions)."
        )

    def _idle_microseconds(self, candidate: Candidate) -> int:
        slots = candidate.slots or self._live
        per_instance = math.ceil(min(self._live, slots) / self._instances)
        limit = idle_limit(
            self._traffic,
            sessions_ahead=math.ceil(self._live / slots) - 1,
            execution_ms=self._demand.execution_ms,
            executions_ahead=math.ceil(per_instance / max(1, candidate.max_batch_size)),
        )
        chosen = self._choice.max_sequence_idle_microseconds
        self._reasons["max_sequence_idle_microseconds"] = (
            limit.reason if chosen is None else chosen_reason(chosen, limit)
        )
        return limit.seconds * 1_000_000 if chosen is None else chosen


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
