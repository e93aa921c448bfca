"""How long a test may take: from an earlier run of the same traffic here, or roughly from its plan.

For choosing a matrix, not for promising: the run itself says from its finished trials when it ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

from backend.contracts.errors import InputError
from backend.contracts.home import Home
from backend.contracts.run_directory import RunDirectory
from backend.contracts.values import Value
from backend.studies.results import list_runs
from backend.templates.reader import load_template
from backend.workload.study import Cell, Study, TrafficClass
from backend.workload.study_file import load_study

LOADING_S: Final = 3.0
"""A trial beside its requests: load the model fresh, warm every instance, read the trace."""

UNKNOWN_SERVICE_MS: Final = 5.0
"""Service time of a model that does not say its own."""

_LOOK_BACK: Final = 20


class Expectation(Value):
    """Seconds that a test may take, and what the figure rests on."""

    seconds: float
    basis: Literal["an earlier run", "its plan"]


def expected_duration(study: Study, candidates: Mapping[str, int], home: Home) -> Expectation:
    """How long a study may take.

    Args:
        study: The study.
        candidates: How many candidates each class tries, by its name.
        home: Where earlier runs are looked for.
    """
    known = _seconds_per_request(study, home)
    seconds = 0.0
    for item in study.classes:
        for cell in study.cells(item):
            each = _planned_s(item, cell) if known is None else known * requests(item, cell)
            seconds += study.rounds * candidates[item.name] * (LOADING_S + each)
    return Expectation(seconds=seconds, basis="its plan" if known is None else "an earlier run")


def requests(item: TrafficClass, cell: Cell) -> float:
    """Requests that a trial sends, on average over the plans that a seed can give."""
    groups = item.workload.traffic.mixes.get(cell.mix, ())
    length = sum(group.share * sum(group.steps) / 2 for group in groups) or 1.0
    return item.workload.traffic.sessions * length


def _planned_s(item: TrafficClass, cell: Cell) -> float:
    traffic = item.workload.traffic
    parameters = item.model.parameters
    try:
        parameters = load_template(item.model.template).parameter_values(parameters)
    except InputError:
        # the missing template is reported where the study is run; the estimate stays rough
        parameters = dict(parameters)
    service = sum(
        float(value) for name, value in parameters.items()
        if name.startswith("service_ms") and not isinstance(value, str)
    ) or UNKNOWN_SERVICE_MS  # fmt: skip
    # every session waits for its reply and its pause; live sessions do so at the same time, the
    # instances serve one after another
    total = requests(item, cell)
    waiting = total * (traffic.gaps.mean_ms * traffic.time_scale + service) / cell.concurrency
    serving = total * service / cell.instances
    return max(waiting, serving) / 1000


def _seconds_per_request(study: Study, home: Home) -> float | None:
    """Measured seconds per request of the latest finished run with this traffic and model."""
    for run in list_runs(home)[:_LOOK_BACK]:
        try:
            earlier = load_study(run.study)
        except InputError:
            # a run of another version, or one that is only beginning: no use as a measure
            continue
        same = len(earlier.classes) == len(study.classes) and all(
            (a.workload, a.model) == (b.workload, b.model)
            for a, b in zip(earlier.classes, study.classes, strict=True)
        )
        if same and earlier.matrix.concurrency == study.matrix.concurrency:
            seconds, trials = _measured(run)
            cells = [(item, cell) for item in earlier.classes for cell in earlier.cells(item)]
            mean = sum(requests(item, cell) for item, cell in cells) / len(cells)
            if trials and mean:
                return max(0.0, seconds / trials - LOADING_S) / mean
    return None


def _measured(run: RunDirectory) -> tuple[float, int]:
    events = run.read_events()
    finished = [event for event in events if event["event"] == "trial_finished"]
    begun = [event for event in events if event["event"] == "trial_started"]
    if not finished or not begun:
        return 0.0, 0
    end, start = (datetime.fromisoformat(e["at"]) for e in (finished[-1], begun[0]))
    return (end - start).total_seconds(), len(finished)
