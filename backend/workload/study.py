"""A study: classes of traffic, each with its model and candidates; the matrix; the seed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from backend.contracts.requests_table import cell_name
from backend.contracts.values import Value
from backend.workload.answers import Answers
from backend.workload.traffic import Traffic

STUDY_SCHEMA = 1

CandidateName = Literal["sequence-direct", "sequence-oldest", "dynamic", "no-batching"]
CANDIDATE_NAMES: tuple[CandidateName, ...] = (
    "sequence-direct",
    "sequence-oldest",
    "dynamic",
    "no-batching",
)

Count = Annotated[int, Field(ge=1)]


class ModelChoice(Value):
    """The model of a class: a template of ``model_templates`` and its parameters."""

    template: str
    parameters: dict[str, int | float | str] = {}


class CandidateChoice(Value):
    """A candidate by name, with plain overrides of what would be proposed."""

    name: CandidateName
    max_batch_size: Annotated[int, Field(ge=0)] | None = None
    preferred_batch_sizes: tuple[Count, ...] | None = None
    max_queue_delay_microseconds: Annotated[int, Field(ge=0)] | None = None
    max_candidate_sequences: Count | None = None
    max_sequence_idle_microseconds: Count | None = None
    minimum_slot_utilization: Annotated[float, Field(ge=0, le=1)] | None = None


class Workload(Value):
    """A class's answers and the shape of its traffic."""

    answers: Answers = Answers()
    traffic: Traffic = Traffic()


class TrafficClass(Value):
    """One kind of traffic with its own model; never shares a scheduler with another (M03, M14)."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
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
        names = [candidate.name for candidate in self.candidates]
        if len(set(names)) != len(names):
            raise ValueError(f"class '{self.name}' names a candidate twice")
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

    instances: tuple[Count, ...] = (1, 2)
    concurrency: tuple[Count, ...] = (8,)
    mix: tuple[str, ...] = ()
    """Names of length mixes; empty: all that a class has (``single`` for independent requests)."""

    @field_validator("instances", "concurrency", "mix")
    @classmethod
    def _distinct(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(set(value)) != len(value):
            raise ValueError("names a value twice")
        return value


SINGLE_MIX = "single"
"""The mix of a class whose sessions are single requests."""


class Study(Value):
    """All that a run needs; what study files hold and what the pages edit."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    title: str = ""
    about: str = ""
    seed: Annotated[int, Field(ge=0)] = 1
    rounds: Count = 3
    runtime: Literal["embedded"] = "embedded"
    triton_release: str = "24.10"
    matrix: Matrix = Matrix()
    classes: Annotated[tuple[TrafficClass, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        names = [item.name for item in self.classes]
        if len(set(names)) != len(names):
            raise ValueError("two classes have one name")
        known = {mix for item in self.classes for mix in item.workload.traffic.mixes}
        for mix in self.matrix.mix:
            if mix not in known and mix != SINGLE_MIX:
                raise ValueError(f"matrix.mix names '{mix}', which no class defines")
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
