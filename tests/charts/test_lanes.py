"""Context lanes (M28): wrong replies marked, the context they used named."""

import pytest

from backend.analysis.lanes import session_lanes
from backend.charts.lanes import context_lanes, context_lanes_sentence
from tests.analysis.requests_rows import request, table
from tests.analysis.test_lanes import lane, wrong
from tests.charts.specs import assert_reads_in_both_themes, axis_titles, encodings, nodes, rows


@pytest.fixture
def data():
    frame = table(lane(3, ["equal", "equal", "differs", "equal"]) + lane(4, ["equal"] * 4))
    return session_lanes(frame, trial=0, violations=[wrong(3, 2)])


def test_m28_wrong_replies_differ_in_colour_and_shape_and_name_their_context(data):
    spec = context_lanes(data).to_dict()
    (mark,) = [row for row in rows(spec) if row.get("kind") == "other_session"][:1]
    assert mark["label"] == "from session 5, step 12"
    assert mark["context"] == "another session's context"
    (shape,) = encodings(spec, "shape")
    assert shape["scale"]["domain"] == ["its own context", "another session's context"]
    assert len(set(shape["scale"]["range"])) == 2
    assert len(set(encodings(spec, "color")[0]["scale"]["range"])) == 2


def test_m28_lanes_say_beside_the_marks_how_many_are_wrong_and_what_the_first_used(data):
    spec = context_lanes(data).to_dict()
    texts = [n["labelExpr"] for n in nodes(spec) if "labelExpr" in n]
    assert any('"session 3": "session 3: 1 wrong"' in text for text in texts)
    assert any('"session 3": "step 2: from session 5, step 12"' in text for text in texts)


def test_lanes_stand_in_session_order_and_none_is_dropped(data):
    spec = context_lanes(data).to_dict()
    for y in encodings(spec, "y"):
        assert y["scale"]["domain"] == ["session 3", "session 4"]
        assert y["axis"]["labelOverlap"] is False


def test_time_axis_is_in_ms_or_in_seconds_where_it_is_long(data):
    assert axis_titles(context_lanes(data).to_dict(), "x") == {"time since the first request (ms)"}
    long = table([request(received_ns=9_000_000_000)])
    spec = context_lanes(session_lanes(long, trial=0)).to_dict()
    assert axis_titles(spec, "x") == {"time since the first request (s)"}
    assert encodings(spec, "x")[0]["scale"]["domain"] == [0, 9]


def test_the_chart_reads_in_both_themes_and_fills_its_container(data):
    spec = context_lanes(data).to_dict()
    assert_reads_in_both_themes(spec)
    assert spec["width"] == "container"


def test_sentences(data):
    assert context_lanes_sentence(data) == (
        "sequence-oldest, 1 instance, 8 sessions at once, mix talk, trial 0: 1 of 8 replies do not "
        "follow from their session's own history; session 3 has 1 of them, the first at "
        "step 2: from session 5, step 12."
    )
    right = session_lanes(table(lane(3, ["equal"])), trial=0)
    assert "no reply of 1 departs from its session's own history" in context_lanes_sentence(right)


def test_what_is_not_drawn_is_said():
    rows_ = lane(0, ["equal", "unjudged"] * 20) + lane(1, ["equal"])
    data = session_lanes(table(rows_), trial=0, limit=10, most_lanes=1)
    text = context_lanes_sentence(data)
    assert "the chart ends at 90 of 400 ms" in text
    assert "1 session with fewer wrong replies not drawn" in text


def test_requests_that_were_never_sent_give_no_chart():
    frame = table([request(outcome="not_sent", sent_ns=None, received_ns=None)])
    assert context_lanes(session_lanes(frame, trial=0)) is None
