"""How far a run is, read from its directory: what a page or a second terminal shows.

The worker writes events at each step and ``progress.json`` about twice a second while it measures;
nobody asks the worker itself, so a reload or a second viewer changes nothing.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from backend.contracts.process_identity import is_alive
from backend.contracts.run_directory import RunDirectory
from backend.contracts.values import Value

RunState = Literal["waiting", "running", "complete", "interrupted", "failed"]


class TrialCounters(Value):
    """The trial that is being measured now."""

    trial: int
    requests: int
    sent: int
    answered: int
    errors: int


class RunProgress(Value):
    """A run's state at one moment; times in seconds."""

    run: str
    study: str
    state: RunState
    phase: str
    """What happens now, as a sentence for the page."""
    trials_done: int
    trials_planned: int
    trials_failed: int
    elapsed_s: float
    remaining_s: float | None
    """Expected from the trials so far; null before the first has finished."""
    counters: TrialCounters | None = None
    exit_code: int | None = None
    verdict: str | None = None
    message: str = ""
    """What, why and next of a failure or a stop."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be written."""
        return self.state in ("complete", "interrupted", "failed")


def _counters(path: Path) -> TrialCounters | None:
    try:
        return TrialCounters.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def _moment(event: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(event["at"])


def _trial_text(event: dict[str, Any]) -> str:
    return (
        f"{event['class']}, {event['candidate']}, {event['cell'].replace(',', ', ')}, "
        f"round {event['repeat'] + 1}"
    )


def _phase(event: dict[str, Any]) -> str:
    kind = str(event["event"])
    if kind == "waiting":
        return f"Waiting: {event['why']}"
    if kind == "run_started":
        return "Preparing the plans"
    if kind == "server_starting":
        return "Starting Triton"
    if kind == "server_ready":
        return f"Triton {event['version']} is ready"
    if kind == "reference_started":
        return f"Replaying each session of {event['class']} alone, as the reference"
    if kind == "reference_finished":
        return f"Reference of {event['class']} recorded"
    if kind == "trial_started":
        return "Measuring " + _trial_text(event)
    if kind == "trial_finished":
        return "Measured " + _trial_text(event)
    if kind == "trial_repeated":
        return "Measuring again, as the load generator was held up: " + _trial_text(event)
    if kind == "trial_failed":
        return "Not measured: " + _trial_text(event)
    if kind == "judging":
        return "Judging what came back"
    return kind.replace("_", " ").capitalize()


def read_progress(run: RunDirectory) -> RunProgress:
    """The run's state now; an empty or foreign folder reads as failed with the reason."""
    events = run.read_events()
    started = next((e for e in events if e["event"] == "run_started"), None)
    if started is None:
        waiting = bool(events)
        return RunProgress(
            run=run.name,
            study="",
            state="waiting" if waiting else "failed",
            phase=_phase(events[-1]) if waiting else "Nothing was started",
            trials_done=0,
            trials_planned=0,
            trials_failed=0,
            elapsed_s=0.0,
            remaining_s=None,
            message="" if waiting else f"{run.root} holds no run.",
        )
    done = [e for e in events if e["event"] == "trial_finished"]
    failed = [e for e in events if e["event"] in ("trial_failed", "trial_skipped")]
    planned = int(started["planned"])
    end = next(
        (e for e in reversed(events) if e["event"] in ("run_finished", "interrupted", "failed")),
        None,
    )
    last = end or events[-1]
    message = ""
    exit_code = None
    verdict = None
    state: RunState
    if end is None:
        alive = is_alive(str(started["worker"]))
        if not alive and len(run.read_events()) > len(events):
            # it wrote its end between our reading and our look at the process
            return read_progress(run)
        state = "running" if alive else "interrupted"
        if events[-1]["event"] == "waiting" and alive:
            state = "waiting"
        if not alive:
            message = "The worker ended without saying why; finished trials are kept."
        now = datetime.now(UTC) if alive else _moment(last)
    else:
        now = _moment(end)
        exit_code = end.get("exit_code")
        verdict = end.get("verdict")
        if end["event"] == "run_finished":
            state = "complete"
        else:
            state = "interrupted" if end["event"] == "interrupted" else "failed"
            parts = (end.get("what"), end.get("why"), end.get("next"))
            message = "\n".join(str(part) for part in parts if part)
    elapsed = (now - _moment(started)).total_seconds()
    remaining = None
    finished = len(done) + len(failed)
    first = next((e for e in events if e["event"] == "trial_started"), None)
    if state == "running" and finished and first is not None:
        spent = (now - _moment(first)).total_seconds()
        remaining = max(0.0, spent / finished * (planned - finished))
    return RunProgress(
        run=run.name,
        study=str(started["study"]),
        state=state,
        phase=_phase(events[-1]) if end is None and state != "interrupted" else state.capitalize(),
        trials_done=len(done),
        trials_planned=planned,
        trials_failed=len(failed),
        elapsed_s=elapsed,
        remaining_s=remaining,
        counters=_counters(run.root / "progress.json") if state == "running" else None,
        exit_code=exit_code,
        verdict=verdict,
        message=message,
    )


def write_counters(run: RunDirectory, counters: TrialCounters) -> None:
    """Replace ``progress.json`` (called by the worker while it measures)."""
    path = run.root / "progress.json"
    temporary = path.with_name("progress.json.part")
    temporary.write_text(json.dumps(counters.model_dump()), encoding="utf-8")
    temporary.replace(path)
