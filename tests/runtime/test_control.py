"""Model control against a server that answers as 24.10 does, or not at all (M18)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from backend.contracts.errors import ModelLoadFailed, ServerFailed
from backend.runtime.control import ModelControl
from backend.runtime.server import Endpoints

Answer = tuple[int, object]


class Triton:
    """A stand-in whose answers a test sets, by method and path; each a list used up in turn."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Answer | Callable[[], Answer]]] = {}
        self.asked: list[str] = []
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer("GET")

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self._answer("POST")

            def _answer(self, method: str) -> None:
                key = f"{method} {self.path}"
                stand_in.asked.append(key)
                queue = stand_in.answers.get(key, [(404, "")])
                given = queue.pop(0) if len(queue) > 1 else queue[0]
                status, body = given() if callable(given) else given
                content = (body if isinstance(body, str) else json.dumps(body)).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                # a client that gave up before the answer is what some tests are about
                pass

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        port = self.http.server_address[1]
        self.endpoints = Endpoints(
            http=f"127.0.0.1:{port}", grpc="127.0.0.1:1", metrics="127.0.0.1:1"
        )
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


LOAD = "POST /v2/repository/models/m/load"
UNLOAD = "POST /v2/repository/models/m/unload"
INDEX = "POST /v2/repository/index"
READY = "GET /v2/models/m/ready"
SAYS_NOTHING = {"error": "failed to load 'm', failed to poll from model repository"}


@pytest.fixture
def triton() -> Iterator[Triton]:
    server = Triton()
    yield server
    server.close()


def state(name: str) -> list[dict[str, str]]:
    return [{"name": "m", "version": "1", "state": name}]


def test_a_load_that_succeeds(triton: Triton) -> None:
    triton.answers = {LOAD: [(200, "")], READY: [(200, "")]}
    ModelControl(triton.endpoints).load("m")
    assert triton.asked == [LOAD, READY]


def test_a_load_without_a_reason_takes_it_from_what_the_log_says_since(
    triton: Triton, tmp_path: Path
) -> None:
    log = tmp_path / "server.log"
    old = "E1201 03:49:39.0 5 m.cc:1] \"Poll failed for model directory 'm': an old reason\"\n"
    log.write_text(old)

    def refuse() -> Answer:
        with log.open("a") as file:
            file.write(old.replace("an old reason", "a new reason"))
        return 500, SAYS_NOTHING

    triton.answers = {LOAD: [refuse]}
    with pytest.raises(ModelLoadFailed) as raised:
        ModelControl(triton.endpoints, log_path=log).load("m")
    assert raised.value.what == "Triton could not load the model 'm'."
    assert raised.value.why == "a new reason"
    assert str(log) in raised.value.next_step
    assert raised.value.exit_code == 3


def test_a_load_without_a_reason_anywhere_says_what_triton_said(triton: Triton) -> None:
    triton.answers = {LOAD: [(500, SAYS_NOTHING)]}
    with pytest.raises(ModelLoadFailed) as raised:
        ModelControl(triton.endpoints).load("m")
    assert "Triton says no more than" in raised.value.why
    assert "failed to poll from model repository" in raised.value.why


def test_a_model_that_is_loaded_but_not_ready_is_not_taken_as_loaded(triton: Triton) -> None:
    triton.answers = {LOAD: [(200, "")], READY: [(400, "")], INDEX: [(200, state("LOADING"))]}
    with pytest.raises(ModelLoadFailed, match="does not report it as ready"):
        ModelControl(triton.endpoints).load("m")


def test_a_load_that_never_ends_is_given_up_at_its_deadline(triton: Triton) -> None:
    never = threading.Event()
    triton.answers = {LOAD: [lambda: (never.wait(30), (200, ""))[1]]}
    with pytest.raises(ModelLoadFailed) as raised:
        ModelControl(triton.endpoints).load("m", deadline_s=0.0)
    never.set()
    assert "not finished after 0 seconds" in raised.value.why
    assert "Restart the server" in raised.value.next_step


def test_a_load_is_given_up_when_the_watch_says_so(triton: Triton) -> None:
    never = threading.Event()
    triton.answers = {LOAD: [lambda: (never.wait(30), (200, ""))[1]]}
    watch = iter([None, None, "The model's process was killed by SIGKILL."])
    control = ModelControl(triton.endpoints, watch=lambda: lambda: next(watch))
    with pytest.raises(ModelLoadFailed) as raised:
        control.load("m")
    never.set()
    assert raised.value.why == "The model's process was killed by SIGKILL."


def test_an_unload_waits_until_the_model_is_gone(triton: Triton) -> None:
    triton.answers = {
        UNLOAD: [(200, "")],
        INDEX: [
            (200, state("UNLOADING")),
            (200, state("UNLOADING")),
            (200, [{"name": "m", "version": "1", "state": "UNAVAILABLE", "reason": "unloaded"}]),
        ],
    }
    ModelControl(triton.endpoints).unload("m")
    assert triton.asked == [UNLOAD, INDEX, INDEX, INDEX]


def test_an_unload_that_never_ends_is_given_up(triton: Triton) -> None:
    triton.answers = {UNLOAD: [(200, "")], INDEX: [(200, state("UNLOADING"))]}
    with pytest.raises(ServerFailed, match="still there 0 seconds after its unload"):
        ModelControl(triton.endpoints).unload("m", deadline_s=0.0)


def test_an_unload_of_a_model_that_others_share_the_repository_with(triton: Triton) -> None:
    others = [{"name": "n", "version": "1", "state": "READY"}, {"name": "m"}]
    triton.answers = {UNLOAD: [(200, "")], INDEX: [(200, others)]}
    ModelControl(triton.endpoints).unload("m")
    assert [m.name for m in ModelControl(triton.endpoints).index()] == ["n", "m"]


def test_configuration_metadata_and_readiness(triton: Triton) -> None:
    triton.answers = {
        "GET /v2/models/m/config": [(200, {"name": "m", "max_batch_size": 4})],
        "GET /v2": [(200, {"name": "triton", "version": "2.51.0", "extensions": ["trace"]})],
    }
    control = ModelControl(triton.endpoints)
    assert control.model_config("m")["max_batch_size"] == 4
    assert control.server_metadata()["version"] == "2.51.0"
    assert not control.model_ready("m")


def test_a_refusal_carries_status_and_text(triton: Triton) -> None:
    triton.answers = {"GET /v2/models/m/config": [(400, {"error": "unknown model: 'm'"})]}
    with pytest.raises(ServerFailed) as raised:
        ModelControl(triton.endpoints).model_config("m")
    assert raised.value.why == 'HTTP 400: {"error": "unknown model: \'m\'"}'


def test_an_answer_that_is_no_json_is_said_so(triton: Triton) -> None:
    triton.answers = {"GET /v2": [(200, "<html>")]}
    with pytest.raises(ServerFailed, match="is not JSON"):
        ModelControl(triton.endpoints).server_metadata()


def test_nobody_answering_is_a_failed_server_with_the_path(triton: Triton) -> None:
    endpoints = triton.endpoints
    triton.http.server_close()
    with pytest.raises(ServerFailed) as raised:
        ModelControl(endpoints).load("m")
    assert endpoints.http in raised.value.what
    assert "/v2/repository/models/m/load" in raised.value.why
