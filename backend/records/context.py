"""The workload as a record tells it: answers in words, traffic in sentences, the model."""

from __future__ import annotations

from backend.analysis.wording import listed, number
from backend.records.record import Answer, ClassContext
from backend.workload.questions import answer_text, relevant_questions
from backend.workload.study import Study, TrafficClass
from backend.workload.traffic import LengthGroup, Traffic


def class_context(item: TrafficClass, study: Study, proposed: str | None) -> ClassContext:
    """One class of a study in words.

    Args:
        item: The class.
        study: The study it belongs to (its matrix says what was tried).
        proposed: The candidate that the advice proposed.
    """
    answers = item.workload.answers
    return ClassContext(
        name=item.name,
        about=item.about,
        independent=answers.relation == "independent",
        answers=tuple(
            Answer(question=asked.text, answer=answer_text(answers, asked.id))
            for asked in relevant_questions(answers)
        ),
        traffic=_traffic(item.workload.traffic, study),
        model=_model(item),
        proposed=proposed,
    )


def _model(item: TrafficClass) -> str:
    declared = item.model.declared
    if declared is not None:
        backend = item.workload.answers.serving.backend
        tensors = [
            f"{kind} {tensor.name} ({tensor.data_type} {list(tensor.dims)})"
            for kind, known in (("input", declared.inputs), ("output", declared.outputs))
            for tensor in known
        ]
        states = [f"state {state.input_name} to {state.output_name}" for state in declared.states]
        return (
            f"described by its tensors only, backend {backend}, batches of up to "
            f"{declared.max_batch_size}: {listed([*tensors, *states])}"
        )
    set_values = ", ".join(f"{name} = {value}" for name, value in item.model.parameters.items())
    return f"template {item.model.template}" + (f" with {set_values}" if set_values else "")


def _traffic(traffic: Traffic, study: Study) -> tuple[str, ...]:
    concurrency = listed([str(value) for value in study.matrix.concurrency])
    instances = listed([str(value) for value in study.matrix.instances])
    noun = "sessions" if traffic.mixes else "requests"
    sentences = [
        f"Closed loop: {traffic.sessions} {noun} per cell, {concurrency} live at once, "
        f"on {instances} model instances; {study.rounds} alternating rounds, seed {study.seed}."
    ]
    sentences += [f"Length mix {name}: {_mix(groups)}." for name, groups in traffic.mixes.items()]
    if traffic.gaps.kind != "none":
        scale = (
            f", run at {number(traffic.time_scale)} of real time" if traffic.time_scale < 1 else ""
        )
        sentences.append(
            f"Gaps between a reply and the next request: {traffic.gaps.kind}, mean "
            f"{number(traffic.gaps.mean_ms)} ms{scale}."
        )
    if traffic.longest_gap_ms is not None:
        sentences.append(
            f"The longest pause of a live session is {number(traffic.longest_gap_ms)} ms."
        )
    goals = traffic.objectives
    promised = [
        f"{what} p99 at most {number(value)} ms"
        for what, value in (
            ("response time", goals.response_p99_ms),
            ("queue time", goals.queue_p99_ms),
        )
        if value is not None
    ]
    if promised:
        sentences.append(f"Objectives: {listed(promised)}.")
    return tuple(sentences)


def _mix(groups: tuple[LengthGroup, ...]) -> str:
    return listed(
        [
            f"{number(100 * group.share)} % {group.group} "
            f"({group.steps[0]} to {group.steps[1]} requests)"
            for group in groups
        ]
    )
