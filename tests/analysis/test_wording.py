"""Numbers as sentences say them: at most three significant digits."""

import pytest

from backend.analysis.cells import cell_words, group_words, place_words
from backend.analysis.wording import count, listed, number, times
from backend.contracts.findings import Interval


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.012345, "0.0123"), (4.5, "4.5"), (9.999, "10"), (12.34, "12.3"), (999.6, "1,000"),
        (1234.5, "1,230"), (0, "0"), (-3.14159, "-3.14"), (100, "100"), (10, "10"),
        (float("inf"), "infinite"), (float("nan"), "not a number"),
    ],
)  # fmt: skip
def test_number(value, text):
    assert number(value) == text


def test_times_keeps_two_decimals_near_one():
    assert times(0.981, Interval(low=0.9299, high=1.041)) == "0.98 × (0.93 to 1.04)"
    assert times(12.34, None) == "12.3 ×"


def test_count_and_list():
    assert count(1, "reply", "replies") == "1 reply"
    assert count(1739, "reply", "replies") == "1,739 replies"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["a"]) == "a"
    assert listed([]) == ""


def test_cells_and_groups_in_words():
    assert cell_words("instances=1,concurrency=1,mix=talk") == (
        "1 instance, 1 session at once, mix talk"
    )
    assert cell_words("instances=2,concurrency=16,mix=single") == (
        "2 instances, 16 requests at once"
    )
    assert group_words("short") == "short sessions"
    assert group_words("single") == "single requests"
    assert place_words("instances=2,concurrency=16,mix=single", "all") == (
        "2 instances, 16 requests at once"
    )
    assert place_words("instances=2,concurrency=16,mix=talk", "long") == (
        "2 instances, 16 sessions at once, mix talk, long sessions"
    )
