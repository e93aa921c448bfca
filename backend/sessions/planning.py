"""Makes plans: every request of one class and cell, from the study's seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.contracts.errors import InputError
from backend.sessions.correlation_ids import id_type, make_ids
from backend.sessions.events import Happening, draw_events, ids_with_events
from backend.sessions.inputs import check_samples, generated
from backend.sessions.lengths import apportion, draw_lengths
from backend.sessions.plan import PLAN_SCHEMA, Plan
from backend.sessions.randomness import stream
from backend.templates.samples import Sample
from backend.templates.template import Template
from backend.workload.study import SINGLE_MIX, Cell, Study, TrafficClass
from backend.workload.traffic import LengthGroup, Traffic

_LONGEST_GAP_IN_MEANS = 10.0
_SINGLE = LengthGroup(group=SINGLE_MIX, share=1.0, steps=(1, 1))


@dataclass(frozen=True)
class _Inputs:
    """The three columns that say where the bytes come from, one element per request."""

    sample: list[str | None]
    sample_row: list[int | None]
    input: list[bytes | None]


def make_plan(
    study: Study,
    item: TrafficClass,
    template: Template,
    samples: Sequence[Sample],
    cell: Cell,
) -> Plan:
    """The requests of one class in one cell.

    Lengths, gaps and inputs follow from the study's seed, the class's name and the cell's mix and
    concurrency, each from a random stream of its own. They do *not* depend on the cell's
    instances: cells that differ only in instances send the same requests under the same request
    IDs, so a difference between them is the server's. Only the correlation IDs are the cell's own.

    Args:
        study: Gives the seed.
        item: The class.
        template: The class's model.
        samples: The template's samples; unused where inputs are generated.
        cell: Gives concurrency and length mix.

    Raises:
        InputError: if no such requests can be made: an unknown mix, a length group that gets no
            session, more sessions at once than there are, no samples or unfit ones, no correlation
            ID for a stateful class.
    """
    traffic = item.workload.traffic
    groups = _groups(item, cell)
    counts = _counts(item, cell, groups)
    names = (study.seed, item.name, cell.mix, cell.concurrency)

    group_of, lengths = draw_lengths(groups, counts, stream(*names, "lengths"))
    session = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    ends = np.cumsum(lengths)
    step = (np.arange(len(session)) - np.repeat(ends - lengths, lengths)).astype(np.int32)
    length = lengths[session].astype(np.int32)

    parameters = template.parameter_values(item.model.parameters)
    if template.samples.kind == "generated":
        raws = generated(template, parameters, len(session), stream(*names, "inputs"))
        nothing = [None] * len(raws)
        inputs = _Inputs(sample=list(nothing), sample_row=list(nothing), input=list(raws))
    else:
        check_samples(template, samples, parameters)
        choose = _clips if template.samples.kind == "clips" else _items
        inputs = choose(samples, session, step, stream(*names, "samples"))

    kind = id_type(item.name, item.workload.answers)
    ids: list[str | None] = [None] * len(session)
    happening = Happening()
    if kind is not None:
        happening = draw_events(traffic.events, lengths, stream(*names, "events"))
        by_session = make_ids(study.seed, item.name, cell.name, len(lengths), kind)
        by_session = ids_with_events(by_session, kind, traffic.events, happening)
        ids = [by_session[number] for number in session]
    flagged = kind is not None
    unended = np.isin(session, list(happening.unended))
    columns = {
        "request_id": [f"{s}.{k}" for s, k in zip(session, step, strict=True)],
        "session": session,
        "step": step,
        "session_length": length,
        "length_group": [groups[group_of[number]].group for number in session],
        "correlation_id": ids,
        "correlation_id_type": [kind] * len(session),
        "is_start": (step == 0) & flagged,
        "is_end": (step == length - 1) & flagged & ~unended,
        "gap_ns": _gaps(traffic, step, stream(*names, "gaps"))
        + _pauses(happening, session, step)
        * round(traffic.events.pause_ms * 1e6 * traffic.time_scale),
        "scheduled_ns": [None] * len(session),
        "sample": inputs.sample,
        "sample_row": inputs.sample_row,
        "input": inputs.input,
        "after": _after(happening, session, step, lengths),
    }
    return Plan(
        request_type=item.name,
        cell=cell.name,
        concurrency=cell.concurrency,
        seed=study.seed,
        table=pa.table(
            [pa.array(columns[field.name], field.type) for field in PLAN_SCHEMA],
            schema=PLAN_SCHEMA,
        ),
    )


def _pauses(
    happening: Happening, session: NDArray[np.int32], step: NDArray[np.int32]
) -> NDArray[np.int64]:
    """1 at each request before which its session falls silent, else 0."""
    at = np.full(int(session[-1]) + 1, -1)
    for number, before in happening.pauses.items():
        at[number] = before
    return np.asarray(at[session] == step, dtype=np.int64)


def _after(
    happening: Happening,
    session: NDArray[np.int32],
    step: NDArray[np.int32],
    lengths: NDArray[np.int64],
) -> list[str | None]:
    """Of each request the one whose reply must have come: successors wait for the other's last."""
    return [
        f"{other}.{lengths[other] - 1}"
        if k == 0 and (other := happening.successors.get(int(s))) is not None
        else None
        for s, k in zip(session, step, strict=True)
    ]


