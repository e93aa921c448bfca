"""A real Triton: started, asked, killed, cleaned up after (M16, M18, M19)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from backend.contracts.errors import ModelLoadFailed, ServerFailed
from backend.contracts.home import Home
from backend.contracts.process_identity import identity
from backend.contracts.run_directory import RunDirectory
from backend.runtime import ports
from backend.runtime.cleanup import find_leftovers, remove_leftovers
from backend.runtime.control import ModelControl
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.environment import environment
from backend.runtime.owners import list_owners, register
from backend.runtime.process_table import processes_by_prefix
from backend.runtime.server_log import LIMIT_BYTES
from backend.runtime.shared_memory import regions
from backend.runtime.trial_start import check_start

PROJECT = Path(__file__).resolve().parents[2]

ECHO = """
import sys
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    def initialize(self, args):
        print("PREFIX", sys.prefix, flush=True)
        print("PATH", sys.path, flush=True)

    def execute(self, requests):
        return [
            pb_utils.InferenceResponse(
                [pb_utils.Tensor("O", pb_utils.get_input_tensor_by_name(r, "I").as_numpy())]
            )
            for r in requests
        ]
"""


def put_model(
    repository: Path,
    name: str,
    model: str = ECHO,
    *,
    more: str = "",
    backend: str = "python",
    instances: int = 1,
) -> str:
    folder = repository / name / "1"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.py").write_text(model)
    (repository / name / "config.pbtxt").write_text(
        f'name: "{name}"\nbackend: "{backend}"\nmax_batch_size: 4\n'
        'input [{ name: "I" data_type: TYPE_FP32 dims: [1] }]\n'
        'output [{ name: "O" data_type: TYPE_FP32 dims: [1] }]\n'
        f"instance_group [{{ count: {instances} kind: KIND_CPU }}]\n" + more
    )
    return name


def ask(endpoint: str, path: str, body: object = None) -> str:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"http://{endpoint}{path}", data=data), timeout=20) as answer:
        return str(answer.read().decode())


def infer(server: EmbeddedServer, name: str, request_id: str, value: float) -> float:
    body = {
        "id": request_id,
        "inputs": [{"name": "I", "shape": [1, 1], "datatype": "FP32", "data": [value]}],
    }
    reply = json.loads(ask(server.endpoints.http, f"/v2/models/{name}/infer", body))
    return float(reply["outputs"][0]["data"][0])


def nothing_left(server: EmbeddedServer) -> bool:
    return server.shm_prefix not in processes_by_prefix() and regions(server.shm_prefix) == ()


def wait_until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < give_up, "waited 30 s"
        time.sleep(0.02)


@pytest.fixture
def new_server(embedded_triton_possible: None, tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A server of a test's own; not started."""
    server = EmbeddedServer(tmp_path / "w/models", tmp_path / "w")
    yield server
    assert server.stop(grace_s=0) == ()


def test_the_dynamic_loader_finds_all_libraries(embedded_triton_possible: None) -> None:
    assert check_start().status == "ok"


def test_it_listens_on_loopback_only_and_says_what_it_is(
    triton: EmbeddedServer, control: ModelControl
) -> None:
    metadata = control.server_metadata()
    assert metadata["version"] == "2.51.0"
    assert {"sequence", "statistics", "trace", "model_repository"} <= set(metadata["extensions"])
    assert triton.pid is not None
    held = ports._socket_inodes(triton.pid)
    listening = [
        fields[1]
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        if (fields := line.split())[9] in held and fields[3] == "0A"
    ]
    assert {int(place.partition(":")[2], 16) for place in listening} == set(triton.ports)
    # 127.0.0.1, by gRPC as an IPv4-mapped address
    loopback = {"0100007F", "0000000000000000FFFF00000100007F"}
    assert {place.partition(":")[0] for place in listening} <= loopback


