"""The run directory: the contract between the worker and everyone who reads a run.

Append-only, safe to read while being written, self-contained: copy it and it opens elsewhere.

    study.yaml environment.json events.jsonl plans/ reference/ findings.json server.log worker.log
    trials/<nn>/{config.pbtxt, requests.parquet, replies.parquet, server.json}

A trial is finished when its ``server.json`` exists: it is written last, by an atomic rename.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backend.contracts.errors import EnvironmentMissing, InputError


@dataclass(frozen=True)
class RunDirectory:
    """Paths of one run, and the two ways to write into it: whole files, and events."""

    root: Path

    @property
    def name(self) -> str:
        """The run's name: its folder's."""
        return self.root.name

    @property
    def study(self) -> Path:
        """The study as it was run."""
        return self.root / "study.yaml"

    @property
    def environment(self) -> Path:
        """Versions, hardware, hashes, seed (M19)."""
        return self.root / "environment.json"

    @property
    def events(self) -> Path:
        """What happened, one JSON object per line with ``event`` and ``at`` (UTC, ISO)."""
        return self.root / "events.jsonl"

    @property
    def findings(self) -> Path:
        """What the run showed."""
        return self.root / "findings.json"

    @property
    def server_log(self) -> Path:
        """Triton's own log."""
        return self.root / "server.log"

    @property
    def worker_log(self) -> Path:
        """What the worker printed when a page started it."""
        return self.root / "worker.log"

    @property
    def stop_request(self) -> Path:
        """Exists when somebody asked the worker to stop."""
        return self.root / "stop"

    @property
    def plans(self) -> Path:
        """Plans by class and cell."""
        return self.root / "plans"

    @property
    def reference(self) -> Path:
        """Replies of the isolated replay by class and cell."""
        return self.root / "reference"

    @property
    def trials(self) -> Path:
        """One folder per trial."""
        return self.root / "trials"

    def trial(self, number: int) -> TrialDirectory:
        """The folder of one trial."""
        return TrialDirectory(self.trials / f"{number:02d}")

    def finished_trials(self) -> tuple[TrialDirectory, ...]:
        """Trials whose last file is there, in number order."""
        if not self.trials.is_dir():
            return ()
        found = (TrialDirectory(path) for path in self.trials.iterdir() if path.name.isdigit())
        return tuple(sorted((t for t in found if t.server.exists()), key=lambda t: t.number))

    def create(self) -> RunDirectory:
        """Make the folders of a new run.

        Raises:
            InputError: if the folder exists and is not empty: a run never overwrites another.
            EnvironmentMissing: if it cannot be written.
        """
        try:
            if self.root.exists() and any(self.root.iterdir()):
                raise InputError(
                    f"The folder {self.root} is not empty; a run never overwrites another.",
                    next_step="Choose another folder with --out, or move that one away.",
                )
            for folder in (self.root, self.plans, self.reference, self.trials):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EnvironmentMissing(
                f"The run directory {self.root} cannot be written.",
                why=str(error),
                next_step="Free the disk, or choose a folder that you can write with --out.",
            ) from error
        return self

    def append_event(self, event: str, **details: Any) -> None:
        """Append one event; a single write, so that a reader never sees half a line."""
        line = json.dumps({"event": event, "at": datetime.now(UTC).isoformat(), **details})
        with self.events.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def read_events(self) -> tuple[dict[str, Any], ...]:
        """All complete events so far; a line that is none, as a crash can leave it, is left out."""
        if not self.events.exists():
            return ()
        events = []
        for line in self.events.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                event = json.loads(line)
            except json.JSONDecodeError:
                # the last line of a worker that was killed while it wrote
                continue
            if isinstance(event, dict) and "event" in event and "at" in event:
                events.append(event)
        return tuple(events)


@dataclass(frozen=True)
class TrialDirectory:
    """Paths of one trial."""

    root: Path

    @property
    def number(self) -> int:
        """The trial's number, from 0."""
        return int(self.root.name)

    @property
    def config(self) -> Path:
        """The exact file that was loaded."""
        return self.root / "config.pbtxt"

    @property
    def requests(self) -> Path:
        """The requests table."""
        return self.root / "requests.parquet"

    @property
    def replies(self) -> Path:
        """The replies' tensors."""
        return self.root / "replies.parquet"

    @property
    def server(self) -> Path:
        """Clock offsets, effective configuration, statistics, generator's cost; written last."""
        return self.root / "server.json"


def write_json(path: Path, value: Mapping[str, Any] | str) -> None:
    """Write a JSON file in one piece: a reader sees the old one or the new one, never half."""
    text = value if isinstance(value, str) else json.dumps(value, indent=1, sort_keys=False)
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(text + "\n", encoding="utf-8")
    os.replace(temporary, path)
