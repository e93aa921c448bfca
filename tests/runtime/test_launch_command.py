"""The server's command line and environment: loopback only, our prefix, the venv first (M16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.runtime.launch_command import arguments, assemble_workspace, server_environment
from backend.runtime.wheel import Wheel

PREFIX = "interleave-0123456789ab-"


@pytest.fixture
def parts(tmp_path: Path) -> Wheel:
    backend = tmp_path / "wheel/python"
    (backend / "__pycache__").mkdir(parents=True)
    for path in (
        backend / "libtriton_python.so",
        backend / "triton_python_backend_utils.py",
        tmp_path / "wheel/triton_python_backend_stub",
        tmp_path / "wheel/libpython3.11.so.1.0",
    ):
        path.write_text(path.name)
    return Wheel(
        version="0.7.0",
        server=tmp_path / "wheel/tritonserver",
        python_backend=backend,
        stub=tmp_path / "wheel/triton_python_backend_stub",
        libraries=tmp_path / "wheel/libs",
        libpython=tmp_path / "wheel/libpython3.11.so.1.0",
        programs=Path("/venv/bin"),
    )


def command(parts: Wheel, workspace: str, auto_complete: bool = False) -> list[str]:
    return arguments(
        parts,
        Path(workspace),
        ports={"http": 1, "grpc": 2, "metrics": 3},
        shm_prefix=PREFIX,
        trace_file=Path(workspace) / "trace-1.json",
        trace_level="OFF",
        auto_complete=auto_complete,
    )


def test_every_endpoint_is_bound_to_loopback(parts: Wheel) -> None:
    given = command(parts, "/w")
    for number, endpoint in enumerate(("http", "grpc", "metrics"), start=1):
        assert f"--{endpoint}-address=127.0.0.1" in given
        assert f"--{endpoint}-port={number}" in given


def test_models_trace_and_memory_are_as_designed(parts: Wheel) -> None:
    given = command(parts, "/w")
    assert "--model-control-mode=explicit" in given
    assert "--model-repository=/w/models" in given
    assert "--backend-directory=/w/backends" in given
    assert f"--backend-config=python,shm-region-prefix-name={PREFIX}" in given
    assert "--trace-config=triton,file=/w/trace-1.json" in given
    assert "--trace-config=rate=1" in given
    assert "--trace-config=count=-1" in given
    assert "--metrics-config=summary_latencies=true" in given
    assert "--disable-auto-complete-config" in given
    assert "--disable-auto-complete-config" not in command(parts, "/w", auto_complete=True)


@pytest.mark.parametrize("workspace", ["/a b/w", "/a'b/w", "/a$(b)/w", "/a;b/w", "/ä/w"])
def test_a_workspace_that_a_shell_would_take_apart_is_named_from_inside(
    parts: Wheel, workspace: str
) -> None:
    given = command(parts, workspace)
    assert "--model-repository=models" in given
    assert "--backend-directory=backends" in given
    assert f"--trace-config=triton,file={workspace}/trace-1.json" in given


def test_workspace_holds_the_backend_with_its_stub_and_libpython_alone(
    tmp_path: Path, parts: Wheel
) -> None:
    workspace, repository = tmp_path / "w", tmp_path / "elsewhere/models"
    for _ in range(2):
        # a restart finds what the first start made
        assemble_workspace(workspace, parts, repository)
    backend = workspace / "backends/python"
    assert sorted(p.name for p in backend.iterdir()) == [
        "libtriton_python.so",
        "triton_python_backend_stub",
        "triton_python_backend_utils.py",
    ]
    assert (backend / "libtriton_python.so").read_text() == "libtriton_python.so"
    assert [p.name for p in (workspace / "lib").iterdir()] == ["libpython3.11.so.1.0"]
    (repository / "m").mkdir()
    assert (workspace / "models/m").is_dir()


def test_a_repository_in_the_workspace_stays_what_it_is(tmp_path: Path, parts: Wheel) -> None:
    workspace = tmp_path / "w"
    (workspace / "models/m").mkdir(parents=True)
    assemble_workspace(workspace, parts, workspace / "models")
    assert (workspace / "models/m").is_dir()
    assert not (workspace / "models").is_symlink()


def test_environment_puts_the_venv_and_the_libraries_first(parts: Wheel) -> None:
    own = {"PATH": "/usr/bin", "LD_LIBRARY_PATH": "/cuda", "PYTHONHOME": "/x", "HOME": "/home/me"}
    given = server_environment(parts, Path("/w"), PREFIX, own)
    assert given["PATH"] == "/venv/bin:/usr/bin"
    assert given["LD_LIBRARY_PATH"] == f"/w/lib:{parts.libraries}:/cuda"
    assert "PYTHONHOME" not in given
    assert given["HOME"] == "/home/me"
    assert given["INTERLEAVE_SHM_PREFIX"] == PREFIX


def test_environment_without_any_path(parts: Wheel) -> None:
    given = server_environment(parts, Path("/w"), PREFIX, {})
    assert given["PATH"].startswith("/venv/bin:")
    assert given["LD_LIBRARY_PATH"] == f"/w/lib:{parts.libraries}"
