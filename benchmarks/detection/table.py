"""The detection table: foretold beside seen, fault by fault, and what disagrees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from benchmarks.detection.faults import ORACLES, Fault
from benchmarks.detection.trial import Seen

Results = Mapping[tuple[str, str], Mapping[str, Seen]]
"""By fault and strategy: what each oracle made of it."""

OWN_ROW: Final = {"protocol": "M24"}
"""What an oracle names whatever the fault breaks besides."""
_HEADS: Final = {
    "hash_chain": "hash chain",
    "isolated_replay": "isolated replay",
    "protocol": "protocol",
}


def disagreements(faults: tuple[Fault, ...], results: Results) -> Iterator[str]:
    """Everything in which what was seen is not what was foretold."""
    for fault in faults:
        for strategy in fault.strategies:
            for oracle, seen in results[fault.name, strategy].items():
                where = f"{fault.name} under {strategy}, {oracle}"
                if oracle in fault.unseen:
                    if seen.alarm:
                        yield f"{where}: an alarm ({_rows(seen)}) that was foretold not to be."
                elif not seen.alarm:
                    yield f"{where}: missed."
                elif (row := OWN_ROW.get(oracle, fault.property)) not in seen.violated:
                    yield f"{where}: {row} was to be named, not {_rows(seen)}."
                elif fault.foreign and oracle == "hash_chain" and not seen.foreign:
                    yield f"{where}: no other session is named."


def printed(faults: tuple[Fault, ...], results: Results) -> Iterator[str]:
    """The table in Markdown: one row per fault and strategy."""
    yield "| fault | strategy | breaks | " + " | ".join(_HEADS[oracle] for oracle in ORACLES) + " |"
    yield "|---|---|---|" + "---|" * len(ORACLES)
    for fault in faults:
        for strategy in fault.strategies:
            found = results[fault.name, strategy]
            cells = " | ".join(_cell(fault, oracle, found.get(oracle)) for oracle in ORACLES)
            yield f"| `{fault.name}` | {strategy} | {fault.property} | {cells} |"


def _cell(fault: Fault, oracle: str, seen: Seen | None) -> str:
    if seen is None:
        return "not asked"
    if not seen.alarm:
        return "cannot" if oracle in fault.unseen else "**missed**"
    named = ""
    if seen.foreign:
        number = len(seen.foreign)
        named = f", from {number} other session{'s' if number > 1 else ''}"
    mark = "**unforeseen** " if oracle in fault.unseen else ""
    return f"{mark}{seen.wrong:,} of {seen.checked:,}: {_rows(seen)}{named}"


def _rows(seen: Seen) -> str:
    return ", ".join(sorted(seen.violated))
