"""M36, M38: a record drawn from a run carries evidence, limits and a way back."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.advice.advise import advise
from backend.contracts.errors import InputError
from backend.contracts.run_directory import RunDirectory
from backend.records.record import DecisionRecord
from backend.records.run_evidence import RunEvidence, read_evidence
from backend.templates.reader import load_template

Draft = Callable[..., DecisionRecord]


def test_evidence_is_copied_and_tied_to_the_run(draft: Draft, captions_run: Path) -> None:
    record = draft()
    raw = (captions_run / "findings.json").read_bytes()
    assert record.evidence.findings_sha256 == hashlib.sha256(raw).hexdigest()
    assert record.evidence.run == "captions-run"
    assert (record.evidence.trials_done, record.evidence.trials_planned) == (18, 18)
    assert record.evidence.environment["runtime"] == "embedded"
    dynamic = next(c for c in record.evidence.candidates if c.candidate == "dynamic")
    broken = next(p for p in dynamic.properties if p.verdict == "violated")
    assert (broken.row, broken.violation_count, broken.checked_count) == ("M21", 412, 3200)
    assert broken.relations == {"other_session": 300, "own_stale": 104, "unknown": 8}
    whole = next(
        f for f in dynamic.figures if f.cell.startswith("instances=2") and f.length_group == "all"
    )
    assert (whole.n, whole.queue_ms.p99, whole.response_ms.p99) == (3200, 5.02, 11.02)
    assert whole.intervals["queue_p99_ms"].low == pytest.approx(5.02 * 0.9)


def test_a_record_says_the_workload_in_words(draft: Draft) -> None:
    context = draft().classes[0]
    answers = {item.question: item.answer for item in context.answers}
    assert answers["Does the last request of a session say that it is the last?"] == "Yes"
    assert any("75 % short (5 to 20 requests)" in text for text in context.traffic)
    assert context.proposed == "sequence-oldest"


def test_instances_left_out_are_the_fewest_verified(draft: Draft) -> None:
    assert draft().decision[0].instances == 1
    assert draft(instances=2).decision[0].instances == 2
    # dynamic failed: with one instance it held by luck, which does not count as verified
    record = draft("dynamic")
    assert [o.verified for o in record.options if o.candidate == "dynamic"] == [False, False]


def test_rollback_is_the_smaller_verified_configuration(draft: Draft) -> None:
    way_back = draft(instances=2).rollback[0]
    assert (way_back.candidate, way_back.instances) == ("sequence-oldest", 1)
    assert "count: 1" in way_back.config_text
    assert "oldest" in way_back.config_text
    assert any("correlation IDs" in step for step in way_back.steps)


def test_rollback_of_the_smallest_is_another_sequence_batcher(draft: Draft) -> None:
    way_back = draft().rollback[0]
    assert (way_back.candidate, way_back.instances) == ("sequence-direct", 1)


def test_rollback_of_a_wrong_choice_is_a_sequence_batcher(draft: Draft) -> None:
    way_back = draft("dynamic", instances=2).rollback[0]
    assert (way_back.candidate, way_back.instances) == ("sequence-direct", 1)


def test_nothing_verified_means_no_way_back(captions_run: Path, draft: Draft) -> None:
    _edit(captions_run, lambda candidate: candidate.update(verdict="no_verdict"))
    way_back = _again(captions_run).rollback[0]
    assert way_back.candidate is None
    assert way_back.config_text == ""
    assert any("out of service" in step for step in way_back.steps)


def test_what_the_evidence_leaves_open_is_a_risk(draft: Draft) -> None:
    record = draft(risks=["The model is new."])
    assert record.risks[0] == "The model is new."
    assert sum("M23" in risk for risk in record.risks) == 1


def test_a_choice_against_the_evidence_says_so(draft: Draft) -> None:
    risks = draft("dynamic").risks
    assert any("does not support the choice" in risk and "412" in risk for risk in risks)


def test_an_interrupted_run_says_so(captions_run: Path) -> None:
    path = captions_run / "findings.json"
    value = json.loads(path.read_text())
    value.update(status="interrupted", trials_done=4)
    path.write_text(json.dumps(value))
    assert any("interrupted after 4 of 18" in risk for risk in _again(captions_run).risks)


def test_consequences_are_measured_comparisons_of_the_chosen_setting(draft: Draft) -> None:
    sentences = draft(consequences=["One more service to run."]).consequences
    assert sentences[0] == "One more service to run."
    # one instance, all sessions: not the short ones, not two instances
    assert len(sentences) == 2
    assert "instances=1" in sentences[1]
    assert ", all: better" in sentences[1]


def test_revisit_names_the_limits_of_what_was_tried(draft: Draft) -> None:
    text = " ".join(draft(revisit_when=["In a year."]).revisit_when)
    assert text.startswith("In a year.")
    assert "24.10" in text
    assert "more than 8 live sessions" in text
    assert "longer than 200 requests" in text
    assert "Is an id used again after its session has ended?" in text


def test_what_the_advice_said_is_kept(draft: Draft, evidence: RunEvidence) -> None:
    """M08: reasons with rule and source; risks of the chosen candidate only."""
    item = evidence.study.classes[0]
    recommendation = advise(item, load_template(item.model.template))
    record = draft(advice={"captions": recommendation})
    advice = record.classes[0].advice
    assert advice[0] == recommendation.summary
    assert recommendation.reasons[0].conclusion in advice[1]
    assert recommendation.reasons[0].source in advice[1]
    for risk in recommendation.risks:
        named = any(risk.sentence in text for text in record.risks)
        assert named == (risk.candidate in (None, "sequence-oldest"))
    changes = [change for change in recommendation.what_would_change]
    assert changes
    for change in changes:
        named = any(change.sentence in text for text in record.revisit_when)
        assert named == (change.becomes != "sequence-oldest")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"author": "  "}, "no author"),
        ({"why": ""}, "gives no reason"),
        ({"chosen": "no-batching"}, "did not try no-batching"),
        ({"chosen": {"other": "dynamic"}}, "class 'other', which the study does not have"),
        ({"chosen": {}}, "chooses nothing for the class 'captions'"),
        ({"author": "A\0nn"}, r"U\+0000"),
        ({"title": "half \ud83d"}, r"U\+D83D"),
        ({"risks": ["bell \a"]}, r"'risks' holds the character U\+0007"),
        ({"instances": 5}, "did not try sequence-oldest with instances=5"),
    ],
)
def test_incomplete_decisions_are_refused(
    draft: Draft, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        draft(**changes)


def test_names_and_titles_are_one_line(draft: Draft) -> None:
    record = draft(author=" Ann\n of  Ops ", title="Two\r\nlines", why="First.\r\n\r\nSecond.")
    assert (record.author, record.title) == ("Ann of Ops", "Two lines")
    assert record.decision[0].because == "First.\n\nSecond."
    assert draft(risks=["", " \n"]).risks == draft().risks


def test_a_folder_that_is_no_finished_run(tmp_path: Path, captions_run: Path) -> None:
    with pytest.raises(InputError, match="is not a run directory"):
        read_evidence(RunDirectory(tmp_path))
    (captions_run / "findings.json").rename(captions_run / "elsewhere.json")
    with pytest.raises(InputError, match="has no findings yet"):
        read_evidence(RunDirectory(captions_run))
    (captions_run / "findings.json").write_text('{"schema_version": 99}')
    with pytest.raises(InputError, match="not a findings file of this version"):
        read_evidence(RunDirectory(captions_run))


def test_damaged_files_are_named(captions_run: Path) -> None:
    (captions_run / "trials/00/server.json").write_text("{")
    with pytest.raises(InputError, match=r"trials/00/server\.json is not JSON"):
        read_evidence(RunDirectory(captions_run))


def test_a_run_without_environment_still_gives_a_record(captions_run: Path) -> None:
    (captions_run / "environment.json").unlink()
    assert _again(captions_run).evidence.environment == {}


def test_a_copied_run_gives_the_same_evidence(
    captions_run: Path, tmp_path: Path, evidence: RunEvidence
) -> None:
    shutil.copytree(captions_run, tmp_path / "copy" / "captions-run")
    copied = read_evidence(RunDirectory(tmp_path / "copy" / "captions-run"))
    assert copied.findings_sha256 == evidence.findings_sha256
    assert copied.configs == evidence.configs


def _again(run: Path) -> DecisionRecord:
    from backend.records.drafting import new_record

    return new_record(
        read_evidence(RunDirectory(run)), "sequence-oldest", author="Ann", why="It is right."
    )


def _edit(run: Path, change: Callable[[dict[str, object]], None]) -> None:
    path = run / "findings.json"
    value = json.loads(path.read_text())
    for candidate in value["classes"]["captions"]["candidates"]:
        change(candidate)
    path.write_text(json.dumps(value))
