"""One colour, shape and dash per meaning, to be told apart in both themes."""

from itertools import combinations

import numpy as np
import pytest

from backend.analysis.lanes import KINDS as LANE_KINDS
from backend.charts.palette import KINDS, QUIET, WRONG, WRONG_TOO, colour, dash, ordered, shape
from backend.workload.study import CANDIDATE_NAMES

GROUNDS = ("#ffffff", "#f3f5f7", "#101418", "#1a2027")
COLOURS = sorted(
    {*map(colour, CANDIDATE_NAMES), QUIET, WRONG, WRONG_TOO, *(k[1] for k in KINDS.values())}
)


# Machado, Oliveira and Fernandes, 2009: full severity, on linear RGB
SIGHT = {
    "all colours": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def linear(code):
    parts = [int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts])


def luminance(code):
    """Relative luminance of WCAG 2."""
    return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(code))


def lab(rgb):
    """CIE L*a*b* (D65) of linear RGB."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.array(to_xyz) @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("code", COLOURS)
def test_marks_stand_out_on_light_and_dark_grounds(code, ground):
    light, dark = sorted((luminance(code), luminance(ground)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize(
    "together",
    [
        [colour(name) for name in CANDIDATE_NAMES],
        [KINDS[k][1] for k in ("right", "other_session", "own_stale", "reset", "unknown")],
    ],
    ids=["candidates", "contexts"],
)
def test_colours_of_one_chart_stay_apart_for_every_kind_of_sight(together, sight):
    seen = [lab(np.array(SIGHT[sight]) @ linear(code)) for code in together]
    nearest = min(np.linalg.norm(a - b) for a, b in combinations(seen, 2))
    # 2.3 is just noticeable (CIE 1976); small marks need much more
    assert nearest >= 20


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
