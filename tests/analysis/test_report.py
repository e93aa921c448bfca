"""Verdicts and their reasons; the whole of findings.json from plain inputs."""

import pandas as pd
import pytest

from backend.analysis.inputs import CandidateResult, ClassResult, StudyResult
from backend.analysis.report import build_findings
from backend.analysis.verdict import exit_code
from backend.contracts.exit_codes import ExitCode
from backend.contracts.findings import Findings, PropertyFinding, Violation
from backend.workload.study import Cell
from backend.workload.traffic import Objectives
from tests.analysis.requests_rows import MS, ONE, TWO, request, table, timed

CELLS = (
    Cell(instances=1, concurrency=8, mix="talk"),
    Cell(instances=2, concurrency=8, mix="talk"),
)


def trials(candidate, *, rounds=3, cells=(ONE, TWO), response_ms=10.0, count=40):
    rows, number = [], 0
    for r in range(rounds):
        for cell in cells:
            rows += timed(
                [response_ms] * count, candidate=candidate, cell=cell, trial=number, repeat=r
            )
            number += 1
    return table(rows)


def holds(row="M21", cell=ONE, **given):
    values = {
        "row": row,
        "title": "own history alone",
        "cell": cell,
        "length_group": "all",
        "verdict": "holds",
        "checked_count": 120,
        "violation_count": 0,
    }
    return PropertyFinding(**{**values, **given})


def broken(cell=TWO, count=30, **given):
    return holds(
        cell=cell,
        verdict="violated",
        violation_count=count,
        **{"relations": {"other_session": count - 5, "own_stale": 5}, **given},
    )


BOTH = (holds(), holds(cell=TWO))


def candidate(name="sequence-oldest", properties=BOTH, **given):
    return CandidateResult(
        **{
            "name": name,
            "table": trials(name),
            "planned": 6,
            "properties": properties,
            **given,
        }
    )


def findings(*candidates, proposed="sequence-oldest", stateful=True, **study) -> Findings:
    objectives = study.pop("objectives", Objectives())
    time_scale = study.pop("time_scale", 1.0)
    item = ClassResult(
        name="talk",
        proposed=proposed,
        stateful=stateful,
        cells=CELLS,
        candidates=candidates,
        objectives=objectives,
        time_scale=time_scale,
    )
    planned = sum(c.planned for c in candidates)
    return build_findings(
        StudyResult(
            **{
                "study": "talks",
                "classes": (item,),
                "trials_planned": planned,
                "trials_done": planned,
                **study,
            }
        )
    )


def only(found: Findings, name="sequence-oldest"):
    return next(c for c in found.classes["talk"].candidates if c.name == name)


def test_m21_that_holds_in_every_cell_passes():
    found = findings(candidate())
    assert (found.verdict, found.status, exit_code(found)) == ("pass", "complete", ExitCode.PASS)
    assert only(found).reasons == (
        "M21 holds (own history alone): 240 checks in 2 cells, none violated.",
    )
    assert only(found).trials == (0, 1, 2, 3, 4, 5)
    assert found.classes["talk"].verdict == "pass"


def test_m21_violated_in_one_cell_fails_and_says_whose_context():
    found = findings(candidate(properties=(holds(), broken())))
    assert (found.verdict, exit_code(found)) == ("fail", ExitCode.FAIL)
    assert only(found).reasons[0] == (
        "M21 violated (own history alone), 2 instances, 8 sessions at once, mix talk: 30 of 120: "
        "25 from another session's context and 5 from the session's own stale state."
    )


@pytest.mark.parametrize("row", ["M22", "M23", "M24", "M26"])
def test_any_violated_row_fails(row):
    found = findings(candidate(properties=(*BOTH, broken(row=row))))
    assert found.verdict == "fail"
    assert only(found).reasons[0].startswith(f"{row} violated")


def test_length_groups_are_added_up_and_all_is_not_counted_twice():
    parts = (
        broken(length_group="short", count=10),
        broken(length_group="long", count=20),
    )
    assert "30 of 240" in only(findings(candidate(properties=(holds(), *parts)))).reasons[0]
    whole = (*parts, broken(length_group="all", count=30))
    assert "30 of 120" in only(findings(candidate(properties=(holds(), *whole)))).reasons[0]


def test_rows_not_shown_do_not_fail_but_are_named():
    later = [
        holds(row="M22", cell=cell, title="reuse", verdict="not_shown", checked_count=0, note="N.")
        for cell in (ONE, TWO)
    ]
    found = findings(candidate(properties=(*BOTH, *later)))
    assert found.verdict == "pass"
    assert "M22 not shown (reuse): N." in only(found).reasons