def test_a_model_is_loaded_asked_and_unloaded_with_nothing_left(
    triton: EmbeddedServer, control: ModelControl
) -> None:
    name = put_model(triton.repository, "echo", more="dynamic_batching {}\n", instances=2)
    control.load(name)
    assert control.model_ready(name)
    assert control.model_config(name)["dynamic_batching"]["preferred_batch_size"] == [4]
    assert infer(triton, name, "r1", 2.5) == 2.5
    assert len(regions(triton.shm_prefix)) == 2
    control.unload(name)
    assert not control.model_ready(name)
    assert [m.state for m in control.index() if m.name == name] == ["UNAVAILABLE"]
    assert regions(triton.shm_prefix) == ()
    # unloading what is not loaded is no fault
    control.unload(name)


def test_models_have_the_packages_of_this_environment_and_none_of_the_folder_it_was_started_in(
    triton: EmbeddedServer, control: ModelControl
) -> None:
    name = put_model(triton.repository, "where")
    control.load(name)
    control.unload(name)
    lines = [line for line in triton.log_tail(400) if line.startswith(("PREFIX", "PATH"))]
    assert f"PREFIX {sys.prefix}" in lines
    path = next(line for line in lines if line.startswith("PATH"))
    assert "site-packages" in path
    assert f"'{os.getcwd()}'" not in path


def test_trace_goes_to_complete_numbered_files_when_it_is_switched_off(
    triton: EmbeddedServer, control: ModelControl
) -> None:
    name = put_model(triton.repository, "traced")
    control.load(name)
    for number in range(2):
        ask(triton.endpoints.http, "/v2/trace/setting", {"trace_level": ["TIMESTAMPS"]})
        infer(triton, name, f"request-{number}", 1.0)
        ask(triton.endpoints.http, "/v2/trace/setting", {"trace_level": ["OFF"]})
        part = triton.trace_file.with_name(f"{triton.trace_file.name}.{number}")
        wait_until(part.exists)
        wait_until(lambda part=part: part.read_text().rstrip().endswith("]"))
        ids = [r["request_id"] for r in json.loads(part.read_text()) if "request_id" in r]
        assert ids == [f"request-{number}"]
    control.unload(name)


def test_metrics_carry_latency_quantiles_per_model(
    triton: EmbeddedServer, control: ModelControl
) -> None:
    name = put_model(triton.repository, "measured")
    control.load(name)
    infer(triton, name, "r", 1.0)
    text = ask(triton.endpoints.metrics, "/metrics")
    assert 'nv_inference_queue_summary_us{model="measured",version="1",quantile="0.99"}' in text
    control.unload(name)


@pytest.mark.parametrize(
    ("name", "model", "more", "backend", "says"),
    [
        ("typo", ECHO, "dynamic_bat {}\n", "python", "config.pbtxt line 7, column 13: "),
        (
            "two_schedulers",
            ECHO,
            "dynamic_batching {}\nsequence_batching { oldest {} }\n",
            "python",
            'column 19: Field "sequence_batching" is specified along with field "dynamic_batching"',
        ),
        (
            "half_control",
            ECHO,
            'sequence_batching { control_input [{ name: "S" '
            "control [{ kind: CONTROL_SEQUENCE_START }] }] }\n",
            "python",
            "sequence batching must specify either 'int32_false_true'",
        ),
        (
            "raises",
            "class TritonPythonModel:\n"
            "    def initialize(self, args):\n"
            "        raise ValueError('weights file missing')\n",
            "",
            "python",
            "ValueError: weights file missing",
        ),
        ("no_package", "import no_such_package\n", "", "python", "No module named"),
        ("no_syntax", "def x(:\n", "", "python", "SyntaxError: invalid syntax (model.py, line 1)"),
        ("no_backend", ECHO, "", "onnxruntime", "has the Python backend only"),
        ("dies", "import os\nos._exit(3)\n", "", "python", "is not healthy"),
    ],
)
def test_a_model_that_cannot_be_loaded_says_why(
    triton: EmbeddedServer,
    control: ModelControl,
    name: str,
    model: str,
    more: str,
    backend: str,
    says: str,
) -> None:
    put_model(triton.repository, name, model, more=more, backend=backend)
    with pytest.raises(ModelLoadFailed) as raised:
        control.load(name)
    assert raised.value.what == f"Triton could not load the model '{name}'."
    assert says in raised.value.why
    assert triton.is_alive()


