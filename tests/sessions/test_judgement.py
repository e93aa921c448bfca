"""Findings of several trials brought together."""

from __future__ import annotations

import pytest

from backend.contracts.findings import PropertyFinding, Violation
from backend.sessions.judgement import merge_properties


def one(verdict: str, *, checked=10, steps=(), note="", group="short", title="T", repeat=0):
    return PropertyFinding(
        row="M21",
        title=title,
        cell="c",
        length_group=group,
        verdict=verdict,
        checked_count=checked,
        violation_count=len(steps),
        relations={"reset": len(steps)} if steps else {},
        violations=tuple(
            Violation(
                trial=repeat,
                repeat=repeat,
                session=0,
                step=step,
                expected="a",
                observed="b",
                relation="reset",
            )
            for step in steps
        ),
        note=note,
    )


@pytest.mark.parametrize(
    ("verdicts", "merged"),
    [
        (("holds", "holds"), "holds"),
        (("holds", "not_shown"), "holds"),
        (("not_shown", "not_shown"), "not_shown"),
        (("holds", "violated", "not_shown"), "violated"),
    ],
)
def test_one_violated_round_decides_and_one_shown_round_suffices(verdicts, merged) -> None:
    (finding,) = merge_properties(one(verdict) for verdict in verdicts)
    assert finding.verdict == merged
    assert finding.checked_count == 10 * len(verdicts)


def test_counts_add_up_and_the_first_hundred_violations_stay() -> None:
    (finding,) = merge_properties(
        [one("violated", steps=range(70)), one("violated", steps=range(60), repeat=1)]
    )
    assert (finding.violation_count, finding.relations) == (130, {"reset": 130})
    assert [v.repeat for v in finding.violations] == [0] * 70 + [1] * 30


def test_remarks_of_another_verdict_are_dropped_and_equal_ones_told_once() -> None:
    (finding,) = merge_properties(
        [
            one("holds", note="Held only by luck."),
            one("violated", steps=(1,), note="State stays behind."),
            one("violated", steps=(2,), note="State stays behind."),
        ]
    )
    assert finding.note == "State stays behind."


def test_properties_groups_and_titles_are_kept_apart() -> None:
    merged = merge_properties([one("holds"), one("holds", group="long"), one("holds", title="U")])
    assert [(item.length_group, item.title) for item in merged] == [
        ("short", "T"),
        ("long", "T"),
        ("short", "U"),
    ]
