"""The worker: one process that runs a study from its plans to its findings.

It owns its server; what it writes is the run directory, and nothing else is shared. The first
Ctrl-C (or a stop from a page) ends the run in an orderly way, with finished trials judged.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable

import pyarrow.parquet as pq

from backend.contracts.errors import (
    EnvironmentMissing,
    InterleaveError,
    Interrupted,
    ModelLoadFailed,
    ServerFailed,
)
from backend.contracts.findings import Findings
from backend.contracts.home import Home
from backend.contracts.process_identity import identity
from backend.contracts.run_directory import RunDirectory, write_json
from backend.runtime.environment import environment
from backend.sessions.planning import make_reference_plan
from backend.studies.judging import judge_run
from backend.studies.measure_lock import measure_lock
from backend.studies.measuring import Counting, Measured, measure
from backend.studies.owned_server import OwnedServer
from backend.studies.preparation import PreparedClass, PreparedStudy
from backend.studies.reference import reference_candidate, reference_cells, reference_file
from backend.studies.schedule import ScheduledTrial, schedule
from backend.studies.serving import serve
from backend.studies.stopping import Stopping
from backend.studies.trial import void_reason
from backend.workload.study import CandidateName
from backend.workload.study_file import study_to_yaml

ATTEMPTS = 3
"""Of a trial whose figures the load generator spoiled, before it counts as void."""
FEWEST_REPEATS = 4
"""Trials measured again in a run: a quarter of those planned, at least so many."""


def run_study(
    prepared: PreparedStudy,
    run: RunDirectory,
    home: Home,
    *,
    only: CandidateName | None = None,
    say: Callable[[str], None],
) -> Findings:
    """Run a study and judge it; the run directory holds everything on return, or on an error.

    Args:
        prepared: The study.
        run: A new directory that ``create`` has made.
        home: Where the server's temporary files and the measuring lock are.
        only: The verdict is this candidate's.
        say: Told each step, for the terminal.

    Raises:
        EnvironmentMissing: if a disk is full, or this machine cannot serve.
        ServerFailed: if no server could be started.
        Interrupted: if the user stopped it; what was finished has been judged.
    """
    worker = _Worker(prepared, run, home, only, say)
    with worker.stopping.handling_signals():
        return _closed(worker, run)


def _closed(worker: _Worker, run: RunDirectory) -> Findings:
    """Run, and record the end, whichever it is."""
    try:
        return worker.run_whole()
    except Interrupted as error:
        worker.close("interrupted", error)
        raise
    except KeyboardInterrupt as error:
        stopped = Interrupted(
            "The run was stopped at once.",
            next_step=f"Finished trials are kept: report {run.root}",
        )
        worker.close("interrupted", stopped)
        raise stopped from error
    except OSError as error:
        failure = _disk(error, run)
        worker.close("failed", failure)
        raise failure from error
    except InterleaveError as error:
        worker.close("failed", error)
        raise


def _disk(error: OSError, run: RunDirectory) -> InterleaveError:
    """An operating-system error while writing, as the user must read it."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return EnvironmentMissing(
        "The disk is full; the run stopped." if full else "A file could not be read or written.",
        why=f"{error}. Finished trials are kept in {run.root}.",
        next_step="Free some space and run the study again; 'report' shows what was finished.",
    )


