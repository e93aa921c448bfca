"""What wrong replies mean to the user: sentences and lanes worked out on hand-made sessions."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from backend.contracts.errors import InputError
from backend.contracts.findings import DomainFinding
from backend.sessions.decisions import Stretches, runs, stretches
from backend.sessions.domain import domain_finding, lanes
from backend.sessions.domain_sentences import plural
from backend.templates.template import Decision, OutputRule, Tensor


def bools(text: str) -> np.ndarray:
    """``#`` is positive, ``.`` negative."""
    return np.array([sign == "#" for sign in text])


def test_runs_are_found_at_both_edges() -> None:
    assert runs(bools("##..#")) == [(0, 2), (4, 5)]
    assert runs(bools("..")) == []
    assert runs(bools("")) == []


@pytest.mark.parametrize(
    ("right", "came", "expected"),
    [
        # as it should be
        ("....##########....", "....##########....", Stretches()),
        # the first three of ten came back silent
        ("....##########....", ".......#######....", Stretches(lost_start=1)),
        # three of the first five are enough, wherever they are
        ("....##########....", "....#.#..#####....", Stretches(lost_start=1)),
        # two are not
        ("....##########....", "......########....", Stretches()),
        # the end is not the start
        ("....##########....", "....######........", Stretches()),
        # eight of ten: all of it is missed, which says more than its start
        ("....##########....", "............##....", Stretches(missed=1)),
        # nine positives in a row are no stretch
        ("....#########.....", "..................", Stretches()),
        # three in a row within ten of silence
        ("..........", "...###....", Stretches(heard=1)),
        # three that are not in a row, and a silence of nine
        ("..........", "..#..#..#.", Stretches()),
        (".........#", "...###...#", Stretches()),
        # two stretches, each lost at its start; the silence between them stays silent
        ("##########..........##########", "...#######.............#######", Stretches(0, 2, 0)),
    ],
)
def test_stretches(right, came, expected) -> None:
    assert stretches(bools(right), bools(came)) == expected


@pytest.mark.parametrize(
    ("noun", "expected"),
    [("frame", "frames"), ("reply", "replies"), ("day", "days"), ("box", "boxes")],
)
def test_plurals(noun, expected) -> None:
    assert (plural(noun, 2), plural(noun, 1)) == (expected, noun)


@pytest.fixture
def sessions(requests_of, fp32):
    """Requests, replies and reference of sessions drawn as strings (``#`` 0.9, ``.`` 0.1)."""

    def table(drawn):
        return fp32(
            {
                f"{session}.{step}": [{"#": 0.9, ".": 0.1, "n": math.nan}[sign]]
                for session, signs in enumerate(drawn)
                for step, sign in enumerate(signs)
                if sign != " "
            }
        )

    def run(right, came):
        rows = [
            {"session": session, "step": step, "outcome": "error" if sign == " " else "ok"}
            for session, signs in enumerate(came)
            for step, sign in enumerate(signs)
        ]
        return requests_of(rows), table(came), table(right)

    return run


RIGHT = ["..........####################", "#############################.", "." * 30]


def test_m28_a_lost_start_is_told_of_its_caller(sessions, detector_of, cell_of) -> None:
    came = ["..............################", *RIGHT[1:]]
    requests, replies, reference = sessions(RIGHT, came)
    found = domain_finding(cell_of(), [(requests, replies)], reference, detector_of())
    assert (found.replies, found.differing, found.flipped) == (90, 4, 4)
    assert found.largest_difference == pytest.approx(0.8)
    assert found.sentence == (
        "4 of 90 frames changed between speech and silence; caller 1 lost the start of a sentence."
    )
    assert [item.title for item in found.sessions] == ["caller 1", "caller 2", "caller 3"]
    assert found.sessions[0].sentence == (
        "caller 1: 4 of 30 frames changed between speech and silence; "
        "lost the start of a sentence once."
    )
    assert found.sessions[1].sentence == (
        "caller 2: none of 30 frames changed between speech and silence."
    )
    assert found.sessions[0].session == 0


def test_rounds_are_counted_together(sessions, detector_of, cell_of) -> None:
    came = ["..............################", RIGHT[1], "............####.............."]
    requests, replies, reference = sessions(RIGHT, came)
    found = domain_finding(cell_of(), [(requests, replies)] * 2, reference, detector_of())
    assert (found.replies, found.flipped) == (180, 16)
    assert found.sentence == (
        "In 2 rounds, 16 of 180 frames changed between speech and silence; caller 1 lost the start "
        "of a sentence; caller 3 had speech reported in silence."
    )
    assert found.sessions[0].sentence.endswith("lost the start of a sentence twice.")
    assert DomainFinding.model_validate_json(found.model_dump_json()) == found


def test_several_callers_are_listed_or_counted(sessions, detector_of, cell_of) -> None:
    gone = ["#" * 20] * 5

    def sentence(lost: int) -> str:
        came = ["." * 20] * lost + ["#" * 20] * (5 - lost)
        requests, replies, reference = sessions(gone, came)
        trials = [(requests, replies)]
        return domain_finding(cell_of(), trials, reference, detector_of()).sentence

    assert sentence(2).endswith("; callers 1 and 2 missed a whole sentence.")
    assert sentence(3).endswith("; callers 1, 2 and 3 missed a whole sentence.")
    assert sentence(4).endswith("; 4 callers missed a whole sentence.")


def test_nothing_changed_is_said_so(sessions, detector_of, cell_of) -> None:
    requests, replies, reference = sessions(RIGHT, RIGHT)
    found = domain_finding(cell_of(), [(requests, replies)], reference, detector_of())
    assert found.sentence == "None of 90 frames changed between speech and silence."
    assert (found.flipped, found.largest_difference) == (0, 0.0)


