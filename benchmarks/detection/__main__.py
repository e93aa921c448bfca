"""Every fault under every strategy, put to every oracle; ends with 1 where one is missed.

``python -m benchmarks.detection [--faults NAME …] [--races N] [--clean SESSIONS] [--write]``
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from backend.contracts.home import Home
from backend.contracts.run_directory import RunDirectory
from backend.studies.owned_server import OwnedServer
from benchmarks.detection.clean import REPLAYED, Clean, cleanly
from benchmarks.detection.faults import ORACLES, Fault, foretold
from benchmarks.detection.table import disagreements, printed
from benchmarks.detection.trial import Seen, play
from benchmarks.results import Figure, publish

COMMAND: Final = "make detection"
DOCUMENT: Final = Path(__file__).resolve().parents[2] / "docs" / "detection.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
RACE: Final = "race"
RACES_FOUND: Final = 0.95
"""Of the seeds with which the race of 1 in 200 is played."""


def main() -> int:
    """Play all of them, print and write the table; the exit code."""
    options = _options()
    faults = tuple(
        fault for fault in foretold() if not options.faults or fault.name in options.faults
    )
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="interleave-detection-") as folder:
        run = RunDirectory(Path(folder) / "run").create()
        with OwnedServer(Home(Path(folder) / "home").ensure(), run, print) as owned:
            owned.start()
            results = {}
            for fault in faults:
                for strategy in fault.strategies:
                    results[fault.name, strategy] = play(owned, fault, strategy)
                    print(f"{fault.name}, {strategy}: {time.monotonic() - began:.0f} s", flush=True)
            races = tuple(_races(owned, faults, options.races))
            clean = tuple(_cleanly(owned, options.clean))
    table = list(printed(faults, results))
    broken = list(disagreements(faults, results))
    found = sum(races)
    if races and found < RACES_FOUND * len(races):
        broken.append(f"The race was found with {found} of {len(races)} seeds only.")
    broken += [
        f"A false alarm by {', '.join(cell.alarms)}: {cell.strategy}, {cell.shape}, "
        f"{cell.instances} instances."
        for cell in clean
        if cell.alarms
    ]
    played = [cell.sessions for cell in clean]
    told = [
        f"The race of 1 in 200 was found with {found} of {len(races)} seeds.",
        f"Of {sum(played):,} clean sessions in {len(clean)} cells (both strategies, 1, 2 and 4 "
        f"instances, three shapes of plan; {REPLAYED} a shape by isolated replay) "
        f"{sum(bool(cell.alarms) for cell in clean)} cells gave a false alarm.",
    ]
    print("\n".join([*table, *told]))
    if options.write:
        _write([*table, "", *told])
    publish("detection", (
        Figure("cells", len(results), "", COMMAND),
        Figure("disagreements", len(broken), "", COMMAND),
        Figure("false alarms", sum(bool(cell.alarms) for cell in clean), "", COMMAND),
        Figure("races found", found, "", COMMAND, f"of {len(races)} seeds",
               found / len(races) if races else None),
        Figure("whole", time.monotonic() - began, "s", COMMAND),
    ))  # fmt: skip
    for line in broken:
        print(f"BROKEN: {line}")
    return int(bool(broken))


def _races(owned: OwnedServer, faults: tuple[Fault, ...], seeds: int) -> Iterator[bool]:
    """Whether the race is found, seed by seed."""
    for fault in faults:
        if fault.name == RACE:
            for seed in range(seeds):
                seen: dict[str, Seen] = play(
                    owned, fault, fault.strategies[seed % len(fault.strategies)],
                    oracles=ORACLES[:1], seed=100 + seed,
                )  # fmt: skip
                yield seen[ORACLES[0]].alarm


def _cleanly(owned: OwnedServer, sessions: int) -> Iterator[Clean]:
    for cell in cleanly(owned, sessions) if sessions else ():
        print(f"clean: {cell.strategy}, {cell.shape}, {cell.instances}", flush=True)
        yield cell


def _write(lines: list[str]) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    whole = "\n".join(lines)
    DOCUMENT.write_text(f"{head}{BEGIN}\n\n{whole}\n\n{END}{tail}", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.detection")
    parser.add_argument("--faults", nargs="*", help="only these")
    parser.add_argument("--races", type=int, default=20, help="seeds for the race (20)")
    parser.add_argument("--clean", type=int, default=1000, help="sessions a clean cell (1000)")
    parser.add_argument("--write", action="store_true", help="also into docs/detection.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
