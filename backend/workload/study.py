"""A study: classes of traffic, each with its model and candidates; the matrix; the seed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from backend.contracts.requests_table import cell_name
from backend.contracts.values import Value
from backend.workload.answers import Answers
from backend.workload.declared_model import DeclaredModel
from backend.workload.demand import Demand
from backend.workload.placed_error import placed_error
from backend.workload.traffic import Traffic

STUDY_SCHEMA = 1

CandidateName = Literal["sequence-direct", "sequence-oldest", "dynamic", "no-batching"]
CANDIDATE_NAMES: tuple[CandidateName, ...] = (
    "sequence-direct",
    "sequence-oldest",
    "dynamic",
    "no-batching",
)

Count = Annotated[int, Field(ge=1, le=1_000_000)]
Microseconds = Annotated[int, Field(ge=0, le=86_400_000_000)]
"""Up to a day."""


Instances = Annotated[int, Field(ge=1, le=64)]
Concurrency = Annotated[int, Field(ge=1, le=10_000)]


class ModelChoice(Value):
    """The model of a class: a template of ``model_templates`` and its parameters.

    Or ``declared``: tensors alone, for which a configuration is proposed but nothing can run.
    """

    template: str = ""
    parameters: dict[str, int | float | str] = {}
    declared: DeclaredModel | None = None

    @model_validator(mode="after")
    def _one(self) -> ModelChoice:
        if not self.template and self.declared is None:
            raise placed_error(
                "a class needs a model: it has neither a template nor declared tensors",
                right="Add 'template' with the name of a model template, or 'declared' with the "
                "model's tensors.",
            )
        if self.declared is not None and (self.template or self.parameters):
            own = "template" if self.template else "parameters"
            raise placed_error(
                f"a model that is declared by its tensors has no {own}",
                own,
                right=f"Remove '{own}', or 'declared'.",
            )
        return self


_ANY_SCHEDULER: tuple[str, ...] = ("max_batch_size", "instance_kind", "warm_up")
_OVERRIDES: dict[CandidateName, tuple[str, ...]] = {
    "sequence-direct": (
        *_ANY_SCHEDULER,
        "max_queue_delay_microseconds",
        "max_sequence_idle_microseconds",
        "minimum_slot_utilization",
    ),
    "sequence-oldest": (
        *_ANY_SCHEDULER,
        "preferred_batch_sizes",
        "max_queue_delay_microseconds",
        "max_candidate_sequences",
        "max_sequence_idle_microseconds",
        "preserve_ordering",
    ),
    "dynamic": (
        *_ANY_SCHEDULER,
        "preferred_batch_sizes",
        "max_queue_delay_microseconds",
        "preserve_ordering",
        "queue_timeout_microseconds",
        "timeout_action",
        "max_queue_size",
        "priority_levels",
        "default_priority_level",
    ),
    "no-batching": _ANY_SCHEDULER,
}
"""What each candidate's scheduler section has a field for."""


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


Sizes = Annotated[tuple[Count, ...], BeforeValidator(_as_tuple)]
"""Also takes a list: the names of candidates are unfolded before a file's lists become tuples."""


class CandidateChoice(Value):
    """A candidate by name, with plain overrides of what would be proposed."""

    name: CandidateName
    max_batch_size: Annotated[int, Field(ge=0, le=65_536)] | None = None
    preferred_batch_sizes: Sizes | None = None
    max_queue_delay_microseconds: Microseconds | None = None
    max_candidate_sequences: Count | None = None
    max_sequence_idle_microseconds: Annotated[Microseconds, Field(ge=1)] | None = None
    minimum_slot_utilization: Annotated[float, Field(ge=0, le=1)] | None = None
    preserve_ordering: bool | None = None
    queue_timeout_microseconds: Microseconds | None = None
    """0: no request expires in the queue, whatever the demand says of deadlines."""
    timeout_action: Literal["REJECT", "DELAY"] | None = None
    """What happens to an expired request: refused, or served after those that are in time."""
    max_queue_size: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    """0: the queue has no end, whatever the demand says of deadlines."""
    priority_levels: Annotated[int, Field(ge=0, le=100)] | None = None
    """0: all requests are alike, whatever the demand says of priorities."""
    default_priority_level: Annotated[int, Field(ge=1, le=100)] | None = None
    """The level of a request that names none; 1 goes first."""
    instance_kind: Literal["KIND_CPU", "KIND_GPU", "KIND_MODEL"] | None = None
    warm_up: bool | None = None
    """Whether Triton executes the model with zeros, in each batch size that matters, at load."""

    @model_validator(mode="after")
    def _fitting(self) -> CandidateChoice:
        allowed = _OVERRIDES[self.name]
        for field in type(self).model_fields:
            if field != "name" and field not in allowed and getattr(self, field) is not None:
                raise placed_error(
                    f"'{self.name}' has no {field}; it has {', '.join(allowed)}", field
                )
        for index, size in enumerate(self.preferred_batch_sizes or ()):
            if self.max_batch_size is not None and size > self.max_batch_size:
                raise placed_error(
                    f"a preferred batch size of {size} is above max_batch_size "
                    f"{self.max_batch_size}",
                    "preferred_batch_sizes",
                    index,
                )
        return self


