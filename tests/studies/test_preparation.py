"""Wrong input is found before any server starts, with file and line (M44)."""

from pathlib import Path

import pytest

from backend.contracts.errors import InputError
from backend.studies.preparation import prepare
from backend.workload.study_file import load_source, source_from_text

STUDIES = Path(__file__).resolve().parents[2] / "studies"
CAPTIONS = (STUDIES / "streaming-captions.yaml").read_text()


def fault(text: str) -> InputError:
    source = source_from_text(text, "s.yaml")
    with pytest.raises(InputError) as caught:
        prepare(source.study, source=source)
    return caught.value


def line_of(text: str, words: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if words in line)


def test_a_missing_template_names_the_line_and_the_nearest(tmp_path: Path):
    text = CAPTIONS.replace("template: session_probe", "template: session_prob")
    error = fault(text)
    assert error.line == line_of(text, "session_prob")
    assert "session_probe" in error.text()


def test_a_parameter_out_of_range_names_the_line():
    text = CAPTIONS.replace("input_bytes: 256", "input_bytes: -1")
    error = fault(text)
    assert "input_bytes" in error.text()
    lines = range(line_of(text, "parameters:"), line_of(text, "input_bytes: -1") + 1)
    assert error.line in lines


def test_a_class_judged_by_a_choice_it_left_out_gets_it_back():
    text = CAPTIONS.replace(
        "candidates: [sequence-oldest, sequence-direct, dynamic, no-batching]",
        "candidates: [dynamic]",
    )
    source = source_from_text(text, "s.yaml")
    prepared = prepare(source.study, source=source)
    names = [choice.name for choice in prepared.classes[0].choices]
    assert names == ["sequence-oldest", "dynamic"]


def test_one_candidate_alone_whatever_the_study_lists():
    source = load_source(STUDIES / "streaming-captions.yaml")
    prepared = prepare(source.study, source=source, only="dynamic")
    assert [choice.name for choice in prepared.classes[0].choices] == ["dynamic"]


@pytest.mark.parametrize("path", sorted(STUDIES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_study_prepares_the_same_twice(path: Path):
    source = load_source(path)
    first, second = prepare(source.study), prepare(source.study)
    for one, other in zip(first.classes, second.classes, strict=True):
        assert {cell: plan.digest() for cell, plan in one.plans.items()} == {
            cell: plan.digest() for cell, plan in other.plans.items()
        }


def test_a_sequence_candidate_without_correlation_ids_names_the_line():
    text = (STUDIES / "file-labels.yaml").read_text()
    text = text.replace("candidates: [dynamic, no-batching]", "candidates: [sequence-oldest]")
    error = fault(text)
    assert error.line == line_of(text, "[sequence-oldest]")
    assert "no correlation ID" in error.text()


def test_one_candidate_leaves_out_the_classes_that_it_cannot_serve():
    study = load_source(STUDIES / "mixed.yaml").study
    prepared = prepare(study, only="sequence-oldest")
    assert [item.item.name for item in prepared.classes] == ["captions"]
    labels = load_source(STUDIES / "file-labels.yaml").study
    with pytest.raises(InputError, match="No class of this study can be served"):
        prepare(labels, only="sequence-oldest")
