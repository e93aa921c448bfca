"""Pages on a finished run, a half run and a failed run (M28, M29, M34, M36, M45).

The run is a recorded one: eight callers on a real Triton, ``sequence-oldest`` and ``dynamic`` on
two instances, one round; 1,313 frames each, of which ``dynamic`` answered 714 from another state.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from backend.contracts.home import Home
from backend.contracts.run_directory import RunDirectory
from backend.studies.launch import stop_requested
from tests.pages.conftest import ROOT, Open, words

RECORDED = ROOT / "tests" / "data" / "callers-run"
NAME = "voice-activity-demo-20261201-044627-e0cb"


@pytest.fixture
def finished(empty_home: Path) -> RunDirectory:
    home = Home(empty_home).ensure()
    run = RunDirectory(Path(shutil.copytree(RECORDED, home.runs / NAME)))
    run.server_log.write_text('I1201 04:46:29 "Started GRPCInferenceService at 127.0.0.1"\n')
    return run


def _events(run: RunDirectory, until: str, *more: dict[str, object]) -> None:
    """Keep the events before one of that kind, then add some."""
    kept = []
    for event in run.read_events():
        if event["event"] == until:
            break
        kept.append(event)
    at = kept[-1]["at"]
    lines = [json.dumps(event) for event in [*kept, *({**event, "at": at} for event in more)]]
    run.events.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def half(finished: RunDirectory) -> RunDirectory:
    """As a killed worker leaves it: one trial, no findings, no last word."""
    finished.findings.unlink()
    shutil.rmtree(finished.trial(1).root)
    events = finished.read_events()
    second = max(i for i, event in enumerate(events) if event["event"] == "trial_started")
    lines = [json.dumps(event) for event in events[: second + 1]]
    finished.events.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return finished


@pytest.fixture
def failed(finished: RunDirectory) -> RunDirectory:
    """A server that did not start: no trial, and the run says why."""
    finished.findings.unlink()
    shutil.rmtree(finished.trials)
    finished.trials.mkdir()
    _events(
        finished,
        "server_ready",
        {
            "event": "failed",
            "what": "Triton did not become ready within 60 s.",
            "why": "its last line: <b>no space</b>",
            "next": "Free some memory, then start the test again.",
            "exit_code": 3,
        },
    )
    return finished


@pytest.mark.parametrize("page", ["start", "test", "compare", "decide"])
@pytest.mark.parametrize("kind", ["finished", "half", "failed"])
def test_every_page_opens_on_any_run(
    open_page: Open, request: pytest.FixtureRequest, kind: str, page: str
) -> None:
    run = request.getfixturevalue(kind)
    app = open_page(page, run=run.name)
    assert not app.exception
    assert "a fault of Interleave itself" not in words(app)


def test_m28_the_wrong_batcher_is_seen_in_the_users_words(
    open_page: Open, finished: RunDirectory
) -> None:
    app = open_page("compare", run=finished.name)
    said = words(app)
    assert "None of 1,313 frames changed between speech and silence" in said
    assert "714 of 1,313 replies do not follow from their session's own history" in said
    assert "of 1,313 frames changed between speech and silence; " in said
    # two panels of decisions and the lanes of contexts
    charts = app.get("vega_lite_chart")
    assert len(charts) == 3
    assert all("Chart" not in chart.proto.spec or chart.proto.spec for chart in charts)


def test_m21_properties_stand_in_a_table_with_their_verdict(
    open_page: Open, finished: RunDirectory
) -> None:
    table = open_page("compare", run=finished.name).table[0].value
    row = next(row for row in table.to_dict("records") if "(M21)" in row["Property"])
    assert "holds" in row["sequence-oldest"]
    assert "1,313 checked" in row["sequence-oldest"]
    assert "violated" in row["dynamic"]
    assert "714 of 1,313: 714 from an unknown context" in row["dynamic"]


def test_m34_costs_are_shown_with_their_counts(open_page: Open, finished: RunDirectory) -> None:
    app = open_page("compare", run=finished.name, view="times")
    said = words(app)
    assert "Queue time and response time" in said
    assert "of 1,313 answers" in said
    assert "Requests per execution" in said


def test_every_figure_goes_down_to_its_rows(open_page: Open, finished: RunDirectory) -> None:
    app = open_page("compare", run=finished.name, view="rows", candidate="dynamic")
    assert "1,313 requests" in words(app)
    assert len(app.dataframe[0].value) == 1313
    app.toggle[0].set_value(True).run()
    assert len(app.dataframe[0].value) == 714
    about = app.dataframe[1].value.set_index("Column")
    assert "not measured" in about.loc["slot_wait_ns", "Why it is empty here"]
    assert about.loc["sent_ns", "Why it is empty here"] == ""


def test_m19_conditions_of_the_run(open_page: Open, finished: RunDirectory) -> None:
    app = open_page("compare", run=finished.name, view="run")
    facts = app.dataframe[0].value.set_index("What")["Value"]
    assert facts["server, version"] == "2.51.0"
    assert facts["study, seed"] == "20241"
    assert any("sequence_batching {" in code.value for code in app.code)


def test_m45_a_killed_worker_leaves_what_it_measured(open_page: Open, half: RunDirectory) -> None:
    app = open_page("compare", run=half.name)
    said = words(app)
    assert "The worker ended without saying why; finished trials are kept" in said
    assert "judged just now from its finished trials" in said
    assert "1 of 2 trials finished" in said
    assert "None of 1,313 frames changed" in said
    # looking at it writes nothing
    assert not half.findings.exists()


def test_a_failed_run_says_what_why_and_next(open_page: Open, failed: RunDirectory) -> None:
    app = open_page("test", run=failed.name)
    said = words(app)
    assert "Triton did not become ready within 60 s" in said
    assert "Free some memory, then start the test again" in said
    assert "<b>no space</b>" not in said
    assert "no trial of this run has finished" in words(open_page("compare", run=failed.name))
    assert "has no findings yet" in words(open_page("decide", run=failed.name))


def test_the_start_page_lists_runs_with_state_and_verdict(
    open_page: Open, finished: RunDirectory
) -> None:
    said = words(open_page("start"))
    assert "**voice\\-activity\\-demo**" in said
    assert ":green[:material/check_circle: pass]" in said


def test_m36_a_record_is_written_accepted_and_then_fixed(
    open_page: Open, finished: RunDirectory
) -> None:
    app = open_page("decide", run=finished.name)
    next(t for t in app.text_area if t.label == "Because").set_value("The callers stay apart.")
    next(t for t in app.text_input if t.label == "Written by").set_value("Tess *Engineer*")
    next(b for b in app.button if b.label == "Save as proposed").click().run()
    assert not app.exception
    assert app.query_params["record"] in ("1", ["1"])
    said = words(app)
    assert "proposed" in said
    assert "The callers stay apart" in said
    assert "Tess \\*Engineer\\*" in said
    # nobody named: refused, with what to do
    next(b for b in app.button if b.label == "Accept").click().run()
    assert any("Nobody is named" in str(error.value) for error in app.error)
    next(t for t in app.text_input if t.label == "Who decides").set_value("Ada Reviewer")
    next(b for b in app.button if b.label == "Accept").click().run()
    said = words(app)
    assert "its content can no longer change" in said
    assert not [b for b in app.button if b.label in ("Accept", "Reject")]
    # by its own link, later
    again = words(open_page("decide", record="1"))
    assert "**Ada Reviewer**" in again
    assert "The callers stay apart" in again


def test_m36_a_later_record_supersedes_an_accepted_one(
    open_page: Open, finished: RunDirectory
) -> None:
    for number, because in (("1", "First."), ("2", "Second.")):
        app = open_page("decide", run=finished.name, supersedes="1")
        next(t for t in app.text_area if t.label == "Because").set_value(because)
        next(t for t in app.text_input if t.label == "Written by").set_value("Tess")
        next(b for b in app.button if b.label == "Save as proposed").click().run()
        assert app.query_params["record"] in (number, [number])
        next(t for t in app.text_input if t.label == "Who decides").set_value("Ada")
        next(b for b in app.button if b.label == "Accept").click().run()
        assert "its content can no longer change" in words(app)
    first = words(open_page("decide", record="1"))
    assert "superseded" in first
    assert "replaced by record 2" in first


def test_a_choice_against_the_evidence_is_named_and_needs_a_reason(
    open_page: Open, finished: RunDirectory
) -> None:
    app = open_page("decide", run=finished.name)
    app.selectbox(key="decide_candidate_calls").set_value("dynamic").run()
    assert "The evidence does not support this choice" in words(app)
    next(t for t in app.text_area if t.label == "Because").set_value("It is simpler.")
    next(t for t in app.text_input if t.label == "Written by").set_value("Tess")
    next(b for b in app.button if b.label == "Save as proposed").click().run()
    next(t for t in app.text_input if t.label == "Who decides").set_value("Ada")
    next(b for b in app.button if b.label == "Accept").click().run()
    assert any("does not support its choice" in str(error.value) for error in app.error)


def test_a_running_run_shows_counters_only_and_can_be_stopped(
    open_page: Open, half: RunDirectory
) -> None:
    # its worker is this very process: it lives
    from backend.contracts.process_identity import identity

    events = list(half.read_events())
    events[0]["worker"] = identity()
    half.events.write_text("\n".join(map(json.dumps, events)) + "\n", encoding="utf-8")
    (half.root / "progress.json").write_text(
        '{"trial": 1, "requests": 1313, "sent": 400, "answered": 392, "errors": 0}'
    )
    app = open_page("compare", run=half.name)
    assert "only its progress is shown" in words(app)
    assert not app.get("vega_lite_chart")
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown["Requests sent"] == "400 of 1,313"
    assert shown["Answered"] == "392"
    assert shown["Errors"] == "0"
    assert "Measuring calls, dynamic" in words(app)
    next(b for b in app.button if b.label == "Stop the run").click().run()
    assert stop_requested(half)
