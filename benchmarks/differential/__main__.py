"""The linter against the embedded Triton, in full; ends with 1 where a promise is broken.

``python -m benchmarks.differential [--count N] [--mutants N] [--seed N] [--keep FILE]``
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from backend.modelconfig.lint.reading import read_configuration
from benchmarks.differential import matrix, mutants
from benchmarks.differential.documented import documented
from benchmarks.differential.generate import generate
from benchmarks.differential.judge import judge
from benchmarks.results import Figure, publish

COMMAND: Final = "make differential"
LIMIT_MS: Final = 50.0
"""For the median file, as promised in ``docs/linter.md``."""
MOST_OVERDONE: Final = 10
EMPTY: Final = "empty-file"
"""Triton reads an empty file; the linter says what it is."""
TWICE: Final = "field-twice"
"""Python's JSON takes the last of two members of one name; Triton's parser refuses them."""


def main() -> int:
    """Run both parts and print what was found; returns the exit code."""
    options = _options()
    broken: list[str] = []
    began = time.monotonic()
    judged = _generated(options.count, options.seed)
    seconds = time.monotonic() - began
    for line in matrix.printed(judged, documented()):
        print(line)
    broken += _promises(judged, full=options.count >= 1000)
    print(f"\n{options.count:,} configurations in {seconds:.0f} s")
    if options.keep:
        _keep(judged, options.keep)

    found = mutants.linted(mutants.mutants(options.mutants, options.seed))
    median = mutants.median_ms(found)
    print(f"\n{len(found):,} damaged files: no exception; {median:.2f} ms for the median file")
    if median >= LIMIT_MS:
        broken.append(f"The median file takes {median:.1f} ms; {LIMIT_MS:g} are promised.")
    broken += _unread(found)
    publish("differential", (
        Figure("configurations", len(judged), "", COMMAND),
        Figure("judging", seconds, "s", COMMAND),
        Figure("loadable", matrix.loadable(judged), "", COMMAND),
        Figure("passed-not-loaded", sum(i.missed for i in judged), "", COMMAND),
        Figure("refused-loaded", sum(i.overdone for i in judged), "", COMMAND),
        Figure("lint-median", median, "ms", COMMAND, f"the limit of {LIMIT_MS:g} ms",
               median / LIMIT_MS),
    ))  # fmt: skip
    for line in broken:
        print(f"BROKEN: {line}")
    return int(bool(broken))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.differential")
    parser.add_argument("--count", type=int, default=1000, help="configurations (1000)")
    parser.add_argument("--mutants", type=int, default=10_000, help="damaged files (10000)")
    parser.add_argument("--seed", type=int, default=1, help="of both (1)")
    parser.add_argument("--keep", type=Path, help="write each case with both verdicts here")
    return parser.parse_args()


def _generated(count: int, number: int) -> tuple[matrix.Judged, ...]:
    cases = generate(count, number)
    for case in cases:
        mutants.told(read_configuration(case.text).config)
    with tempfile.TemporaryDirectory(prefix="interleave-differential-") as folder:
        return matrix.compare(cases, judge(cases, Path(folder)))


def _promises(judged: tuple[matrix.Judged, ...], *, full: bool) -> Iterator[str]:
    missed = sum(item.missed for item in judged)
    overdone = [item for item in judged if item.overdone]
    if missed:
        yield f"{missed} configurations pass the linter and are not loaded."
    if len(overdone) > MOST_OVERDONE:
        yield f"{len(overdone)} configurations are refused by the linter and loaded."
    known = documented()
    unknown = sorted({f.rule for item in overdone for f in item.errors} - set(known))
    if unknown:
        yield f"docs/linter.md does not say why {', '.join(unknown)} differ from the server."
    low, high = matrix.LOADABLE
    if not low <= matrix.loadable(judged) <= high:
        yield f"{matrix.loadable(judged):.0%} load; {low:.0%} to {high:.0%} should."
    if full and (rare := matrix.rarely_met(judged)):
        yield f"Met fewer than {matrix.LEAST_HITS} times: rejections {', '.join(rare)}."


def _unread(found: tuple[mutants.Mutant, ...]) -> Iterator[str]:
    """What is wrong with the findings on files that cannot be read.

    Where the linter and protobuf's parser for Python agree, that settles it; Triton's own is asked
    about the others, and of JSON (which no file of Triton's is) Python's is taken at its word.
    """
    doubts = [item for item in mutants.doubtful(found) if not mutants.is_json(item.case)]
    with tempfile.TemporaryDirectory(prefix="interleave-differential-") as folder:
        verdicts = judge([item.case for item in doubts], Path(folder))
    doubted = {item.case.name for item in doubts}
    unreadable = 0
    for item in found:
        name = item.case.name
        if mutants.is_json(item.case):
            parsed = mutants.json_readable(item.case.text)
        else:
            parsed = not item.refused if name not in doubted else verdicts[name].stage != "parse"
        unreadable += not parsed
        if not parsed and not item.found:
            yield f"{name} ({item.case.origin}) cannot be read, and no finding says where."
        taken = {TWICE} if mutants.is_json(item.case) else {EMPTY}
        if parsed and item.refusals - taken:
            yield f"{name} ({item.case.origin}) can be read, and the linter says that it cannot."
    print(f"{unreadable:,} of them cannot be read; Triton was asked about {len(doubts)}")


def _keep(judged: tuple[matrix.Judged, ...], file: Path) -> None:
    with file.open("w", encoding="utf-8") as out:
        for item in judged:
            entry = {
                "name": item.case.name,
                "origin": item.case.origin,
                "text": item.case.text.decode("utf-8", "backslashreplace"),
                "outcome": item.verdict.outcome,
                "stage": item.verdict.stage,
                "reason": item.verdict.reason,
                "errors": [finding.model_dump() for finding in item.errors],
            }
            out.write(json.dumps(entry, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
