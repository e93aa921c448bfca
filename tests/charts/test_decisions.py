"""Decision lanes: alone above, interleaved below, changes marked, two candidates side by side."""

import pytest

from backend.analysis.decisions import decision_lanes as lanes
from backend.charts.decisions import decision_lanes, decision_lanes_sentence, decision_panel
from tests.analysis.test_decisions import decisions
from tests.charts.specs import assert_reads_in_both_themes, axis_titles, encodings, nodes, rows


def side(candidate, observed, titles=None):
    return lanes(
        decisions(0, "001111", observed),
        candidate=candidate,
        positive="speech",
        negative="silence",
        step_noun="frame",
        step_ms=32,
        titles=titles or {0: "caller 1"},
    )


@pytest.fixture
def spec():
    chart = decision_lanes(side("sequence-oldest", "001111"), side("dynamic", "101001"))
    return chart.to_dict()


def test_panels_share_time_and_callers(spec):
    panels = spec["hconcat"]
    assert [panel["title"]["text"] for panel in panels] == [
        "sequence-oldest: 0 of 6 frames changed",
        "dynamic: 3 of 6 frames changed",
    ]
    assert {tuple(x["scale"]["domain"]) for x in encodings(spec, "x") if "scale" in x} == {
        (0, 0.192)
    }
    domains = [tuple(y["scale"]["domain"]) for y in encodings(spec, "y") if "scale" in y]
    assert set(domains) == {("caller 1|alone", "caller 1|interleaved", "caller 1|changes")}
    assert axis_titles(spec, "x") == {"seconds of the recording"}
    assert panels[0]["width"] == panels[1]["width"]


def test_lanes_are_named(spec):
    texts = [n["labelExpr"] for n in nodes(spec) if "labelExpr" in n]
    assert texts
    assert all('"caller 1|alone": "caller 1 alone"' in text for text in texts)
    assert all('"caller 1|interleaved": "interleaved"' in text for text in texts)


def test_changed_decisions_have_their_own_colour_and_shape(spec):
    changed = {row["what"] for row in rows(spec) if row["flipped"]}
    assert changed == {"changed to speech", "changed to silence"}
    shapes = encodings(spec, "shape")[0]["scale"]
    assert len(set(shapes["range"])) == len(shapes["domain"]) == 4


def test_the_chart_reads_in_both_themes(spec):
    assert_reads_in_both_themes(spec)


def test_one_candidate_alone_has_the_whole_width():
    (panel,) = decision_lanes(side("dynamic", "101001"), width=700).to_dict()["hconcat"]
    assert 500 < panel["width"] < 700


def test_a_panel_by_itself_fills_its_container_and_can_share_its_time_scale():
    spec = decision_panel(side("dynamic", "101001"), until=7.5).to_dict()
    assert_reads_in_both_themes(spec)
    assert spec["width"] == "container"
    assert {tuple(x["scale"]["domain"]) for x in encodings(spec, "x") if "scale" in x} == {(0, 7.5)}


def test_names_with_quotes_are_names():
    spec = decision_lanes(side("dynamic", "101001", {0: 'Ann "the" caller'})).to_dict()
    texts = [n["labelExpr"] for n in nodes(spec) if "labelExpr" in n]
    assert any('Ann \\"the\\" caller alone' in text for text in texts)


def test_sentence():
    found = decision_lanes_sentence(side("sequence-oldest", "001111"), side("dynamic", "101001"))
    assert found == (
        "sequence-oldest changed 0 of 6 frames and dynamic changed 3 of 6 frames between speech "
        "and silence, most for caller 1 (3)."
    )


def test_no_decisions_give_no_chart():
    empty = lanes(decisions(0, "", ""), candidate="dynamic", positive="speech", negative="silence")
    assert decision_lanes(empty) is None
    assert decision_lanes() is None
    assert decision_lanes_sentence() == "There are no decisions to show."