def test_after_a_refused_model_the_server_serves_on(
    triton: EmbeddedServer, control: ModelControl
) -> None:
    name = put_model(triton.repository, "mended", "import os\nos._exit(3)\n")
    with pytest.raises(ModelLoadFailed):
        control.load(name)
    put_model(triton.repository, name)
    control.load(name)
    assert infer(triton, name, "r", 1.0) == 1.0
    control.unload(name)


def test_a_model_that_is_not_there_says_so(control: ModelControl) -> None:
    with pytest.raises(ModelLoadFailed) as raised:
        control.load("nowhere")
    assert raised.value.why == "model not found in any model repository."


def test_environment_names_server_versions_and_machine(triton: EmbeddedServer) -> None:
    """M19; what is not there is null, never left out."""
    facts = environment(triton.endpoints, repository=triton.repository)
    assert facts["runtime"] == "embedded"
    assert facts["server"]["version"] == "2.51.0"
    assert facts["server"]["release"] == "24.10"
    assert facts["server"]["image_digest"] is None
    assert facts["server"]["wheel"] == "nvidia-pytriton 0.7.0"
    assert facts["hardware"]["cores"] >= 1
    assert facts["client"]["tritonclient"]
    assert facts["interleave"]
    assert json.loads(json.dumps(facts)) == facts


def test_a_hard_killed_server_is_told_and_leaves_nothing(new_server: EmbeddedServer) -> None:
    name = put_model(new_server.repository, "echo")
    new_server.start()
    new_server.wait_ready(60)
    control = new_server.control()
    control.load(name)
    assert len(regions(new_server.shm_prefix)) == 1
    assert new_server.pid is not None
    os.kill(new_server.pid, signal.SIGKILL)
    wait_until(lambda: not new_server.is_alive())
    assert new_server.exit_code() == -9
    assert new_server.describe_end().startswith("Triton ended: killed by SIGKILL.")
    with pytest.raises(ServerFailed, match="does not answer"):
        control.load(name)

    assert new_server.stop() == ()
    assert nothing_left(new_server)
    assert new_server.stop() == ()

    before = new_server.endpoints
    new_server.restart(60)
    assert new_server.endpoints == before
    new_server.control().load(name)
    assert infer(new_server, name, "r", 3.0) == 3.0


def test_an_orderly_stop_leaves_nothing_and_ends_with_code_0(new_server: EmbeddedServer) -> None:
    name = put_model(new_server.repository, "echo")
    new_server.start()
    new_server.wait_ready(60)
    new_server.control().load(name)
    assert new_server.stop() == ()
    assert new_server.exit_code() == 0
    assert nothing_left(new_server)
    assert not any(ports.describe_owner(p).startswith("process") for p in new_server.ports)


@pytest.mark.long
def test_a_server_that_hangs_is_killed(new_server: EmbeddedServer) -> None:
    new_server.start()
    new_server.wait_ready(60)
    assert new_server.pid is not None
    os.kill(new_server.pid, signal.SIGSTOP)
    assert new_server.stop(grace_s=0.2) == ()
    assert new_server.exit_code() == -9
    assert nothing_left(new_server)


def test_a_crash_of_the_server_is_told_with_its_signal(new_server: EmbeddedServer) -> None:
    new_server.start()
    new_server.wait_ready(60)
    assert new_server.pid is not None
    os.kill(new_server.pid, signal.SIGSEGV)
    wait_until(lambda: not new_server.is_alive())
    assert new_server.exit_code() in (-signal.SIGSEGV, -signal.SIGABRT)
    assert "killed by SIG" in new_server.describe_end()


def test_two_servers_side_by_side_do_not_touch_each_other(
    triton: EmbeddedServer, control: ModelControl, new_server: EmbeddedServer
) -> None:
    name = put_model(triton.repository, "both")
    control.load(name)
    put_model(new_server.repository, name)
    new_server.start()
    new_server.wait_ready(60)
    new_server.control().load(name)
    assert not set(triton.ports) & set(new_server.ports)
    assert infer(new_server, name, "r", 1.0) == infer(triton, name, "r", 1.0)
    assert new_server.stop(grace_s=0) == ()
    assert nothing_left(new_server)
    assert len(regions(triton.shm_prefix)) == 1
    assert infer(triton, name, "r", 4.0) == 4.0
    control.unload(name)