def make_reference_plan(plan: Plan) -> Plan:
    """The same requests for an isolated replay: one session after another, without gaps.

    IDs, flags and inputs are kept, so replies are matched by request ID. The times and the forced
    order of the interleaved run mean nothing here and are cleared.
    """
    table = plan.table
    for name, value in (("gap_ns", 0), ("scheduled_ns", None), ("after", None)):
        index = table.schema.get_field_index(name)
        field = PLAN_SCHEMA.field(name)
        table = table.set_column(index, field, pa.array([value] * len(table), field.type))
    return replace(plan, concurrency=1, table=table)


def _groups(item: TrafficClass, cell: Cell) -> tuple[LengthGroup, ...]:
    mixes = item.workload.traffic.mixes
    if cell.mix in mixes:
        return mixes[cell.mix]
    if cell.mix == SINGLE_MIX and not mixes:
        return (_SINGLE,)
    raise InputError(
        f"Class '{item.name}' has no length mix '{cell.mix}'.",
        next_step=f"Use one of: {', '.join(mixes) or SINGLE_MIX}.",
        key="matrix.mix",
    )


def _counts(item: TrafficClass, cell: Cell, groups: tuple[LengthGroup, ...]) -> tuple[int, ...]:
    sessions = item.workload.traffic.sessions
    if cell.concurrency > sessions:
        raise InputError(
            f"Cell {cell.name} asks for {cell.concurrency} sessions at once, but class "
            f"'{item.name}' has only {sessions}.",
            next_step=f"Set traffic.sessions to at least {cell.concurrency}, or lower "
            "matrix.concurrency.",
            key="traffic.sessions",
        )
    counts = apportion(sessions, [group.share for group in groups])
    for group, count in zip(groups, counts, strict=True):
        if count == 0:
            raise InputError(
                f"Length group '{group.group}' of mix '{cell.mix}' gets no session: class "
                f"'{item.name}' has {sessions}, and its share is {group.share:g}.",
                next_step=f"Set traffic.sessions to at least {ceil(1 / group.share - 1e-9)}, or "
                "raise the share.",
                key="traffic.sessions",
            )
    return counts


def _gaps(
    traffic: Traffic, step: NDArray[np.int32], draws: np.random.Generator
) -> NDArray[np.int64]:
    mean_ns = traffic.gaps.mean_ms * 1e6 * traffic.time_scale
    if traffic.gaps.kind == "none":
        return np.zeros(len(step), dtype=np.int64)
    if traffic.gaps.kind == "fixed":
        # sessions begin anywhere within a gap: all in step would batch better than real ones do
        phase = draws.uniform(0.0, mean_ns, len(step))
        gaps = np.where(step == 0, phase, mean_ns)
    else:
        drawn = draws.exponential(mean_ns, len(step))
        gaps = np.minimum(drawn, _LONGEST_GAP_IN_MEANS * mean_ns)
    return np.asarray(np.rint(gaps), dtype=np.int64)


def _clips(
    samples: Sequence[Sample],
    session: NDArray[np.int32],
    step: NDArray[np.int32],
    draws: np.random.Generator,
) -> _Inputs:
    """Session i takes clip i mod n from a drawn row, and starts over at the clip's end."""
    sizes = np.array([sample.array.shape[0] for sample in samples], dtype=np.int64)
    clip = session % len(samples)
    sessions = int(session[-1]) + 1
    starts = draws.integers(0, sizes[np.arange(sessions) % len(samples)])
    rows = (starts[session] + step) % sizes[clip]
    return _Inputs(
        sample=[samples[number].name for number in clip],
        sample_row=[int(row) for row in rows],
        input=[None] * len(session),
    )


def _items(
    samples: Sequence[Sample],
    session: NDArray[np.int32],
    step: NDArray[np.int32],
    draws: np.random.Generator,
) -> _Inputs:
    """Each request takes one item: all items in a shuffled order, then in another, and so on."""
    order: list[int] = []
    while len(order) < len(session):
        order.extend(int(number) for number in draws.permutation(len(samples)))
    return _Inputs(
        sample=[samples[number].name for number in order[: len(session)]],
        sample_row=[None] * len(session),
        input=[None] * len(session),
    )
