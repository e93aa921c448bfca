"""Candidates as Triton's own protobuf (M09): fields by name, golden files, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tritonclient.grpc import model_config_pb2 as pb

from backend.contracts.errors import InputError
from backend.modelconfig.build import build, parameter_text
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.propose import propose_candidate
from backend.modelconfig.text import candidate_text
from backend.templates.template import Template, Tensor
from backend.workload.demand import Demand
from backend.workload.study import CANDIDATE_NAMES, CandidateChoice, TrafficClass
from tests.modelconfig.reading import parse

GOLDEN = Path(__file__).parent / "golden"
CONTROL = pb.ModelSequenceBatching.Control


def candidate(item: TrafficClass, template: Template, name: str, **given: object) -> Candidate:
    return propose_candidate(item, CandidateChoice(name=name, **given), 2, 8, template)


@pytest.mark.parametrize("name", CANDIDATE_NAMES)
def test_tensors_instances_and_parameters_come_from_the_template(
    name: str, letters: TrafficClass, template: Template
) -> None:
    config = build(candidate(letters, template, name), template)
    assert config.name == "letters"
    assert config.backend == "python"
    assert [(i.name, i.data_type, list(i.dims)) for i in config.input] == [
        ("FRAME", pb.TYPE_FP32, [4, -1]),
        ("WORD", pb.TYPE_STRING, [1]),
    ]
    assert [(o.name, o.data_type, list(o.dims)) for o in config.output] == [
        ("LABEL", pb.TYPE_INT64, [3])
    ]
    (group,) = config.instance_group
    assert (group.count, group.kind) == (2, pb.ModelInstanceGroup.KIND_CPU)
    assert {key: value.string_value for key, value in config.parameters.items()} == {
        "state_place": "correlation_id",
        "width": "4",
        "pace": "1.5",
    }


def test_a_dimension_follows_the_chosen_parameter(
    template: Template, class_with: Callable[..., TrafficClass]
) -> None:
    item = class_with(width=9)
    config = build(candidate(item, template, "dynamic"), template)
    assert list(config.input[0].dims) == [9, -1]
    assert config.parameters["width"].string_value == "9"


def test_each_candidate_has_its_scheduler_and_no_other(
    letters: TrafficClass, template: Template
) -> None:
    chosen = {
        name: build(candidate(letters, template, name), template).WhichOneof("scheduling_choice")
        for name in CANDIDATE_NAMES
    }
    assert chosen == {
        "sequence-direct": "sequence_batching",
        "sequence-oldest": "sequence_batching",
        "dynamic": "dynamic_batching",
        "no-batching": None,
    }


def controls(config: object) -> dict[str, tuple[int, list[int], int]]:
    return {
        entry.name: (c.kind, list(c.int32_false_true), c.data_type)
        for entry in config.sequence_batching.control_input
        for c in entry.control
    }


def test_direct_tells_start_end_and_ready(letters: TrafficClass, template: Template) -> None:
    config = build(candidate(letters, template, "sequence-direct"), template)
    assert config.sequence_batching.WhichOneof("strategy_choice") == "direct"
    assert controls(config) == {
        "START": (CONTROL.CONTROL_SEQUENCE_START, [0, 1], pb.TYPE_INVALID),
        "END": (CONTROL.CONTROL_SEQUENCE_END, [0, 1], pb.TYPE_INVALID),
        "READY": (CONTROL.CONTROL_SEQUENCE_READY, [0, 1], pb.TYPE_INVALID),
    }


def test_oldest_tells_start_end_and_the_number_of_the_session(
    letters: TrafficClass, template: Template
) -> None:
    config = build(candidate(letters, template, "sequence-oldest"), template)
    assert config.sequence_batching.WhichOneof("strategy_choice") == "oldest"
    assert controls(config) == {
        "START": (CONTROL.CONTROL_SEQUENCE_START, [0, 1], pb.TYPE_INVALID),
        "END": (CONTROL.CONTROL_SEQUENCE_END, [0, 1], pb.TYPE_INVALID),
        "CORRID": (CONTROL.CONTROL_SEQUENCE_CORRID, [], pb.TYPE_UINT64),
    }
    assert config.sequence_batching.oldest.max_candidate_sequences == 8
    assert config.sequence_batching.max_sequence_idle_microseconds == 7_000_000


def test_text_ids_get_no_corrid_control(
    template: Template, class_with: Callable[..., TrafficClass]
) -> None:
    """The Python backend of 24.10 refuses every text id in a CORRID control."""
    item = class_with(id_type="string")
    assert set(controls(build(candidate(item, template, "sequence-oldest"), template))) == {
        "START",
        "END",
    }


def test_control_inputs_are_no_inputs_that_clients_would_have_to_send(
    letters: TrafficClass, template: Template
) -> None:
    for name in ("sequence-direct", "sequence-oldest"):
        config = build(candidate(letters, template, name), template)
        listed = {tensor.name for tensor in config.input}
        assert not listed & set(controls(config))


def test_each_control_input_carries_one_kind(letters: TrafficClass, template: Template) -> None:
    for name in ("sequence-direct", "sequence-oldest"):
        config = build(candidate(letters, template, name), template)
        assert all(len(e.control) == 1 for e in config.sequence_batching.control_input)


def test_delays_and_sizes_reach_their_fields(letters: TrafficClass, template: Template) -> None:
    dynamic = build(
        candidate(
            letters,
            template,
            "dynamic",
            preferred_batch_sizes=(2, 8),
            max_queue_delay_microseconds=700,
        ),
        template,
    ).dynamic_batching
    assert (list(dynamic.preferred_batch_size), dynamic.max_queue_delay_microseconds) == (
        [2, 8],
        700,
    )
    direct = build(
        candidate(
            letters,
            template,
            "sequence-direct",
            max_queue_delay_microseconds=900,
            minimum_slot_utilization=0.5,
        ),
        template,
    ).sequence_batching.direct
    assert direct.max_queue_delay_microseconds == 900
    assert direct.minimum_slot_utilization == 0.5


ASKED = Demand(deadline_ms=200, when_late="refuse", execution_ms=20, priority_levels=3)
GOLDEN_CASES = {
    "sequence-direct": ("sequence-direct", {}, {}),
    "sequence-oldest": ("sequence-oldest", {}, {}),
    "sequence-oldest-text-ids": ("sequence-oldest", {"id_type": "string"}, {}),
    "dynamic": ("dynamic", {}, {}),
    "dynamic-tuned": (
        "dynamic",
        {},
        {"preferred_batch_sizes": (4, 8), "max_queue_delay_microseconds": 2000},
    ),
    "dynamic-deadline": ("dynamic", {"demand": ASKED}, {}),
    "no-batching": ("no-batching", {}, {}),
}


@pytest.mark.parametrize("case", GOLDEN_CASES)
def test_the_file_of_a_candidate_is_the_golden_one_and_means_the_same(
    case: str, template: Template, class_with: Callable[..., TrafficClass]
) -> None:
    name, known, given = GOLDEN_CASES[case]
    proposed = candidate(class_with(**known), template, name, **given)
    text = candidate_text(proposed, template)
    golden = GOLDEN / f"{case}.pbtxt"
    assert text == golden.read_text()
    assert parse(text) == build(proposed, template)


def test_no_line_of_a_file_is_too_long_to_read(template: Template) -> None:
    for golden in GOLDEN.glob("*.pbtxt"):
        assert max(map(len, golden.read_text().splitlines())) <= 100


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        (1.0, "1"),
        (0.25, "0.25"),
        (1e-7, "1e-07"),
        ("slot", "slot"),
        (2.5e15, "2500000000000000.0"),
    ],
)
def test_parameters_are_written_as_plain_text(value: int | float | str, text: str) -> None:
    assert parameter_text(value) == text


def test_more_than_the_model_takes_is_refused(letters: TrafficClass, template: Template) -> None:
    good = candidate(letters, template, "dynamic")
    build(good.model_copy(update={"max_batch_size": 16}), template)
    with pytest.raises(InputError, match="max_batch_size 17") as caught:
        build(good.model_copy(update={"max_batch_size": 17}), template)
    assert "at most 16" in caught.value.next_step
    with pytest.raises(InputError, match="max_batch_size 0"):
        build(good.model_copy(update={"max_batch_size": 0}), template)


def test_a_preferred_size_that_triton_would_refuse_is_refused(
    letters: TrafficClass, template: Template
) -> None:
    good = candidate(letters, template, "dynamic")
    with pytest.raises(InputError, match="preferred batch size is 9, above max_batch_size 8"):
        build(good.model_copy(update={"preferred_batch_sizes": (9,)}), template)


def test_a_model_input_named_like_a_control_is_refused(
    letters: TrafficClass, template: Template
) -> None:
    clash = template.model_copy(
        update={"inputs": (Tensor(name="START", data_type="INT32", dims=(1,)),)}
    )
    with pytest.raises(InputError, match="has an input named START"):
        build(candidate(letters, clash, "sequence-oldest"), clash)
    # near miss: without the sequence batcher the name is free
    build(candidate(letters, clash, "dynamic"), clash)


def test_a_dimension_that_is_no_size_is_refused(
    template: Template, class_with: Callable[..., TrafficClass]
) -> None:
    item = class_with(width=0)
    with pytest.raises(InputError, match="A dimension of FRAME") as caught:
        build(candidate(item, template, "dynamic"), template)
    assert "'width', which gives 0" in caught.value.what
