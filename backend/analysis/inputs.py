"""What a run hands to the analysis: plain values, one per candidate, class and study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from backend.analysis.requests import Arrivals, integers
from backend.contracts.findings import DomainFinding, PropertyFinding
from backend.workload.study import Cell
from backend.workload.traffic import Objectives


@dataclass(frozen=True, eq=False)
class CandidateResult:
    """One candidate of one class, after its trials.

    Attributes:
        name: The candidate.
        table: Rows of the requests table of all finished trials; may be empty (with columns).
        planned: Trials that the study planned for it (cells × rounds).
        properties: What the oracles found, all cells.
        domain: What wrong replies meant to the user, per cell.
        load_failure: Triton's reason, where it refused the model or its configuration.
        server_end: In a sentence, that the server ended or fell silent while it served this
            candidate, and what is known of it.
        unpromised: Why its scheduler does not promise what the class needs, where that is known
            (e.g. state by slot under *oldest*): where it held all the same, that was luck.
        void: By trial number: why its figures say nothing (e.g. the generator's lag).
    """

    name: str
    table: pd.DataFrame
    planned: int
    properties: tuple[PropertyFinding, ...] = ()
    domain: tuple[DomainFinding, ...] = ()
    load_failure: str | None = None
    server_end: str | None = None
    unpromised: str | None = None
    void: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def trials(self) -> tuple[int, ...]:
        """Numbers of the finished trials, void ones too."""
        return tuple(int(trial) for trial in np.unique(integers(self.table, "trial")))

    @cached_property
    def valid_table(self) -> pd.DataFrame:
        """The requests of trials that are not void."""
        if not self.void:
            return self.table
        keep = ~np.isin(integers(self.table, "trial"), list(self.void))
        return self.table[keep].reset_index(drop=True)

    def trials_of(self, cell: str) -> tuple[int, ...]:
        """Numbers of the finished trials in one cell."""
        inside = (self.table["cell"] == cell).to_numpy(dtype=bool)
        return tuple(int(t) for t in np.unique(integers(self.table, "trial")[inside]))


@dataclass(frozen=True, eq=False)
class ClassResult:
    """One class of traffic, after its trials.

    Attributes:
        name: The class.
        proposed: The candidate that the advice proposes; null if none.
        stateful: Whether state stays on the serving side between requests (unknown counts as so;
            state carried whole in each request does not).
        cells: Every setting that the study plans for it.
        candidates: In the order in which pages show them.
        objectives: What the service promised.
        time_scale: By which the plan's gaps were multiplied.
        arrivals: Decides where response time starts.
    """

    name: str
    proposed: str | None
    stateful: bool
    cells: tuple[Cell, ...]
    candidates: tuple[CandidateResult, ...]
    objectives: Objectives = field(default_factory=Objectives)
    time_scale: float = 1.0
    arrivals: Arrivals = "closed_loop"


@dataclass(frozen=True, eq=False)
class StudyResult:
    """A whole run, finished or not.

    Attributes:
        study: The study's name.
        classes: Its classes, in the study's order.
        trials_planned: Trials of the whole study.
        trials_done: Trials that finished.
        interrupted: The run was stopped or killed before its end.
        judged_candidate: The verdict is this candidate's (``--candidate``).
        notes: What else the reader must know.
    """

    study: str
    classes: tuple[ClassResult, ...]
    trials_planned: int
    trials_done: int
    interrupted: bool = False
    judged_candidate: str | None = None
    notes: tuple[str, ...] = ()
