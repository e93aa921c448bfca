"""Queue time and response time side by side (M34): one scale, units, intervals, counts."""

import pytest

from backend.charts.tail import figures, queue_and_response, queue_and_response_sentence
from backend.contracts.findings import (
    CandidateFinding,
    ClassFinding,
    GroupFinding,
    Interval,
    Quantiles,
)
from tests.charts.specs import assert_reads_in_both_themes, axis_titles, encodings, nodes, rows

ONE = "instances=1,concurrency=8,mix=talk"
TWO = "instances=2,concurrency=8,mix=talk"
NONE = Quantiles(p50=None, p90=None, p99=None, p999=None)


def group(cell=ONE, length_group="all", n=2000, queue=(1.0, 2.0, 4.0), response=(5.0, 6.0, 9.0)):
    def values(given):
        return Quantiles(p50=given[0], p90=given[1], p99=given[2], p999=None)

    return GroupFinding(
        cell=cell,
        length_group=length_group,
        n=n,
        rounds=3,
        outcomes={"ok": n},
        queue_ms=values(queue),
        response_ms=values(response),
        compute_ms=NONE,
        start_wait_ms=NONE,
        intervals={"queue_p99_ms": Interval(low=3.0, high=6.0)},
    )


def klass(**candidates):
    found = tuple(
        CandidateFinding(
            name=name.replace("_", "-"), proposed=False, verdict="pass", reasons=(), groups=groups
        )
        for name, groups in candidates.items()
    )
    return ClassFinding(proposed=None, verdict="pass", reasons=(), candidates=found)


BOTH = klass(dynamic=(group(queue=(2.0, 3.0, 8.0)),), sequence_oldest=(group(),))


def test_m34_all_panels_share_one_scale_and_name_their_unit():
    spec = queue_and_response(BOTH).to_dict()
    domains = {tuple(x["scale"]["domain"]) for x in encodings(spec, "x")}
    assert len(domains) == 1
    assert axis_titles(spec, "x") == {"queue time (ms)", "response time (ms)"}
    ((low, high),) = domains
    assert low == 0
    assert 9 <= high <= 10


def test_queue_time_stands_first():
    spec = queue_and_response(BOTH).to_dict()
    first, second = spec["vconcat"][0]["hconcat"]
    assert axis_titles(first, "x") == {"queue time (ms)"}
    assert axis_titles(second, "x") == {"response time (ms)"}
    # both panels are of one width, so equal lengths are equal times
    assert first["width"] == second["width"]


def test_the_chart_reads_in_both_themes():
    assert_reads_in_both_themes(queue_and_response(BOTH).to_dict())


def test_candidates_keep_their_order_and_colours():
    spec = queue_and_response(BOTH).to_dict()
    for y in encodings(spec, "y"):
        assert y["scale"]["domain"] == ["sequence-oldest", "dynamic"]
    alone = queue_and_response(klass(dynamic=(group(),))).to_dict()
    assert (
        encodings(spec, "color")[0]["scale"]["range"][1]
        == (encodings(alone, "color")[0]["scale"]["range"][0])
    )


def test_values_and_intervals_are_the_findings_own():
    spec = queue_and_response(BOTH).to_dict()
    (row,) = [
        r
        for r in rows(spec)
        if (r["candidate"], r["measure"], r["quantile"]) == ("dynamic", "Queue time", "p99")
    ]
    assert (row["value"], row["low"], row["high"], row["text"]) == (8, 3, 6, "8 (3 to 6)")
    (bare,) = [
        r
        for r in rows(spec)
        if (r["candidate"], r["measure"], r["quantile"]) == ("dynamic", "Response time", "p99")
    ]
    assert (bare["low"], bare["high"], bare["text"]) == (9, 9, "9")


def test_the_legend_says_when_there_are_no_intervals():
    bare = klass(dynamic=(group().model_copy(update={"intervals": {}}),))
    titles = {n["legend"]["title"] for n in encodings(queue_and_response(bare).to_dict(), "shape")}
    assert titles == {"No intervals: they need three rounds"}
    titles = {n["legend"]["title"] for n in encodings(queue_and_response(BOTH).to_dict(), "shape")}
    assert titles == {"Line: 95 % interval over the rounds"}


def test_far_apart_figures_get_a_log_scale_that_says_so():
    spec = queue_and_response(klass(dynamic=(group(queue=(0.1, 1.0, 50.0)),))).to_dict()
    assert {x["scale"]["type"] for x in encodings(spec, "x")} == {"log"}
    assert "queue time (ms, log scale)" in axis_titles(spec, "x")


def test_one_wide_interval_does_not_squeeze_the_figures():
    wide = group().model_copy(
        update={"intervals": {"response_p99_ms": Interval(low=0.01, high=9000.0)}}
    )
    spec = queue_and_response(klass(dynamic=(wide,))).to_dict()
    assert encodings(spec, "x")[0]["scale"]["domain"][1] < 30


def test_m32_short_sessions_have_a_row_of_their_own_with_their_count():
    few = group(length_group="short", n=240, queue=(1.0, 2.0, None), response=(5.0, 6.0, None))
    groups = (group(), few, group(length_group="long", n=1760))
    spec = queue_and_response(klass(dynamic=groups)).to_dict()
    heads = [row["title"]["text"] for row in spec["vconcat"]]
    assert heads == [
        "1 instance, 8 sessions at once, mix talk, all sessions, 2,000 answers",
        "1 instance, 8 sessions at once, mix talk, short sessions, 240 answers (too few for p99)",
        "1 instance, 8 sessions at once, mix talk, long sessions, 1,760 answers",
    ]


def test_a_lone_length_group_is_not_drawn_twice():
    spec = queue_and_response(klass(dynamic=(group(), group(length_group="talk")))).to_dict()
    assert len(spec["vconcat"]) == 1


def test_cells_and_groups_can_be_chosen():
    groups = (group(), group(cell=TWO))
    spec = queue_and_response(klass(dynamic=groups), cells=[TWO]).to_dict()
    assert len(spec["vconcat"]) == 1
    assert spec["vconcat"][0]["title"]["text"].startswith("2 instances")
    assert queue_and_response(klass(dynamic=groups), length_groups=["long"]) is None


@pytest.mark.parametrize("width", [600, 700, 1100])
def test_the_chart_keeps_to_its_width(width):
    spec = queue_and_response(BOTH, width=width).to_dict()
    panels = [n["width"] for n in nodes(spec) if "width" in n and "layer" in n]
    assert 0.7 * width < sum(panels) < width


def test_nothing_measured_gives_no_chart():
    empty = klass(dynamic=(group(n=3, queue=(None,) * 3, response=(None,) * 3),))
    assert queue_and_response(empty) is None
    assert queue_and_response(klass()) is None
    assert "No queue or response times" in queue_and_response_sentence(empty)
    assert "candidate" in figures(empty).columns


def test_sentence_names_the_highest_quantile_shown():
    assert queue_and_response_sentence(BOTH) == (
        "1 instance, 8 sessions at once, mix talk, all sessions, 2,000 answers: "
        "queue time p99 is sequence-oldest 4 ms and dynamic 8 ms; "
        "response time p99 is sequence-oldest 9 ms and dynamic 9 ms."
    )


def test_independent_requests_have_no_sessions_in_their_words():
    alone = group(cell="instances=2,concurrency=8,mix=single", n=480)
    spec = queue_and_response(klass(dynamic=(alone,))).to_dict()
    assert spec["vconcat"][0]["title"]["text"] == (
        "2 instances, 8 requests at once, 480 answers (too few for p99)"
    )
