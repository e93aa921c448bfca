"""Linter against server: who refuses what, which rejections were met, and where the two differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from backend.modelconfig.lint.finding import Finding
from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.lint.release import EMBEDDED
from benchmarks.differential.cases import Case, Verdict
from benchmarks.differential.reasons import REACHABLE, TITLES, rule_of

LOADABLE: Final = (0.30, 0.70)
"""The share of cases that should load: with fewer or more, one side is hardly tested."""
LEAST_HITS: Final = 5
"""How often each reachable rejection must be met in a full run."""
OUTCOMES: Final = ("loads", "refused", "died", "hung")


@dataclass(frozen=True)
class Judged:
    """A case with both verdicts; ``errors`` are the linter's."""

    case: Case
    verdict: Verdict
    errors: tuple[Finding, ...]

    @property
    def missed(self) -> bool:
        """The linter passes it, the server does not load it."""
        return not self.errors and not self.verdict.loads

    @property
    def overdone(self) -> bool:
        """The linter refuses it, the server loads it."""
        return bool(self.errors) and self.verdict.loads


def lint(case: Case) -> tuple[Finding, ...]:
    """The linter's errors on a case, for the embedded release."""
    found = lint_text(case.text, release=EMBEDDED, backend="python", folder=case.name)
    return tuple(item for item in found if item.severity == "error")


def compare(cases: Sequence[Case], verdicts: Mapping[str, Verdict]) -> tuple[Judged, ...]:
    """Both verdicts on each case."""
    return tuple(Judged(case, verdicts[case.name], lint(case)) for case in cases)


def loadable(judged: Sequence[Judged]) -> float:
    """The share of cases that the server loads."""
    return sum(item.verdict.loads for item in judged) / len(judged)


def hits(judged: Sequence[Judged]) -> Counter[str]:
    """How often the server gave each reason."""
    # 12 and 13 have the same words: which of the two it was, the fault put in tells
    return Counter(
        "13" if rule == "12" and item.case.origin.startswith("13:") else rule
        for item in judged
        if (rule := rule_of(item.verdict))
    )


def rarely_met(judged: Sequence[Judged]) -> tuple[str, ...]:
    """Reachable rejections that were met fewer than ``LEAST_HITS`` times."""
    met = hits(judged)
    return tuple(rule for rule in REACHABLE if met[rule] < LEAST_HITS)


def printed(judged: Sequence[Judged], documented: Mapping[str, str]) -> Iterator[str]:
    """The report, line by line.

    Args:
        judged: All cases.
        documented: Why the linter refuses what the server loads, by the linter's rule.
    """
    yield f"{'linter':9}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES)
    for name, errors in (("passes", False), ("refuses", True)):
        row = Counter(item.verdict.outcome for item in judged if bool(item.errors) is errors)
        yield f"{name:9}" + "".join(f"{row[outcome]:9,}" for outcome in OUTCOMES)
    yield f"{len(judged):,} configurations, {loadable(judged):.0%} of them load"
    yield ""
    yield "Rejections met, by the server's reason:"
    met = hits(judged)
    for rule in (*REACHABLE, *sorted(set(met) - set(REACHABLE))):
        yield f"  {met[rule]:4}  {rule:>2}  {TITLES.get(rule, '')}".rstrip()
    yield ""
    missed = [item for item in judged if item.missed]
    yield f"Passed by the linter, not loaded by the server: {len(missed)}"
    for item in missed:
        yield from _shown(item)
    overdone = [item for item in judged if item.overdone]
    yield f"Refused by the linter, loaded by the server: {len(overdone)}"
    for item in overdone:
        rules = sorted({finding.rule for finding in item.errors})
        reasons = [documented.get(rule, "not documented") for rule in rules]
        yield f"  {item.case.name} ({item.case.origin}) {', '.join(rules)}: {' '.join(reasons)}"
        if "not documented" in reasons:
            yield from _shown(item)


def _shown(item: Judged) -> Iterator[str]:
    yield f"  {item.case.name} ({item.case.origin}): {item.verdict.outcome} {item.verdict.stage}"
    for line in item.verdict.reason.splitlines()[:4]:
        yield f"    server: {line[:300]}"
    for finding in item.errors[:4]:
        yield f"    linter: {finding.rule} at {finding.line}:{finding.column} {finding.message}"
    for line in item.case.text.decode("utf-8", "replace").splitlines():
        yield f"    | {line[:160]}"