def test_differences_that_change_no_decision_are_told(
    requests_of, fp32, detector_of, cell_of
) -> None:
    requests = requests_of([{"session": 0, "step": 0}, {"session": 0, "step": 1}])
    reference = fp32({"0.0": [0.9], "0.1": [0.9]})
    replies = fp32({"0.0": [0.9], "0.1": [0.65]})
    found = domain_finding(cell_of(), [(requests, replies)], reference, detector_of())
    assert found.sentence == (
        "None of 2 frames changed between speech and silence; "
        "1 reply differs by more than the tolerance, at most by 0.25."
    )


def test_the_threshold_itself_is_positive(requests_of, fp32, detector_of) -> None:
    requests = requests_of([{"session": 0, "step": 0}])
    frame = lanes(requests, fp32({"0.0": [0.5]}), fp32({"0.0": [0.499]}), detector_of())
    (row,) = frame.to_dict("records")
    assert (row["decision"], row["reference_decision"]) == ("speech", "silence")
    assert row["changed"]
    # 0.001 apart in single precision, just inside the rule
    assert row["differs"] == (row["difference"] > 0.001)


def test_lanes_are_in_session_and_step_order_with_their_times(sessions, detector_of) -> None:
    requests, replies, reference = sessions(["##", ".."], ["#.", ".."])
    backwards = requests.take(list(range(len(requests) - 1, -1, -1)))
    frame = lanes(backwards, replies, reference, detector_of())
    assert frame[["session", "step"]].to_numpy().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert frame["changed"].tolist() == [False, True, False, False]
    assert frame["title"].tolist() == ["caller 1"] * 2 + ["caller 2"] * 2
    assert frame["received_ns"].tolist() == [500, 1500, 2500, 3500]
    assert frame["value"].tolist() == pytest.approx([0.9, 0.1, 0.1, 0.1])


def test_replies_that_are_missing_count_for_nothing(sessions, detector_of, cell_of) -> None:
    requests, replies, reference = sessions(["#####"], ["#  ##"])
    found = domain_finding(cell_of(), [(requests, replies)], reference, detector_of())
    assert (found.replies, found.flipped) == (3, 0)
    empty = domain_finding(cell_of(), [], reference, detector_of())
    assert empty.sentence == "No reply could be compared with its reference."


def test_replies_that_are_no_numbers_are_told(sessions, detector_of, cell_of) -> None:
    requests, replies, reference = sessions(["##"], ["#n"])
    found = domain_finding(cell_of(), [(requests, replies)], reference, detector_of())
    assert (found.differing, found.flipped, found.largest_difference) == (1, 1, 0.0)
    assert found.sentence.endswith("1 reply had another shape or held no numbers.")


@pytest.fixture
def classifier(tmp_path: Path, detector_of):
    (tmp_path / "labels.txt").write_text("c\npython\njavascript\n", encoding="utf-8")
    return detector_of(
        stateful=False,
        outputs=(Tensor(name="SPEECH", data_type="FP32", dims=(3,)),),
        rules=(OutputRule(output="SPEECH", absolute=0.001, label=True, why="rounding"),),
        decision=Decision(output="SPEECH", labels_file="labels.txt", unit="file", session="file"),
        folder=tmp_path,
    )


def test_a_changed_label_is_named(requests_of, fp32, classifier, cell_of) -> None:
    requests = requests_of([{"session": at, "step": 0} for at in range(3)])
    reference = fp32({"0.0": [0.8, 0.1, 0.1], "1.0": [0.1, 0.8, 0.1], "2.0": [0.1, 0.8, 0.1]})
    replies = fp32({"0.0": [0.8, 0.1, 0.1], "1.0": [0.1, 0.2, 0.7], "2.0": [0.1, 0.8, 0.1]})
    found = domain_finding(cell_of(), [(requests, replies)], reference, classifier)
    assert found.sentence == "1 of 3 files got another label (javascript instead of python)."
    assert found.sessions[1].sentence == (
        "file 2: 1 of 1 file got another label (javascript instead of python)."
    )
    frame = lanes(requests, replies, reference, classifier)
    assert frame["decision"].tolist() == ["c", "javascript", "python"]
    assert frame["value"].tolist() == pytest.approx([0.8, 0.7, 0.8])


def test_of_many_sessions_only_the_wrong_ones_are_listed(
    requests_of, fp32, classifier, cell_of
) -> None:
    requests = requests_of([{"session": at, "step": 0} for at in range(150)])
    reference = fp32({f"{at}.0": [0.8, 0.1, 0.1] for at in range(150)})
    wrong = {7: [0.1, 0.8, 0.1], 9: [0.7, 0.2, 0.1]}
    replies = fp32({f"{at}.0": wrong.get(at, [0.8, 0.1, 0.1]) for at in range(150)})
    found = domain_finding(cell_of(), [(requests, replies)], reference, classifier)
    assert [(item.session, item.flipped) for item in found.sessions] == [(7, 1), (9, 0)]
    assert (found.replies, found.differing) == (150, 2)


def test_a_template_without_a_decision_has_no_domain(
    requests_of, fp32, detector_of, cell_of
) -> None:
    table = fp32({"0.0": [0.5]})
    with pytest.raises(InputError, match="what its replies mean"):
        domain_finding(cell_of(), [], table, detector_of(decision=None))


def test_a_threshold_on_several_numbers_is_refused(requests_of, fp32, detector_of) -> None:
    table = fp32({"0.0": [0.5, 0.6]})
    with pytest.raises(InputError, match="holds 2 numbers"):
        lanes(requests_of([{"session": 0, "step": 0}]), table, table, detector_of())