class _Worker:
    """The state of one run: what is scheduled, which candidates were refused."""

    def __init__(
        self,
        prepared: PreparedStudy,
        run: RunDirectory,
        home: Home,
        only: CandidateName | None,
        say: Callable[[str], None],
    ) -> None:
        self._prepared = prepared
        self._run = run
        self._home = home
        self._only = only
        self._say = say
        self.stopping = Stopping(run)
        self._given_up: set[tuple[str, str]] = set()
        self._repeated = 0
        self._trials = schedule(
            {
                item.item.name: (tuple(choice.name for choice in item.choices), item.cells)
                for item in prepared.classes
            },
            prepared.study.rounds,
        )

    def run_whole(self) -> Findings:
        """From the plans to the findings."""
        self._begin()
        with (
            measure_lock(
                self._home.measure_lock,
                self._run.name,
                waiting=self._wait_for,
                stop=self.stopping.check,
            ),
            OwnedServer(self._home, self._run, self._say) as owned,
        ):
            self._start(owned)
            for prepared in self._prepared.classes:
                self._replay(owned, prepared)
            for scheduled in self._trials:
                self.stopping.check()
                if (scheduled.request_type, scheduled.candidate) in self._given_up:
                    self._run.append_event("trial_skipped", **_about(scheduled))
                else:
                    self._measure(owned, scheduled)
        return self._finish()

    def _finish(self) -> Findings:
        self._run.append_event("judging")
        self._say("Judging what came back")
        findings = judge_run(self._run, self._prepared, candidate=self._only)
        write_json(self._run.findings, findings.model_dump_json(indent=1))
        self._run.append_event("run_finished", status=findings.status, verdict=findings.verdict)
        return findings

    def close(self, event: str, error: InterleaveError) -> None:
        """Record how the run ended and judge the trials that it finished."""
        try:
            self._run.append_event(
                event,
                what=error.what,
                why=error.why,
                next=error.next_step,
                exit_code=int(error.exit_code),
            )
            if self._run.finished_trials():
                findings = judge_run(self._run, self._prepared, candidate=self._only)
                write_json(self._run.findings, findings.model_dump_json(indent=1))
        except (OSError, InterleaveError) as failure:
            # the disk that ended the run may be the one that this would be written on; the
            # trials that are there can be judged by 'report' once it has space again
            self._say(f"The end of the run could not be recorded: {failure}")

    def _begin(self) -> None:
        self._run.study.write_text(study_to_yaml(self._prepared.study), encoding="utf-8")
        self._run.append_event(
            "run_started",
            study=self._prepared.study.name,
            planned=len(self._trials),
            worker=identity(),
            candidate=self._only,
        )
        for prepared in self._prepared.classes:
            for plan in prepared.plans.values():
                plan.write(self._run.plans)

    def _wait_for(self, why: str) -> None:
        self._run.append_event("waiting", why=why)
        self._say(f"Waiting: {why}")

    def _start(self, owned: OwnedServer) -> None:
        self._run.append_event("server_starting", shm_prefix=owned.server.shm_prefix)
        self._say("Starting Triton")
        began = time.monotonic()
        owned.start()
        facts = environment(owned.server.endpoints, repository=owned.server.repository)
        facts["study"] = {
            "name": self._prepared.study.name,
            "seed": self._prepared.study.seed,
            "plans": {
                f"{item.item.name}-{cell}": plan.digest()
                for item in self._prepared.classes
                for cell, plan in item.plans.items()
            },
        }
        write_json(self._run.environment, facts)
        self._run.append_event(
            "server_ready",
            version=facts["server"]["version"],
            seconds=round(time.monotonic() - began, 3),
        )

    def _replay(self, owned: OwnedServer, prepared: PreparedClass) -> None:
        """Each session of a class alone; the first set of requests twice, to see if it repeats."""
        name = prepared.item.name
        for number, cell in enumerate(reference_cells(prepared)):
            plan = make_reference_plan(prepared.plans[cell.name])
            for again in (False, True) if number == 0 else (False,):
                self.stopping.check()
                self._run.append_event(
                    "reference_started", **{"class": name, "cell": cell.name, "again": again}
                )
                self._say(f"{name}: each session alone, as the reference{' (again)' * again}")
                served = serve(
                    owned.server,
                    owned.control,
                    prepared,
                    reference_candidate(prepared),
                    plan,
                    trial=-1,
                    repeat=int(again),
                    stop=self.stopping.requested,
                    progress=lambda counters: None,
                )
                self.stopping.check()
                lost = served.server_end or served.sent.server_lost
                if lost or served.sent.count("ok") < len(served.sent.outcomes):
                    errors = [error for error in served.sent.errors if error]
                    raise ServerFailed(
                        f"The reference of class '{name}' could not be recorded.",
                        why=lost or "; ".join(dict.fromkeys(errors)),
                        next_step="See server.log in the run directory.",
                    )
                pq.write_table(served.replies, reference_file(self._run, name, cell, again=again))
                self._run.append_event(
                    "reference_finished",
                    **{"class": name, "cell": cell.name, "again": again},
                    requests=len(served.sent.outcomes),
                )

    def _measure(self, owned: OwnedServer, scheduled: ScheduledTrial) -> None:
        about = _about(scheduled)
        self._run.append_event("trial_started", **about)
        began = time.monotonic()
        try:
            measured = self._best_attempt(owned, scheduled, about)
        except ModelLoadFailed as error:
            self._refused(owned, scheduled, error)
            self._run.append_event("trial_failed", **about, why=error.why or error.what)
            return
        except ServerFailed as error:
            self._run.append_event("trial_failed", **about, why=error.why or error.what)
            why = f"{error.what} {error.why}".strip()
            self._unserved(
                owned, scheduled, f"Nothing was measured with {scheduled.candidate}: {why}"
            )
            return
        measured.write(self._run.trial(scheduled.number))
        self._run.append_event(
            "trial_finished",
            **about,
            seconds=round(time.monotonic() - began, 3),
            requests=len(measured.served.sent.outcomes),
            answered=measured.served.sent.count("ok"),
            differing=measured.wrong,
            void=void_reason(measured.served),
        )
        self._say(
            f"{scheduled.number + 1} of {len(self._trials)}: {scheduled.request_type}, "
            f"{scheduled.candidate}, {scheduled.cell.name}, round {scheduled.repeat + 1}: "
            f"{measured.served.sent.count('ok'):,} answered, {measured.wrong:,} wrong"
        )
        lost = measured.served.server_end or measured.served.sent.server_lost
        if lost is not None:
            how = "stopped answering" if owned.server.is_alive() else "ended"
            self._unserved(
                owned,
                scheduled,
                f"The server {how} while it served {scheduled.candidate}: {lost}",
            )

    def _best_attempt(
        self, owned: OwnedServer, scheduled: ScheduledTrial, about: dict[str, object]
    ) -> Measured:
        """Measure a trial; again, up to twice, where only the load generator spoiled it.

        On a machine that is busy all the time repeats would only make the run longer: there are so
        many in all, and the rest counts as void.
        An attempt with a wrong reply is always kept: it is evidence, whatever its times are worth.
        """
        prepared = self._prepared.class_named(scheduled.request_type)
        counting = Counting(self._run, scheduled.number)
        for attempt in range(ATTEMPTS):
            measured = measure(
                owned, self._run, prepared, scheduled, self.stopping.requested, counting
            )
            if measured.served.sent.stopped:
                self.stopping.check()
            unfit = measured.served.sent.generator.unfit
            if unfit is None or measured.wrong or not measured.whole:
                break
            most = max(FEWEST_REPEATS, len(self._trials) // 4)
            if attempt == ATTEMPTS - 1 or self._repeated == most:
                break
            self._repeated += 1
            self._run.append_event("trial_repeated", **about, why=unfit)
            self._say(f"Trial {scheduled.number + 1} is measured again: {unfit}")
        return measured

    def _refused(
        self, owned: OwnedServer, scheduled: ScheduledTrial, error: ModelLoadFailed
    ) -> None:
        """Triton refused the candidate: it has no further trials, the others go on."""
        self._given_up.add((scheduled.request_type, scheduled.candidate))
        self._run.append_event(
            "candidate_refused",
            **{"class": scheduled.request_type, "candidate": scheduled.candidate},
            why=error.why or error.what,
        )
        self._say(f"Triton refused {scheduled.candidate}: {error.why or error.what}")
        # a load that hung would hold the server for ever; one that was refused costs little more
        owned.start_again()

    def _unserved(self, owned: OwnedServer, scheduled: ScheduledTrial, told: str) -> None:
        """The server ended, or fell silent, under a candidate.

        It is a finding about that candidate; the others go on, on a new server.
        """
        self._given_up.add((scheduled.request_type, scheduled.candidate))
        self._run.append_event(
            "server_lost",
            **{"class": scheduled.request_type, "candidate": scheduled.candidate},
            why=told,
        )
        self._say(told)
        owned.start_again()


def _about(scheduled: ScheduledTrial) -> dict[str, object]:
    """What every event of a trial says of it."""
    return {
        "trial": scheduled.number,
        "class": scheduled.request_type,
        "candidate": scheduled.candidate,
        "cell": scheduled.cell.name,
        "repeat": scheduled.repeat,
    }
