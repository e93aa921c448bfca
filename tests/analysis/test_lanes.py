"""Session lanes: what a mark stands for, and how many there are (M28)."""

import pytest

from backend.analysis.lanes import session_lanes, trial_to_show
from backend.contracts.errors import InputError
from backend.contracts.findings import ContextOf, Violation
from tests.analysis.requests_rows import MS, ONE, TWO, request, table


def lane(session, verdicts, *, trial=0, cell=ONE, apart_ms=0, **given):
    """Replies of one session, each 10 ms long, ``apart_ms`` between them."""
    return [
        request(
            session=session,
            step=step,
            trial=trial,
            cell=cell,
            sent_ns=step * (10 + apart_ms) * MS,
            received_ns=(step * (10 + apart_ms) + 10) * MS,
            verdict=verdict,
            **given,
        )
        for step, verdict in enumerate(verdicts)
    ]


def wrong(session, step, *, trial=0, relation="other_session", context=(5, 12)):
    return Violation(
        trial=trial,
        repeat=0,
        session=session,
        step=step,
        expected="a",
        observed="b",
        relation=relation,
        context_of=None if context is None else ContextOf(session=context[0], step=context[1]),
    )


def test_right_replies_without_a_gap_become_one_mark():
    found = session_lanes(table(lane(3, ["equal"] * 5)), trial=0)
    (mark,) = found.marks.to_dict("records")
    assert (mark["first_step"], mark["last_step"], mark["replies"]) == (0, 4, 5)
    assert (mark["start_ms"], mark["end_ms"], mark["kind"]) == (0, 50, "right")
    assert mark["title"] == "session 3"
    assert (found.replies, found.wrong, found.total_ms) == (5, 0, 50)


def test_a_visible_pause_parts_right_replies():
    found = session_lanes(table(lane(3, ["equal"] * 5, apart_ms=5)), trial=0)
    assert len(found.marks) == 5


def test_m28_a_wrong_reply_names_the_context_it_used():
    found = session_lanes(
        table(lane(3, ["equal", "equal", "differs", "equal"])), trial=0, violations=[wrong(3, 2)]
    )
    assert found.marks["kind"].tolist() == ["right", "other_session", "right"]
    assert found.marks["label"].tolist()[1] == "from session 5, step 12"
    assert found.lanes[0].wrong == 1
    assert found.lanes[0].first_wrong == "step 2: from session 5, step 12"


@pytest.mark.parametrize(
    ("relation", "context", "label"),
    [
        ("own_stale", (3, 1), "from its own step 1, stale"),
        ("reset", None, "from a reset state"),
        ("unknown", None, "context unknown"),
        ("other_session", (7, 0), "from caller 8, step 0"),
    ],
)
def test_labels_of_contexts(relation, context, label):
    found = session_lanes(
        table(lane(3, ["equal", "equal", "differs"])),
        trial=0,
        violations=[wrong(3, 2, relation=relation, context=context)],
        titles={3: "caller 4", 7: "caller 8"},
    )
    assert found.marks["label"].tolist()[-1] == label
    assert found.lanes[0].title == "caller 4"


def test_a_wrong_reply_that_is_not_listed_is_not_given_a_context():
    found = session_lanes(table(lane(3, ["differs"])), trial=0, violations=[wrong(3, 0, trial=9)])
    (mark,) = found.marks.to_dict("records")
    assert mark["kind"] == "not_listed"
    assert found.wrong == 1


def test_requests_without_a_reply_are_marked_and_those_never_sent_left_out():
    rows = lane(3, ["unjudged"], outcome="timeout")
    rows[0]["received_ns"] = None
    rows += [
        request(session=3, step=1, outcome="not_sent", sent_ns=None, received_ns=None),
        request(session=4, step=0, verdict="unjudged"),
    ]
    found = session_lanes(table(rows), trial=0)
    assert found.marks["kind"].tolist() == ["not_answered", "unjudged"]


def test_times_count_from_the_first_send_of_the_trial():
    rows = lane(1, ["equal"])
    rows[0].update(sent_ns=1000 * MS, received_ns=1010 * MS)
    found = session_lanes(table(rows), trial=0)
    assert found.marks["start_ms"].tolist() == [0]


def test_too_many_wrong_replies_are_joined_by_the_session_they_came_from():
    verdicts = ["differs"] * 40
    listed = [wrong(0, step, context=(5 if step < 20 else 6, step)) for step in range(40)]
    found = session_lanes(table(lane(0, verdicts)), trial=0, violations=listed, limit=10)
    assert found.marks["replies"].tolist() == [20, 20]
    assert found.marks["label"].tolist() == [
        "20 wrong replies, the first from session 5, step 0",
        "20 wrong replies, the first from session 6, step 20",
    ]
    assert found.shown_ms == found.total_ms


def test_symbols_are_thinned_where_they_would_cover_the_lane():
    found = session_lanes(table(lane(0, ["differs", "equal"] * 200)), trial=0)
    wrong_marks = found.marks[found.marks["kind"] == "not_listed"]
    assert len(wrong_marks) == 200  # every wrong reply keeps its bar
    assert 60 <= wrong_marks["symbol"].sum() <= 91
    assert not found.marks.loc[found.marks["kind"] == "right", "symbol"].any()


def test_beyond_the_limit_the_time_shown_ends_earlier_and_says_where():
    rows = lane(0, ["equal", "unjudged"] * 20) + lane(1, ["equal", "unjudged"] * 20)
    found = session_lanes(table(rows), trial=0, limit=20)
    assert len(found.marks) == 20
    assert found.marks["start_ms"].max() == found.shown_ms
    assert found.shown_ms < found.total_ms == 400
    assert set(found.marks["session"]) == {0, 1}
    assert found.replies == 80


def test_sessions_with_the_most_wrong_replies_stay_when_there_are_too_many():
    rows = lane(0, ["equal"]) + lane(1, ["differs"] * 2) + lane(2, ["differs"]) + lane(3, ["equal"])
    found = session_lanes(table(rows), trial=0, most_lanes=3)
    assert [one.session for one in found.lanes] == [0, 1, 2]
    assert set(found.marks["session"]) == {0, 1, 2}
    assert (found.lanes_left_out, found.wrong, found.replies) == (1, 3, 5)


def test_the_trial_with_most_listed_violations_is_shown():
    rows = (
        lane(0, ["equal"], trial=0, cell=TWO)
        + lane(0, ["differs"], trial=1, cell=TWO)
        + lane(0, ["equal"], trial=2, cell=ONE)
    )
    frame = table(rows)
    assert trial_to_show(frame, TWO, [wrong(0, 0, trial=1), wrong(0, 0, trial=2)]) == 1
    assert trial_to_show(frame, TWO) == 0
    assert trial_to_show(frame, "instances=9,concurrency=1,mix=a") is None


def test_a_trial_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="Trial 7"):
        session_lanes(table(lane(0, ["equal"])), trial=7)
