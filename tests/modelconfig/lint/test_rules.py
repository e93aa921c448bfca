"""Every rule of the linter: its smallest failing file, its fixed twin, the exact place (M12)."""

from __future__ import annotations

import pytest

from backend.modelconfig.lint.linter import RULES, lint_text
from backend.modelconfig.lint.reading_rules import READING_RULES
from tests.modelconfig.lint import cases_fit, cases_refused, cases_warnings
from tests.modelconfig.lint.case import Case

CASES = {**cases_refused.CASES, **cases_warnings.CASES, **cases_fit.CASES}
SEVERITIES = {rule.id: rule.severity for rule in (*RULES, *READING_RULES.values())}
ALWAYS_THERE = {"release-unknown", "code-unreadable", "class-disconnect"}
"""What is fixed is the release, the model's source or the clients, not the file."""


def test_every_rule_has_a_case_and_every_case_a_rule() -> None:
    assert set(CASES) == set(SEVERITIES)


@pytest.mark.parametrize(("rule", "case"), CASES.items(), ids=CASES.keys())
def test_the_failing_file_is_found_at_its_place(rule: str, case: Case) -> None:
    found = [item for item in lint_text(case.text, **case.known) if item.rule == rule]
    assert [(item.line, item.column) for item in found] == [case.place]
    (finding,) = found
    assert finding.severity == SEVERITIES[rule]
    for words in (finding.message, finding.effect, finding.fix, finding.source):
        assert words


@pytest.mark.parametrize(("rule", "case"), CASES.items(), ids=CASES.keys())
def test_the_fixed_twin_has_no_such_finding(rule: str, case: Case) -> None:
    known = {} if rule in ALWAYS_THERE else case.known
    found = lint_text(case.fixed, **known)
    assert rule not in {item.rule for item in found}
    # what mends one thing breaks no other
    assert [item for item in found if item.severity == "error"] == []