def test_a_cell_whose_premise_is_not_shown_gives_no_verdict():
    open_one = holds(cell=TWO, verdict="not_shown", checked_count=0, note="Nothing was answered.")
    found = findings(candidate(properties=(holds(), open_one)))
    assert (found.verdict, exit_code(found)) == ("no_verdict", ExitCode.NO_VERDICT)
    assert "2 instances" in only(found).reasons[0]
    assert "Nothing was answered." in only(found).reasons[0]


def test_replies_that_nobody_judged_give_no_verdict():
    assert findings(candidate(properties=())).verdict == "no_verdict"


def test_luck_on_one_instance_is_not_a_pass():
    """A dynamic batcher that met one instance alone cannot have mixed anything up."""
    lucky = candidate(
        "dynamic", properties=(holds(),), table=trials("dynamic", cells=(ONE,)), planned=3
    )
    item = ClassResult("talk", "dynamic", True, CELLS[:1], (lucky,))
    found = build_findings(StudyResult("talks", (item,), 3, 3))
    assert found.verdict == "no_verdict"
    assert "only because one instance served everything" in found.reasons[0]


def test_luck_on_two_instances_is_not_a_pass_either():
    found = findings(candidate("dynamic"), proposed="dynamic")
    assert found.verdict == "no_verdict"
    assert "binds no session to an instance" in only(found, "dynamic").reasons[0]


def test_what_is_known_to_be_unpromised_is_luck():
    found = findings(candidate(unpromised="Oldest gives no sequence a fixed position."))
    assert found.verdict == "no_verdict"
    assert "fixed position" in only(found).reasons[0]


def test_m26_decides_for_a_stateless_class():
    same = tuple(holds(row="M26", cell=cell) for cell in (ONE, TWO))
    found = findings(candidate("dynamic", properties=same), proposed="dynamic", stateful=False)
    assert found.verdict == "pass"


def test_a_proposed_candidate_that_cannot_load_fails():
    nothing = candidate(
        table=table([]), properties=(), load_failure="failed to poll from model repository"
    )
    found = findings(nothing, trials_done=0)
    assert (found.verdict, exit_code(found)) == ("fail", ExitCode.FAIL)
    assert only(found).load_failure == "failed to poll from model repository"
    assert "Triton did not load sequence-oldest" in only(found).reasons[0]


def test_another_candidate_that_cannot_load_does_not_change_the_verdict():
    nothing = candidate("dynamic", table=table([]), properties=(), load_failure="no")
    found = findings(candidate(), nothing)
    assert found.verdict == "pass"
    assert only(found, "dynamic").verdict == "fail"
    assert any(r.startswith("dynamic fails") for r in found.classes["talk"].reasons)


def test_a_candidate_that_ends_the_server_fails():
    found = findings(
        candidate(server_end="The server ended while it served it: signal 11 (SIGSEGV)")
    )
    assert found.verdict == "fail"
    assert "SIGSEGV" in only(found).reasons[0]


def test_no_trials_give_no_verdict():
    found = findings(candidate(table=table([]), properties=()), trials_done=0)
    assert found.verdict == "no_verdict"
    assert only(found).reasons == ("No trial of sequence-oldest finished.",)


def test_missing_trials_give_no_verdict():
    part = candidate(table=trials("sequence-oldest", rounds=2))
    found = findings(part, trials_done=4)
    assert found.verdict == "no_verdict"
    assert "Only 4 of 6 trials finished." in only(found).reasons


def test_an_interrupted_run_keeps_a_fail_but_never_passes():
    found = findings(candidate(), interrupted=True)
    assert (found.status, found.verdict) == ("interrupted", "no_verdict")
    assert exit_code(found) == ExitCode.INTERRUPTED
    assert findings(candidate(properties=(broken(),)), interrupted=True).verdict == "fail"


def test_m33_void_trials_give_no_figures_and_a_cell_of_them_no_verdict():
    void = dict.fromkeys((1, 3, 5), "The generator lagged 40 ms.")  # the two-instance cell
    found = findings(candidate(void=void))
    assert (found.verdict, found.status) == ("no_verdict", "complete")
    assert {group.cell for group in only(found).groups} == {ONE}
    assert "all its trials are void: The generator lagged 40 ms." in only(found).reasons[0]
    everything = dict.fromkeys(range(6), "The generator lagged 40 ms.")
    assert findings(candidate(void=everything)).status == "void"


def test_one_void_trial_is_named_and_the_rest_still_counts():
    found = findings(candidate(void={1: "lag"}))
    assert found.verdict == "pass"
    assert "Trial 1 is void and its figures are left out: lag" in only(found).reasons
    two = next(g for g in only(found).groups if (g.cell, g.length_group) == (TWO, "all"))
    assert two.rounds == 2


