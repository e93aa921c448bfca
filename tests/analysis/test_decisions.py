"""Decision lanes: stretches of one decision, and where interleaving changed it."""

import pandas as pd

from backend.analysis.decisions import decision_lanes

WORDS = {"candidate": "dynamic", "positive": "speech", "negative": "silence"}


def decisions(session, reference, observed):
    values = {"1": True, "0": False, "-": None}
    return pd.DataFrame(
        {
            "session": session,
            "step": range(len(reference)),
            "reference": pd.Series([values[c] for c in reference], dtype=object),
            "observed": pd.Series([values[c] for c in observed], dtype=object),
        }
    )


def stretches(found, lane, session=0):
    part = found.segments[(found.segments["lane"] == lane) & (found.segments["session"] == session)]
    return [(row.start, row.end, row.decision, bool(row.flipped)) for row in part.itertuples()]


def test_stretches_of_one_decision_are_joined():
    found = decision_lanes(decisions(0, "000111", "000111"), **WORDS)
    expected = [(0, 3, "silence", False), (3, 6, "speech", False)]
    assert stretches(found, "alone") == expected
    assert stretches(found, "interleaved") == expected
    assert (found.judged, found.flipped, found.unit) == (6, 0, "step")


def test_flipped_steps_are_a_stretch_of_their_own():
    found = decision_lanes(decisions(0, "001111", "001001"), **WORDS)
    assert stretches(found, "interleaved") == [
        (0, 2, "silence", False),
        (2, 3, "speech", False),
        (3, 5, "silence", True),
        (5, 6, "speech", False),
    ]
    assert (found.flipped, found.flipped_by_session) == (2, {0: 2})


def test_a_missing_reply_is_no_decision_and_no_flip():
    found = decision_lanes(decisions(0, "111", "1-1"), **WORDS)
    assert stretches(found, "interleaved")[1] == (1, 2, "no reply", False)
    assert (found.judged, found.flipped) == (2, 0)


def test_steps_become_seconds_of_the_session():
    found = decision_lanes(
        decisions(0, "0011", "0011"), step_ms=32, titles={0: "caller 1"}, **WORDS
    )
    assert stretches(found, "alone")[1] == (0.064, 0.128, "speech", False)
    assert (found.unit, found.titles) == ("s", ("caller 1",))


def test_sessions_do_not_run_into_each_other():
    both = pd.concat([decisions(0, "11", "11"), decisions(1, "11", "10")])
    found = decision_lanes(both, **WORDS)
    assert stretches(found, "alone", 1) == [(0, 2, "speech", False)]
    assert found.flipped_by_session == {0: 0, 1: 1}


def test_the_earliest_stretches_are_kept_and_the_rest_counted():
    found = decision_lanes(decisions(0, "01" * 50, "01" * 50), limit=40, **WORDS)
    assert len(found.segments) == 40
    assert found.left_out == 160
    assert found.segments["start"].max() == 19


def test_booleans_as_numpy_columns_serve_too():
    frame = pd.DataFrame(
        {"session": [0, 0], "step": [0, 1], "reference": [True, False], "observed": [True, True]}
    )
    assert decision_lanes(frame, **WORDS).flipped == 1