def test_a_port_that_another_process_took_first_is_replaced(
    triton: EmbeddedServer, new_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = ports.free_ports
    taken = iter([(triton.ports[0], *honest(5))])
    monkeypatch.setattr(ports, "free_ports", lambda count: next(taken, None) or honest(count))
    new_server.start()
    assert new_server.endpoints.http == triton.endpoints.http
    new_server.wait_ready(60)
    assert new_server.endpoints.http != triton.endpoints.http
    assert new_server.pid is not None
    assert all(ports.listens(new_server.pid, port) for port in new_server.ports)
    assert triton.is_alive()


def test_a_folder_with_a_space_and_signs_of_a_shell(
    embedded_triton_possible: None, tmp_path: Path
) -> None:
    """Triton's Python backend starts its stub through a shell, unquoted: the load would hang."""
    folder = tmp_path / "my home; $(x), y=z"
    server = EmbeddedServer(folder / "models", folder)
    try:
        name = put_model(server.repository, "echo")
        server.start()
        server.wait_ready(60)
        server.control().load(name, deadline_s=60)
        assert infer(server, name, "r", 1.5) == 1.5
        ask(server.endpoints.http, "/v2/trace/setting", {"trace_level": ["TIMESTAMPS"]})
        infer(server, name, "r", 1.5)
        ask(server.endpoints.http, "/v2/trace/setting", {"trace_level": ["OFF"]})
        wait_until(server.trace_file.with_name(server.trace_file.name + ".0").exists)
    finally:
        assert server.stop(grace_s=0) == ()
    assert nothing_left(server)


@pytest.mark.long
def test_a_models_process_that_dies_while_it_completes_its_configuration(
    embedded_triton_possible: None, tmp_path: Path
) -> None:
    """With auto-completion Triton waits for it for ever and cannot be asked to end."""
    server = EmbeddedServer(tmp_path / "w/models", tmp_path / "w", auto_complete=True)
    try:
        put_model(server.repository, "dies", "import os\nos._exit(3)\n")
        server.start()
        server.wait_ready(60)
        with pytest.raises(ModelLoadFailed) as raised:
            server.control().load("dies")
        assert raised.value.why == (
            "The model's process ended with exit code 3 before the model was initialised."
        )
        assert "Restart the server" in raised.value.next_step
        server.restart(60, grace_s=0.2)
        good = put_model(server.repository, "good")
        server.control().load(good)
    finally:
        assert server.stop(grace_s=0) == ()
    assert nothing_left(server)


@pytest.mark.long
def test_a_flood_in_the_log_is_bounded(new_server: EmbeddedServer) -> None:
    flood = (
        "class TritonPythonModel:\n"
        "    def initialize(self, args):\n"
        "        for _ in range(80):\n"
        "            print('x' * 1023 + '\\n' + ('y' * 1023 + '\\n') * 1023, end='', flush=True)\n"
        "        print('the end', flush=True)\n"
    )
    name = put_model(new_server.repository, "floods", flood)
    new_server.start()
    new_server.wait_ready(60)
    control = new_server.control()
    control.load(name)
    log = new_server.log_path
    wait_until(lambda: log.open().readline().startswith("[Interleave cut"))
    wait_until(lambda: log.stat().st_size < LIMIT_BYTES)
    control.unload(name)
    tail = new_server.log_tail(50)
    assert len(tail) == 50
    assert any("successfully unloaded" in line for line in tail)
    assert new_server.stop(grace_s=0) == ()
    assert log.stat().st_size < LIMIT_BYTES


WORKER = """
import sys, time
from pathlib import Path
from backend.contracts.home import home
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.owners import register, release, update

where = home()
owner = register(where, run_dir=Path(sys.argv[1]))
workspace = owner.workspace

def note(server):
    global owner
    owner = update(where, owner, server)

server = EmbeddedServer(
    workspace / "models", workspace, shm_prefix=owner.shm_prefix, on_start=note
)
try:
    server.start()
    server.wait_ready(60)
    import shutil
    shutil.copytree(sys.argv[2], workspace / "models", dirs_exist_ok=True)
    server.control().load("echo")
    print(server.pid, flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(0.5)
    print("alive" if server.is_alive() else "gone", flush=True)
finally:
    print(server.stop(), flush=True)
    shutil.rmtree(workspace)
    release(where, owner)
"""


@pytest.fixture
def worker(
    embedded_triton_possible: None, tmp_path: Path, interleave_home: Path
) -> Iterator[subprocess.Popen[str]]:
    """A worker with a server of its own and a loaded model, as a run has it."""
    put_model(tmp_path / "repository", "echo", instances=2)
    run = RunDirectory(tmp_path / "run").create()
    run.append_event("run_started", planned=1)
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(run.root), str(tmp_path / "repository")],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    yield process
    process.kill()
    process.communicate()
    remove_leftovers(Home(interleave_home))


