"""One attempt at a trial: serve its plan, judge what came back; counters for whoever watches."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from backend.contracts.run_directory import RunDirectory, TrialDirectory
from backend.load.sent import Counters
from backend.modelconfig.candidate import Candidate
from backend.sessions.judgement import Judgement
from backend.studies.judging import class_repeatability
from backend.studies.owned_server import OwnedServer
from backend.studies.preparation import PreparedClass
from backend.studies.progress import TrialCounters, write_counters
from backend.studies.reference import read_reference
from backend.studies.schedule import ScheduledTrial
from backend.studies.serving import Served, serve
from backend.studies.trial import judge, warm_up_states, write_trial

COUNTERS_EVERY_S = 0.5


@dataclass(frozen=True)
class Measured:
    """What one attempt gave; ``wrong`` counts the replies that are not their session's own."""

    scheduled: ScheduledTrial
    candidate: Candidate
    served: Served
    judgement: Judgement
    wrong: int

    @property
    def whole(self) -> bool:
        """Whether every request was answered and the server is still there."""
        sent = self.served.sent
        lost = self.served.server_end or sent.server_lost
        return lost is None and sent.count("ok") == len(sent.outcomes)

    def write(self, folder: TrialDirectory) -> None:
        """Write the trial's files."""
        write_trial(folder, self.scheduled, self.candidate, self.served, self.judgement)


def measure(
    owned: OwnedServer,
    run: RunDirectory,
    prepared: PreparedClass,
    scheduled: ScheduledTrial,
    stop: Callable[[], bool],
    progress: Callable[[Counters], None],
) -> Measured:
    """Serve a trial's plan under its candidate and judge the replies; writes nothing.

    Raises:
        ModelLoadFailed: if Triton refuses the model or its configuration.
        ServerFailed: if the server is lost before anything was measured.
    """
    candidate = prepared.candidate(scheduled.candidate, scheduled.cell.instances)
    plan = prepared.plans[scheduled.cell.name]
    served = serve(
        owned.server,
        owned.control,
        prepared,
        candidate,
        plan,
        trial=scheduled.number,
        repeat=scheduled.repeat,
        stop=stop,
        progress=progress,
    )
    judgement = judge(
        served.requests,
        served.replies,
        plan,
        prepared,
        candidate,
        scheduled,
        read_reference(run, scheduled.request_type, scheduled.cell),
        class_repeatability(run, prepared),
        warm_up_states(prepared.template, served.warm_up_tensor, served.warm_up.requests),
    )
    wrong = judgement.table.column("verdict").to_pylist().count("differs")
    return Measured(scheduled, candidate, served, judgement, wrong)


class Counting:
    """Passes the load generator's counters on to ``progress.json``, twice a second at most."""

    def __init__(self, run: RunDirectory, trial: int) -> None:
        self._run = run
        self._trial = trial
        self._last = 0.0

    def __call__(self, counters: Counters) -> None:
        """Write them, unless the last ones were written just now."""
        now = time.monotonic()
        if now - self._last < COUNTERS_EVERY_S:
            return
        self._last = now
        write_counters(
            self._run,
            TrialCounters(
                trial=self._trial,
                requests=counters.planned,
                sent=counters.sent,
                answered=counters.answered,
                errors=counters.failed,
            ),
        )