class Workload(Value):
    """A class's answers, the traffic that a test plays, and what is asked of the real service."""

    answers: Answers = Answers()
    traffic: Traffic = Traffic()
    demand: Demand = Demand()


class TrafficClass(Value):
    """One kind of traffic with its own model; never shares a scheduler with another (M03, M14)."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
    about: str = ""
    workload: Workload = Workload()
    model: ModelChoice
    candidates: tuple[CandidateChoice, ...] = ()
    """Empty: the candidates that the recommendation proposes to compare."""

    @field_validator("candidates", mode="before")
    @classmethod
    def _names(cls, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return tuple({"name": item} if isinstance(item, str) else item for item in value)
        return value

    @model_validator(mode="after")
    def _once(self) -> TrafficClass:
        seen: set[str] = set()
        for index, candidate in enumerate(self.candidates):
            if candidate.name in seen:
                raise placed_error(
                    f"the class names the candidate '{candidate.name}' twice", "candidates", index
                )
            seen.add(candidate.name)
        return self


class Cell(Value):
    """One setting of the matrix."""

    instances: Count
    concurrency: Count
    mix: str

    @property
    def name(self) -> str:
        """As tables and findings carry it."""
        return cell_name(self.instances, self.concurrency, self.mix)


class Matrix(Value):
    """The settings under which every candidate is tried: the product of the lists."""

    instances: Annotated[tuple[Instances, ...], Field(min_length=1)] = (1, 2)
    concurrency: Annotated[tuple[Concurrency, ...], Field(min_length=1)] = (8,)
    mix: tuple[str, ...] = ()
    """Names of length mixes; empty: all that a class has (``single`` for independent requests)."""

    @field_validator("instances", "concurrency", "mix")
    @classmethod
    def _distinct(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        for index, item in enumerate(value):
            if item in value[:index]:
                raise placed_error(f"the list names {item} twice", index)
        return value


SINGLE_MIX = "single"
"""The mix of a class whose sessions are single requests."""


class Study(Value):
    """All that a run needs; what study files hold and what the pages edit."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=64)]
    title: str = ""
    about: str = ""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    rounds: Annotated[int, Field(ge=1, le=1_000)] = 3
    runtime: Literal["embedded"] = "embedded"
    triton_release: str = "24.10"
    matrix: Matrix = Matrix()
    classes: Annotated[tuple[TrafficClass, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        seen: set[str] = set()
        for index, item in enumerate(self.classes):
            if item.name in seen:
                raise placed_error(
                    f"two classes have the name '{item.name}'", "classes", index, "name"
                )
            seen.add(item.name)
        known = {mix for item in self.classes for mix in item.workload.traffic.mixes}
        for index, mix in enumerate(self.matrix.mix):
            if mix not in known and mix != SINGLE_MIX:
                raise placed_error(
                    f"matrix.mix names '{mix}', which no class defines; "
                    f"defined: {', '.join(sorted(known)) or 'none'}",
                    "matrix",
                    "mix",
                    index,
                )
        return self

    def class_named(self, name: str) -> TrafficClass:
        """The class of that name (KeyError if there is none)."""
        for item in self.classes:
            if item.name == name:
                return item
        raise KeyError(name)

    def cells(self, item: TrafficClass) -> tuple[Cell, ...]:
        """The cells of one class, in the matrix's order."""
        own = tuple(item.workload.traffic.mixes) or (SINGLE_MIX,)
        mixes = tuple(mix for mix in own if not self.matrix.mix or mix in self.matrix.mix) or own
        return tuple(
            Cell(instances=instances, concurrency=concurrency, mix=mix)
            for instances in self.matrix.instances
            for concurrency in self.matrix.concurrency
            for mix in mixes
        )
