"""The ground: set-up says in words what is missing; the console serves this machine only."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchmarks import results

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("bash", "cat", "cksum", "basename", "dirname", "uname")


def _run(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, **options
    )


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """A PATH with a shell and its tools, but no Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found, tool
        (folder / tool).symlink_to(found)
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What scripts/venv needs of a fresh clone."""
    clone = tmp_path / "clone"
    shutil.copytree(ROOT / "scripts", clone / "scripts")
    for name in ("requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, clone)
    return clone


def _fake_python(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!{shutil.which('bash')}\n{body}\n")
    path.chmod(0o755)


def test_no_python_is_said_in_words(checkout: Path, bare_path: Path) -> None:
    done = _run(checkout / "scripts/venv", "requirements.txt", env={"PATH": str(bare_path)})
    assert done.returncode == 2
    assert "Interleave needs Python 3.11 or newer; found: no Python 3." in done.stderr
    assert "apt-get install python3.11" in done.stderr
    assert not (checkout / ".venv").exists()


def test_an_old_python_is_named(checkout: Path, bare_path: Path) -> None:
    _fake_python(
        bare_path, "python3", 'if [[ $1 == --version ]]; then echo "Python 3.9.2"; else exit 1; fi'
    )
    done = _run(checkout / "scripts/venv", "requirements.txt", env={"PATH": str(bare_path)})
    assert done.returncode == 2
    assert "found: Python 3.9.2" in done.stderr


def test_a_python_without_venv_is_told_apart(checkout: Path, bare_path: Path) -> None:
    _fake_python(
        bare_path,
        "python3.11",
        f'[[ $* == *ensurepip* ]] && exit 1\nexec "{sys.executable}" "$@"',
    )
    done = _run(checkout / "scripts/venv", "requirements.txt", env={"PATH": str(bare_path)})
    assert done.returncode == 2
    assert "venv and ensurepip are missing" in done.stderr
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"apt-get install python{version}-venv" in done.stderr


def test_a_wrong_base_python_is_refused(checkout: Path, bare_path: Path) -> None:
    environment = {"PATH": str(bare_path), "BASE_PYTHON": "/nowhere/python"}
    done = _run(checkout / "scripts/venv", "requirements.txt", env=environment)
    assert done.returncode == 2
    assert "BASE_PYTHON=/nowhere/python is not a Python 3.11" in done.stderr


def test_a_taken_port_is_said_in_words() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        done = _run(sys.executable, ROOT / "scripts/free_port.py", str(port))
        assert done.returncode == 2
        assert f"Port {port} on 127.0.0.1 cannot be used" in done.stderr
        assert "make app PORT=" in done.stderr
    assert _run(sys.executable, ROOT / "scripts/free_port.py", str(port)).returncode == 0
    for wrong in ("", "abc", "0", "70000"):
        assert _run(sys.executable, ROOT / "scripts/free_port.py", wrong).returncode == 2


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_alone_lists_its_targets() -> None:
    done = _run("make", "-C", ROOT, "--no-print-directory", env={"PATH": os.environ["PATH"]})
    assert done.returncode == 0
    listed = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("  make")}
    assert {"help", "venv", "app", "test", "check", "fix", "bench", "clean"} <= listed


def test_the_console_serves_this_machine_only() -> None:
    settings = _settings()
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["server"]["headless"] is True
    assert "localhost" in settings["server"]["allowedHosts"]
    assert settings["browser"]["gatherUsageStats"] is False
    # a traceback shows paths and values to whoever looks on
    assert settings["client"]["showErrorDetails"] in ("none", "type")


@pytest.mark.parametrize(("scheme", "ground"), [("light", "#ffffff"), ("dark", "#0e1117")])
def test_colours_can_be_read(scheme: str, ground: str) -> None:
    """WCAG 2.1: 4.5:1 for text, 3:1 for marks; primary buttons carry white text."""
    theme = {**_settings()["theme"], **_settings()["theme"][scheme]}
    ground = theme.get("backgroundColor", ground)
    assert _contrast(theme["textColor"], ground) >= 4.5
    assert _contrast(theme["primaryColor"], "#ffffff") >= 4.5
    for colour in theme["chartCategoricalColors"]:
        assert _contrast(colour, ground) >= 3


def test_a_benchmark_prints_and_writes_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(results, "OUT", tmp_path / "out")
    figures = [
        results.Figure(
            name="requests per second, 16 in flight",
            value=14512.3,
            unit="1/s",
            command="make bench-load",
            against="wrk",
            ratio=0.93,
        ),
        results.Figure(name="lag, p99", value=0.2, unit="ms", command="make bench-load"),
    ]
    path = results.publish("load", figures)
    printed = capsys.readouterr().out
    assert "14,512" in printed
    assert "0.93" in printed
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0] == {
        "name": "requests per second, 16 in flight",
        "value": 14512.3,
        "unit": "1/s",
        "against": "wrk",
        "ratio": 0.93,
        "command": "make bench-load",
    }
    assert (lines[1]["against"], lines[1]["ratio"]) == (None, None)


def _settings() -> dict[str, Any]:
    return tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))


def _luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