def test_a_hard_killed_workers_server_is_removed_at_the_next_start_and_no_other(
    worker: subprocess.Popen[str], interleave_home: Path, tmp_path: Path, triton: EmbeddedServer
) -> None:
    home = Home(interleave_home)
    assert worker.stdout is not None
    server_pid = int(worker.stdout.readline())
    server = identity(server_pid)
    (owner,) = list_owners(home)
    assert owner.worker == identity(worker.pid)
    assert owner.server == server
    assert len(owner.ports) == 3

    # while it lives, nothing of it is a leftover, whoever starts
    assert remove_leftovers(home) == []
    assert identity(server_pid) == server

    worker.kill()
    worker.wait()
    assert identity(server_pid) == server, "the server outlives a hard-killed worker"
    (found,) = find_leftovers(home)
    assert found.owner == owner
    # the server and the stubs of two instances
    assert len(found.processes) == 3
    assert len(found.regions) == 2

    mine = register(home)
    said = remove_leftovers(home)
    assert said[0].startswith("Ended the processes ")
    assert str(server_pid) in said[0]
    assert said[-1] == f"Marked the run {tmp_path / 'run'} as interrupted."
    assert identity(server_pid) is None
    assert owner.shm_prefix not in processes_by_prefix()
    assert regions(owner.shm_prefix) == ()
    assert not owner.workspace.exists()
    assert list_owners(home) == (mine,)
    assert [e["event"] for e in RunDirectory(tmp_path / "run").read_events()] == [
        "run_started",
        "interrupted",
    ]
    assert remove_leftovers(home) == []
    assert triton.is_alive()


@pytest.mark.long
def test_leftovers_of_a_worker_and_its_server_both_killed(
    worker: subprocess.Popen[str], interleave_home: Path
) -> None:
    home = Home(interleave_home)
    assert worker.stdout is not None
    server_pid = int(worker.stdout.readline())
    (owner,) = list_owners(home)
    worker.kill()
    os.kill(server_pid, signal.SIGKILL)
    worker.wait()
    said = remove_leftovers(home)
    assert f"Removed the folder {owner.workspace}." in said
    assert owner.shm_prefix not in processes_by_prefix()
    assert regions(owner.shm_prefix) == ()
    assert list_owners(home) == ()


def test_ctrl_c_reaches_the_worker_alone_which_stops_its_server_in_order(
    worker: subprocess.Popen[str], interleave_home: Path
) -> None:
    home = Home(interleave_home)
    assert worker.stdout is not None
    server_pid = int(worker.stdout.readline())
    (owner,) = list_owners(home)
    # as a terminal does: to the whole process group
    os.killpg(worker.pid, signal.SIGINT)
    assert worker.stdout.readline() == "alive\n"
    assert worker.stdout.readline() == "()\n"
    worker.wait()
    assert identity(server_pid) is None
    assert regions(owner.shm_prefix) == ()
    assert list_owners(home) == ()
    assert list(home.work.iterdir()) == []
