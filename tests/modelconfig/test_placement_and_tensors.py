"""Hardware, shapes, replies, warm-up, versions, releases (M09, M11, M13)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tritonclient.grpc import model_config_pb2 as pb

from backend.contracts.errors import InputError
from backend.modelconfig.idle_limit import idle_limit
from backend.modelconfig.lint.release import Release
from backend.modelconfig.propose import propose_candidate
from backend.templates.template import Template
from backend.workload.answers import Answers, Serving
from backend.workload.demand import Demand
from backend.workload.study import CANDIDATE_NAMES, CandidateChoice, TrafficClass
from backend.workload.traffic import Objectives, Traffic
from tests.modelconfig.declared_models import FRAME, config, declared, propose, state

OPEN = FRAME.model_copy(update={"dims": (-1,)})
TEXT = FRAME.model_copy(update={"data_type": "BYTES", "dims": (1,)})


@pytest.mark.parametrize(
    ("backend", "hardware", "kind"),
    [
        ("onnxruntime", "gpu", "KIND_GPU"),
        ("onnxruntime", "cpu", "KIND_CPU"),
        ("onnxruntime", "unknown", "KIND_CPU"),
        ("tensorrt", "unknown", "KIND_GPU"),
        ("python", "gpu", "KIND_GPU"),
    ],
)
def test_instances_run_where_the_answers_say(backend: str, hardware: str, kind: str) -> None:
    candidate = propose(declared(backend, hardware=hardware), "dynamic")
    assert candidate.instance_kind == kind
    said = "name no hardware" if hardware == "unknown" else hardware.upper()
    assert said in candidate.reasons["instances"]


@pytest.mark.parametrize(("backend", "hardware"), [("tensorrt", "cpu"), ("openvino", "gpu")])
def test_a_backend_that_does_not_run_there_is_refused(backend: str, hardware: str) -> None:
    with pytest.raises(InputError, match=f"the backend is '{backend}'"):
        propose(declared(backend, hardware=hardware), "dynamic")


def test_a_template_stays_on_the_cpu_and_the_file_says_why(
    template: Template, class_with: Callable[..., TrafficClass]
) -> None:
    item = class_with(answers=Answers(serving=Serving(hardware="gpu")))
    asked = propose_candidate(item, CandidateChoice(name="dynamic"), 1, 8, template)
    assert asked.instance_kind == "KIND_CPU"
    assert "would ask for a GPU and leave it idle" in asked.reasons["instances"]
    own = CandidateChoice(name="dynamic", instance_kind="KIND_GPU")
    forced = propose_candidate(item, own, 1, 8, template)
    assert forced.instance_kind == "KIND_GPU"
    assert "a server without one refuses the model" in forced.reasons["instances"]


def test_ragged_inputs_are_marked_only_where_answered_and_variable() -> None:
    item = declared(
        "python", inputs=(OPEN, FRAME.model_copy(update={"name": "B"})), shapes="ragged"
    )
    for name in ("dynamic", "sequence-oldest", "sequence-direct"):
        found = config(item, name)
        assert [entry.allow_ragged_batch for entry in found.input] == [True, False]
    assert not config(item, "no-batching").input[0].allow_ragged_batch
    variable = declared("python", inputs=(OPEN,), shapes="variable")
    assert not config(variable, "dynamic").input[0].allow_ragged_batch
    reason = propose(variable, "dynamic").reasons["tensors"]
    assert "Equal shape says nothing" in reason  # M02


def test_the_batch_input_of_a_ragged_model_is_not_guessed() -> None:
    item = declared(inputs=(OPEN,), shapes="ragged")
    found = config(item, "dynamic")
    assert found.input[0].allow_ragged_batch
    assert list(found.batch_input) == []
    assert "add the batch_input by hand" in propose(item, "dynamic").reasons["tensors"]


def test_a_backend_of_which_nothing_is_known_is_not_made_ragged() -> None:
    item = declared("custom", inputs=(OPEN,), shapes="ragged")
    assert not config(item, "dynamic").input[0].allow_ragged_batch
    assert "Nothing is known" in propose(item, "dynamic").reasons["tensors"]


def test_several_replies_make_a_model_decoupled_where_the_backend_can() -> None:
    item = declared("python", replies="many")
    for name in CANDIDATE_NAMES:
        assert config(item, name).model_transaction_policy.decoupled
    assert not config(declared("python", replies="one"), "dynamic").HasField(
        "model_transaction_policy"
    )
    with pytest.raises(InputError, match="several replies, but the backend is 'onnxruntime'"):
        propose(declared("onnxruntime", replies="many"), "dynamic")


def test_a_template_that_sends_one_reply_is_not_decoupled(
    template: Template, class_with: Callable[..., TrafficClass]
) -> None:
    item = class_with(answers=Answers(replies="many"))
    candidate = propose_candidate(item, CandidateChoice(name="dynamic"), 1, 8, template)
    assert not candidate.decoupled
    assert "sends one" in candidate.reasons["decoupled"]


def warmed(item: TrafficClass, name: str, **given: object) -> dict[int, list[str]]:
    return {
        sample.batch_size: sorted(sample.inputs)
        for sample in config(item, name, **given).model_warmup
    }


def test_each_batch_size_that_matters_is_warmed() -> None:
    item = declared("onnxruntime")
    assert list(warmed(item, "dynamic")) == [1, 8]
    assert list(warmed(item, "dynamic", preferred_batch_sizes=(4,))) == [1, 4, 8]
    assert list(warmed(item, "no-batching")) == [1]
    # any number of slots can be ready under direct
    assert list(warmed(item, "sequence-direct", max_batch_size=3)) == [1, 2, 3]


def test_a_sequence_models_warm_up_gives_its_controls_as_zeros() -> None:
    """Without them the first execution lacks inputs and the load fails (seen on 24.10)."""
    found = config(declared("onnxruntime"), "sequence-oldest")
    sample = found.model_warmup[0]
    assert sorted(sample.inputs) == ["CORRID", "END", "FRAME", "START"]
    assert all(entry.zero_data for entry in sample.inputs.values())
    assert sample.inputs["CORRID"].data_type == pb.TYPE_UINT64
    assert list(sample.inputs["FRAME"].dims) == [80]


@pytest.mark.parametrize(
    ("values", "name", "why"),
    [
        ({"inputs": (OPEN,)}, "dynamic", "variable dimension"),
        ({"inputs": (TEXT,)}, "dynamic", "is text"),
        ({"states": (state(),)}, "sequence-oldest", "belongs to no sequence"),
        ({"backend": "python"}, "dynamic", "whether the model can take zeros"),
    ],
)
def test_what_cannot_be_warmed_is_not_and_says_why(
    values: dict[str, object], name: str, why: str
) -> None:
    item = declared(**values)
    assert warmed(item, name) == {}
    assert why in propose(item, name).reasons["warm_up_batch_sizes"]


def test_the_study_can_ask_for_a_warm_up_or_forbid_it() -> None:
    assert list(warmed(declared("python"), "dynamic", warm_up=True)) == [1, 8]
    assert warmed(declared("onnxruntime"), "dynamic", warm_up=False) == {}
    with pytest.raises(InputError, match="cannot be warmed up"):
        propose(declared(inputs=(OPEN,)), "dynamic", warm_up=True)


def test_an_input_that_may_be_left_out_is_left_out_of_the_warm_up() -> None:
    extra = OPEN.model_copy(update={"name": "EXTRA", "optional": True})
    assert warmed(declared(inputs=(FRAME, extra)), "dynamic")[8] == ["FRAME"]


@pytest.mark.parametrize("name", CANDIDATE_NAMES)
def test_the_newest_version_alone_is_served_and_said_so(name: str) -> None:
    found = config(declared(), name)
    assert found.version_policy.latest.num_versions == 1
    assert "newest version alone" in propose(declared(), name).reasons["versions_served"]


@pytest.mark.parametrize(
    ("values", "needs", "since"),
    [
        ({"inputs": (FRAME.model_copy(update={"optional": True}),)}, "optional", (22, 1)),
        ({"states": (state(),)}, "initial_state", (22, 1)),
        ({"inputs": (FRAME.model_copy(update={"data_type": "BF16"}),)}, "BF16", (22, 5)),
    ],
)
def test_what_a_release_does_not_have_yet_is_refused(
    values: dict[str, object], needs: str, since: tuple[int, int]
) -> None:
    """M11."""
    item = declared(**values)
    first = Release(*since)
    propose(item, "sequence-oldest", release=first)
    before = Release(since[0] - 1, 12) if since[1] == 1 else Release(since[0], since[1] - 1)
    with pytest.raises(InputError, match=needs) as caught:
        propose(item, "sequence-oldest", release=before)
    assert str(first) in caught.value.next_step


def test_the_demand_of_the_real_service_sizes_slots() -> None:
    item = declared(batch=64, demand=Demand(live_sessions=40))
    assert propose(item, "sequence-oldest", instances=2).max_candidate_sequences == 40
    assert propose(item, "sequence-direct").max_batch_size == 40
    assert propose(declared(batch=64), "sequence-direct").max_batch_size == 8


def test_the_idle_limit_covers_the_worst_case() -> None:
    """Execution, queue and think time count from the arrival of the last request."""
    paused = Traffic(longest_gap_ms=3000)
    # 4 executions may run first: 4 x 500 + 500 = 2.5 s; twice (3 + 2.5)
    limit = idle_limit(paused, execution_ms=500, executions_ahead=4)
    assert limit.seconds == 11
    assert "500 ms of execution" in limit.reason
    objective = Traffic(longest_gap_ms=3000, objectives=Objectives(response_p99_ms=9000))
    assert idle_limit(objective, execution_ms=500, executions_ahead=4).seconds == 24
    queue = Traffic(longest_gap_ms=3000, objectives=Objectives(queue_p99_ms=100))
    assert idle_limit(queue, execution_ms=500, executions_ahead=4).seconds == 8
    # nothing known of pauses, but 40 s of execution: twice 80 s is above the stand-in
    assert idle_limit(Traffic(), execution_ms=40_000, executions_ahead=1).seconds == 160


def test_an_idle_limit_of_the_study_is_held_against_the_traffic() -> None:
    """M13: both ends are flagged."""
    reasons = {
        seconds: propose(
            declared(), "sequence-oldest", max_sequence_idle_microseconds=seconds * 1_000_000
        ).reasons["max_sequence_idle_microseconds"]
        for seconds in (59, 60, 600, 601)
    }
    # nothing is known of pauses here: 60 s would be proposed
    assert "refused in mid-session" in reasons[59]
    assert "refused" not in reasons[60]
    assert "long for a start" not in reasons[600]
    assert "601 s is long for a start" in reasons[601]


def test_a_control_input_is_no_input_of_a_declared_model() -> None:
    start = FRAME.model_copy(update={"name": "START"})
    with pytest.raises(InputError, match="input named START") as caught:
        config(declared(inputs=(FRAME, start)), "sequence-oldest")
    assert "Take it out of the inputs" in caught.value.next_step
    assert len(config(declared(inputs=(FRAME, start)), "dynamic").input) == 2


def test_large_batches_and_many_slots_are_flagged() -> None:
    """M13."""
    big = declared(batch=512)
    assert (
        "large for a start" in (propose(big, "dynamic", concurrency=200).reasons["max_batch_size"])
    )
    assert "large for" not in propose(big, "dynamic", concurrency=8).reasons["max_batch_size"]
    crowd = propose(big, "sequence-oldest", concurrency=400)
    assert "Many for a start" in crowd.reasons["max_candidate_sequences"]
