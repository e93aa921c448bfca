"""Asks real Triton servers, started as the product starts them, which configurations they load.

A model that is loaded stays loaded until its server is full, and then that server is killed and
started again (0.3 s): an unload takes 1.2 s per instance, and ten of them at a time have ended the
server. No request is sent.
"""

from __future__ import annotations

import queue
import re
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from backend.contracts.errors import EnvironmentMissing, ModelLoadFailed, ServerFailed
from backend.runtime.embedded import EmbeddedServer
from benchmarks.differential.cases import Case, Verdict

MOST_LOADED: Final = 16
"""Models that a server holds before it is started again."""
LOAD_DEADLINE_S: Final = 30.0
START_DEADLINE_S: Final = 60.0
SERVERS: Final = 2
_END_WAIT_S: Final = 5.0

MODEL: Final = '''\
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Answers with nothing; only warm-up requests ever reach it."""

    def execute(self, requests):
        return [pb_utils.InferenceResponse([]) for _ in requests]
'''
SUPPORT: Final = {
    "support_step": b'backend: "python"\nmax_batch_size: 4\n'
    b'input { name: "IN" data_type: TYPE_FP32 dims: [ 2 ] }\n'
    b'output { name: "OUT" data_type: TYPE_FP32 dims: [ 2 ] }\n'
    b"instance_group { kind: KIND_CPU }\n"
}
"""Models that stand in every repository, for ensembles to name."""

_NOT_READ: Final = "failed to read text proto from"
_PATH: Final = re.compile(r"(?<=['\s])/\S*/models/")
_STATUS: Final = re.compile(
    r"(Unknown|Internal|Not found|Invalid argument|Unavailable|Unsupported|Already exists): "
)


class Judge:
    """One server; ``verdict`` after ``verdict``, started again when full or dead."""

    def __init__(self, folder: Path) -> None:
        """Everything is written below ``folder``."""
        self._repository = folder / "models"
        self._server = EmbeddedServer(self._repository, folder / "work")
        self._loaded: list[Case] = []

    def close(self) -> None:
        """End the server the hard way: nobody uses what it holds.

        Raises:
            ServerFailed: if something of it cannot be ended or removed.
        """
        problems = self._server.stop(grace_s=0)
        if problems:
            raise ServerFailed("The judging server could not be ended.", why=" ".join(problems))

    def verdict(self, case: Case) -> tuple[Verdict, tuple[Case, ...]]:
        """The server's verdict, and cases that must be asked again, alone.

        Where a server that holds other models ends or hangs, it is not known which case did it.
        """
        suspects = self.suspects()
        if suspects or not self._server.is_alive() or len(self._loaded) >= MOST_LOADED:
            self._begin_anew()
        found = self._ask(case)
        if found.outcome in ("died", "hung"):
            if self._loaded:
                suspects += (*self._loaded, case)
            self._begin_anew()
        elif found.loads:
            self._loaded.append(case)
        return found, suspects

    def alone(self, case: Case) -> Verdict:
        """The verdict of a fresh server that has loaded nothing else."""
        self._begin_anew()
        found = self._ask(case)
        if found.loads and not self._server.is_alive():
            found = Verdict("died", reason=self._server.describe_end())
        return found

    def suspects(self) -> tuple[Case, ...]:
        """Cases that were loaded when the server ended by itself; empty while it lives."""
        return () if self._server.is_alive() else tuple(self._loaded)

    def _begin_anew(self) -> None:
        """Start on a repository that holds the supporting models only."""
        self._loaded = []
        self.close()
        shutil.rmtree(self._repository, ignore_errors=True)
        for name, text in SUPPORT.items():
            self._write(name, text)
        self._server.start()
        self._server.wait_ready(START_DEADLINE_S)

    def _write(self, name: str, text: bytes) -> None:
        version = self._repository / name / "1"
        version.mkdir(parents=True)
        (version / "model.py").write_text(MODEL, encoding="utf-8")
        (version.parent / "config.pbtxt").write_bytes(text)

    def _ask(self, case: Case) -> Verdict:
        self._write(case.name, case.text)
        try:
            self._server.control().load(case.name, LOAD_DEADLINE_S)
        except ModelLoadFailed as error:
            if not self._server.is_alive():
                return Verdict("died", reason=self._server.describe_end())
            if error.next_step.startswith("Restart the server"):
                return Verdict("hung", reason=error.why)
            return Verdict("refused", *_stage_and_reason(case, error.why))
        except ServerFailed as error:
            # a server that dies closes its connections before it is gone
            give_up = time.monotonic() + _END_WAIT_S
            while self._server.is_alive() and time.monotonic() < give_up:
                time.sleep(0.05)
            if self._server.is_alive():
                return Verdict("hung", reason=f"{error.what} {error.why}")
            return Verdict("died", reason=self._server.describe_end())
        return Verdict("loads")


def _stage_and_reason(case: Case, why: str) -> tuple[str, str]:
    """Where in loading it was refused, and why, without paths and the case's own name."""
    reason = _PATH.sub("", why).replace(case.name, "MODEL").strip()
    if _NOT_READ in reason:
        return "parse", reason.partition("\n" + _NOT_READ)[0]
    # only what comes from behind the poll is answered with a status before the text
    return ("load" if _STATUS.match(reason) else "poll"), reason


def judge(cases: Sequence[Case], folder: Path, servers: int = SERVERS) -> dict[str, Verdict]:
    """The verdict on each case, by its name.

    Raises:
        EnvironmentMissing: if this machine cannot serve, or kept a model from loading.
        ServerFailed: if a server cannot be started or ended.
    """
    waiting: queue.SimpleQueue[Case] = queue.SimpleQueue()
    for case in cases:
        waiting.put(case)
    found: dict[str, Verdict] = {}
    again: dict[str, Case] = {}
    faults: list[Exception] = []

    def work(number: int) -> None:
        try:
            with _server(folder / str(number)) as one:
                for case in _taken(waiting):
                    if faults:
                        return
                    found[case.name], suspects = one.verdict(case)
                    again.update((item.name, item) for item in suspects)
                again.update((item.name, item) for item in one.suspects())
        except (EnvironmentMissing, ServerFailed, OSError) as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(servers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    if again:
        with _server(folder / "again") as one:
            for case in again.values():
                found[case.name] = one.alone(case)
    return found


def _taken(waiting: queue.SimpleQueue[Case]) -> Iterator[Case]:
    while True:
        try:
            yield waiting.get_nowait()
        except queue.Empty:
            return


@contextmanager
def _server(folder: Path) -> Iterator[Judge]:
    one = Judge(folder)
    try:
        yield one
    finally:
        one.close()
