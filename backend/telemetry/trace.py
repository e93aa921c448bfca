"""Switches Triton's trace on for a trial, off after it, and reads what it wrote.

The server must have been started with a trace file (``--trace-config triton,file=…``); since 24.04
it cannot be named later. The file is written when the setting changes and the last traced request
is over. With a ``log_frequency`` above the number of requests each trial gets one whole numbered
file (``FILE.0``, ``FILE.1``, …), small ones too, which would otherwise stay in the server's buffer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend.contracts.errors import ServerFailed
from backend.telemetry.http_api import exchange_json
from backend.telemetry.trace_records import TraceRecord, read_trace

SETTING: Final = "/v2/trace/setting"
LOG_FREQUENCY: Final = "1000000000"
POLL_S: Final = 0.02


@dataclass(frozen=True)
class TraceRead:
    """What a trial's trace holds; ``problem`` says what is missing, null if nothing is."""

    records: tuple[TraceRecord, ...]
    problem: str | None


class TraceSwitch:
    """The trace of one server, whose trace file this process can read."""

    def __init__(self, http_endpoint: str, trace_file: Path) -> None:
        self._endpoint = http_endpoint
        self._file = trace_file

    def on(self) -> None:
        """Trace every request from now on.

        Files of an earlier trace are removed: what is read later is this one's.

        Raises:
            ServerFailed: if the server does not answer, or does not trace to this file.
        """
        for part in self._parts():
            part.unlink(missing_ok=True)
        setting = exchange_json(
            self._endpoint,
            SETTING,
            {
                # every value is a string: the trace extension refuses numbers
                "trace_level": ["TIMESTAMPS"],
                "trace_rate": "1",
                "trace_count": "-1",
                "log_frequency": LOG_FREQUENCY,
            },
        )
        level, file = setting.get("trace_level"), setting.get("trace_file")
        if level != ["TIMESTAMPS"] or file != str(self._file):
            raise ServerFailed(
                f"The server at {self._endpoint} does not trace requests to {self._file}.",
                why=f"Its trace setting: level {level}, file {file}.",
                next_step="Start the server with --trace-config naming this file.",
            )

    def off_and_read(
        self, *, model_name: str | None = None, expected: int | None = None, wait_s: float = 5.0
    ) -> TraceRead:
        """Stop tracing and read what was traced since ``on``; the files are then removed.

        Nothing is raised: without a trace the requests keep null in the server's columns, and the
        reason is named.

        Args:
            model_name: Only this model's requests; all if null.
            expected: How many requests were sent; fewer records are a problem, none with 0 is not.
            wait_s: How long to wait for the file. It comes when the last traced request is over,
                which one without an answer may never be.
        """
        try:
            exchange_json(self._endpoint, SETTING, {"trace_level": ["OFF"]})
        except ServerFailed as error:
            return TraceRead((), f"the trace could not be switched off: {error.what} {error.why}")
        if expected == 0:
            return TraceRead((), None)

        give_up = time.monotonic() + wait_s
        while True:
            records, problem = self._read(model_name)
            late = time.monotonic() > give_up
            if (records and problem is None) or late:
                break
            time.sleep(POLL_S)
        for part in self._parts():
            part.unlink(missing_ok=True)
        if not records and problem is None:
            problem = f"the server wrote no trace file within {wait_s:g} s"
        elif expected is not None and len(records) < expected and problem is None:
            problem = f"the trace holds {len(records)} of {expected} requests"
        return TraceRead(tuple(records), problem)

    def _parts(self) -> list[Path]:
        numbered = [
            path
            for path in self._file.parent.glob(self._file.name + ".*")
            if path.suffix[1:].isdigit()
        ]
        return sorted(numbered, key=lambda path: int(path.suffix[1:]))

    def _read(self, model_name: str | None) -> tuple[list[TraceRecord], str | None]:
        records: list[TraceRecord] = []
        problems: list[str] = []
        for part in self._parts():
            found, problem = read_trace(part, model_name)
            records += found
            if problem:
                problems.append(problem)
        return records, "; ".join(problems) or None
