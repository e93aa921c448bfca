"""One colour, shape and dash per meaning, to be told apart in both themes."""

import pytest

from backend.analysis.lanes import KINDS as LANE_KINDS
from backend.charts.palette import KINDS, QUIET, WRONG, WRONG_TOO, colour, dash, ordered, shape
from backend.workload.study import CANDIDATE_NAMES

GROUNDS = ("#ffffff", "#f3f5f7", "#101418", "#1a2027")
COLOURS = sorted(
    {*map(colour, CANDIDATE_NAMES), QUIET, WRONG, WRONG_TOO, *(k[1] for k in KINDS.values())}
)


def luminance(code):
    """Relative luminance of WCAG 2."""
    parts = [int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("code", COLOURS)
def test_marks_stand_out_on_light_and_dark_grounds(code, ground):
    light, dark = sorted((luminance(code), luminance(ground)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3


def test_no_meaning_by_colour_alone():
    for way in (colour, shape, lambda name: tuple(dash(name))):
        assert len({way(name) for name in CANDIDATE_NAMES}) == 4
    looks = [(code, form) for _, code, form in KINDS.values()]
    assert len(set(looks)) == len(looks)
    wrong = ("other_session", "own_stale", "reset", "unknown", "not_listed", "not_answered")
    assert len({KINDS[kind][2] for kind in wrong}) == len(wrong)


def test_every_kind_of_a_lane_has_a_look():
    assert set(KINDS) == set(LANE_KINDS)


def test_candidates_have_one_order():
    assert ordered(["no-batching", "sequence-oldest"]) == ["sequence-oldest", "no-batching"]
