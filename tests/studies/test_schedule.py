"""Alternating rounds (M34): worked out by hand for two classes."""

from backend.studies.schedule import schedule
from backend.workload.study import Cell

ONE = Cell(instances=1, concurrency=8, mix="m")
TWO = Cell(instances=2, concurrency=8, mix="m")


def test_m34_candidates_alternate_and_turn_by_one_place_per_round():
    trials = schedule({"a": (("A", "B", "C"), (ONE,))}, 3)
    assert [t.candidate for t in trials] == list("ABCCABBCA")
    assert [t.repeat for t in trials] == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_numbers_count_every_trial_once_over_classes_and_cells():
    trials = schedule({"a": (("A", "B"), (ONE, TWO)), "b": (("D",), (ONE,))}, 2)
    assert [t.number for t in trials] == list(range(10))
    assert [(t.request_type, t.candidate, t.cell.instances) for t in trials] == [
        ("a", "A", 1), ("a", "B", 1), ("a", "A", 2), ("a", "B", 2), ("b", "D", 1),
        ("a", "B", 1), ("a", "A", 1), ("a", "B", 2), ("a", "A", 2), ("b", "D", 1),
    ]  # fmt: skip


def test_nothing_to_try_gives_no_trial():
    assert schedule({"a": ((), (ONE,))}, 3) == ()
