"""Judges a model that cannot be looked into: its replies must equal those of an isolated replay.

The reference is each session replayed alone, one after another, on a freshly loaded single
instance (the plan of :func:`backend.sessions.planning.make_reference_plan`). A wrong reply of an
opaque model does not say whose context it used, so its relation is always *unknown*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from backend.contracts.findings import PropertyFinding
from backend.contracts.replies_table import REQUEST_ID
from backend.modelconfig.candidate import Candidate
from backend.sessions.comparison import compare, digests
from backend.sessions.history import NO_REPLY_JUDGED, context_findings
from backend.sessions.joining import instances
from backend.sessions.judgement import Judgement, judged_table, requests_frame
from backend.templates.template import Template
from backend.workload.study import Cell


@dataclass(frozen=True)
class Repeatability:
    """How far two isolated replays of the same requests are apart: what tolerance they need.

    Attributes:
        compared: Requests answered in both.
        largest: Largest absolute difference per compared output.
        labels_changed: Requests with another label, per compared output.
        beyond: Requests whose two replies differ by more than the rules allow.
    """

    compared: int
    largest: dict[str, float]
    labels_changed: dict[str, int]
    beyond: int

    @property
    def sufficient(self) -> bool:
        """Whether the model repeats itself within its rules, so that they can give a verdict."""
        return self.compared > 0 and self.beyond == 0

    @property
    def sentence(self) -> str:
        """The result in one sentence, with the tolerance needed per output."""
        if not self.compared:
            return "The isolated replays answered no request in common."
        needed = ", ".join(f"{name} {value:g}" for name, value in self.largest.items())
        if not self.beyond:
            return (
                f"Two isolated replays of {self.compared:,} requests agree; largest differences: "
                f"{needed}."
            )
        return (
            f"Two isolated replays of the same requests differ by more than the tolerance in "
            f"{self.beyond:,} of {self.compared:,} replies; tolerance needed: {needed}."
        )


def repeatability(first: pa.Table, second: pa.Table, template: Template) -> Repeatability:
    """Compare the replies of two isolated replays of one plan by the template's rules.

    Raises:
        InputError: if a table lacks an output that the rules name.
    """
    results = compare(first[REQUEST_ID].to_pylist(), second, first, template)
    compared = np.logical_and.reduce([result.compared for result in results])
    beyond = np.logical_or.reduce([result.differs for result in results])
    return Repeatability(
        compared=int(compared.sum()),
        largest={result.output: float(result.difference.max(initial=0.0)) for result in results},
        labels_changed={result.output: int(result.label_changed.sum()) for result in results},
        beyond=int(beyond.sum()),
    )


def judge_isolated_replay(
    requests: pa.Table,
    replies: pa.Table,
    reference: pa.Table,
    *,
    template: Template,
    candidate: Candidate,
    cell: Cell,
    repeated: Repeatability | None = None,
) -> Judgement:
    """Fill the verdicts of one trial and find what they mean for M21 to M23.

    Args:
        requests: The trial's requests table.
        replies: Its replies table.
        reference: Replies table of the isolated replay.
        template: The model's template, with the rules of comparison.
        candidate: How the model was served.
        cell: In which cell.
        repeated: Two isolated replays compared. If they are further apart than the rules allow,
            nothing is judged: the model's own variation would pass for mixed-up sessions.

    Raises:
        InputError: if a table lacks an output that the rules name.
    """
    frame = compared_frame(requests, replies, reference, template, repeated)
    properties = context_findings(frame, template, candidate, cell)
    return Judgement(
        table=judged_table(requests, frame),
        properties=unless_unrepeatable(properties, repeated),
    )


def unless_unrepeatable(
    properties: tuple[PropertyFinding, ...], repeated: Repeatability | None
) -> tuple[PropertyFinding, ...]:
    """The findings; where the replays themselves differ, saying that this is why none is shown."""
    if repeated is None or repeated.sufficient:
        return properties
    return tuple(
        finding.model_copy(update={"note": f"No verdict: {repeated.sentence}"})
        if finding.note == NO_REPLY_JUDGED
        else finding
        for finding in properties
    )


def compared_frame(
    requests: pa.Table,
    replies: pa.Table,
    reference: pa.Table,
    template: Template,
    repeated: Repeatability | None,
) -> pd.DataFrame:
    """The requests in their order with verdict, digests and the relation *unknown*."""
    frame = requests_frame(requests)
    ids = frame["request_id"].tolist()
    answered = (frame["outcome"] == "ok").to_numpy()
    results = compare(ids, replies, reference, template)
    compared = np.logical_and.reduce([result.compared for result in results]) & answered
    if repeated is not None and not repeated.sufficient:
        compared = np.zeros(len(frame), dtype=bool)
    differs = np.logical_or.reduce([result.differs for result in results])
    frame["verdict"] = _verdicts(compared, differs)
    frame["expected"] = digests(ids, reference, template)
    observed = digests(ids, replies, template)
    frame["observed"] = [
        text if known else None for text, known in zip(observed, answered, strict=True)
    ]
    frame["instance"] = instances(ids, replies, frame["instance"].tolist())
    frame["relation"] = "unknown"
    for name in ("context_session", "context_step"):
        frame[name] = pd.array([None] * len(frame), dtype="Int64")
    return frame


def _verdicts(compared: NDArray[np.bool_], differs: NDArray[np.bool_]) -> NDArray[np.str_]:
    return np.where(compared, np.where(differs, "differs", "equal"), "unjudged")