def test_unanswered_requests_fail():
    rows = trials("sequence-oldest").to_dict("records")
    bad = [
        request(cell=ONE, outcome="error", error="must specify the START flag", received_ns=1),
        request(cell=ONE, outcome="not_sent", sent_ns=None, received_ns=None),
    ]
    frame = pd.concat([pd.DataFrame(rows), table(bad)], ignore_index=True)
    found = findings(candidate(table=frame))
    assert found.verdict == "fail"
    assert only(found).reasons[0] == (
        "1 of 241 requests were not answered (1 error); the first: must specify the START flag"
    )


def test_objectives_decide_by_the_interval():
    slow = candidate(table=trials("sequence-oldest", response_ms=80.0, count=400))
    missed = findings(slow, objectives=Objectives(response_p99_ms=50.0))
    assert missed.verdict == "fail"
    assert "Objective exceeded, 1 instance" in only(missed).reasons[0]
    assert "80 ms (80 to 80) against 50 ms" in only(missed).reasons[0]
    assert findings(slow, objectives=Objectives(response_p99_ms=90.0)).verdict == "pass"


def test_m35_one_round_neither_keeps_nor_breaks_an_objective():
    """A single round of 80 ms against a promise of 50 ms: named, but no evidence."""
    slow = candidate(table=trials("sequence-oldest", rounds=1, response_ms=80.0, count=1200))
    found = findings(slow, objectives=Objectives(response_p99_ms=50.0))
    assert not any("exceeded" in reason for reason in only(found).reasons)
    assert any(
        "response time p99 80 ms against 50 ms; 1 round, 3 needed." in reason
        for reason in only(found).reasons
    )


def test_an_objective_that_the_sample_cannot_decide_is_named():
    found = findings(candidate(), objectives=Objectives(queue_p99_ms=50.0))
    assert found.verdict == "pass"
    assert any(
        "queue time p99 needs 1,000 answered requests, and there were 120" in reason
        for reason in only(found).reasons
    )


def test_the_judged_candidate_decides():
    dynamic = candidate("dynamic", properties=(holds(), broken()))
    found = findings(candidate(), dynamic, judged_candidate="dynamic")
    assert (found.verdict, found.judged_candidate) == ("fail", "dynamic")
    assert found.classes["talk"].verdict == "pass"
    absent = findings(candidate(), judged_candidate="no-batching")
    assert absent.verdict == "no_verdict"


def test_the_worst_class_decides_the_study():
    good = ClassResult("good", "sequence-oldest", True, CELLS, (candidate(),))
    bad = ClassResult("bad", "sequence-oldest", True, CELLS, (candidate(properties=(broken(),)),))
    open_one = ClassResult("open", None, True, CELLS, ())
    assert build_findings(StudyResult("s", (good, bad, open_one), 12, 12)).verdict == "fail"
    assert build_findings(StudyResult("s", (good, open_one), 6, 6)).verdict == "no_verdict"


def test_a_class_without_a_tried_proposal_has_no_verdict():
    found = findings(candidate("dynamic"), proposed="sequence-oldest")
    assert found.classes["talk"].verdict == "no_verdict"
    assert "was not tried" in found.classes["talk"].reasons[0]


def test_comparisons_say_where_replies_were_wrong():
    dynamic = candidate("dynamic", properties=(holds(), broken()))
    found = findings(candidate(), dynamic)
    spoiled = [c for c in found.classes["talk"].comparisons if c.cell == TWO]
    assert spoiled
    assert all("its speed is no argument" in c.sentence for c in spoiled)
    clean = [c for c in found.classes["talk"].comparisons if c.cell == ONE]
    assert not any("no argument" in c.sentence for c in clean)


def test_violations_are_kept_up_to_one_hundred():
    many = tuple(
        Violation(
            trial=1, repeat=0, session=0, step=step, expected="a", observed="b", relation="unknown"
        )
        for step in range(130)
    )
    found = findings(candidate(properties=(holds(), broken(count=130, violations=many))))
    kept = only(found).properties[1]
    assert (kept.violation_count, len(kept.violations)) == (130, 100)


def test_a_scaled_study_says_so():
    found = findings(candidate(), time_scale=0.05)
    assert any("gaps are 0.05 of real life" in note for note in found.notes)
    assert not any("of real life" in note for note in findings(candidate()).notes)


def test_findings_survive_the_file():
    found = findings(candidate(), candidate("dynamic", properties=(holds(), broken())))
    assert Findings.model_validate_json(found.model_dump_json()) == found


def test_throughput_of_a_trial_without_duration_is_absent():
    rows = [request(sent_ns=MS, received_ns=MS)]
    item = ClassResult(
        "talk", "dynamic", False, CELLS, (CandidateResult("dynamic", table(rows), 1),)
    )
    found = build_findings(StudyResult("s", (item,), 1, 1))
    assert found.classes["talk"].candidates[0].groups[0].throughput_per_s is None
