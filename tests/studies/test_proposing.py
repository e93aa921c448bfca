"""Configurations of a study, nothing run (M09, M11): declared models, lines of faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.contracts.errors import InputError
from backend.modelconfig.text import candidate_text
from backend.studies.proposing import proposed_classes
from backend.workload.study_file import load_source
from tests.modelconfig.reading import parse

STUDY = """\
schema: 1
name: declared
matrix: {instances: [1], concurrency: [8]}
classes:
  - name: speech
    workload:
      answers:
        relation: parts_of_a_session
        serving: {backend: onnxruntime, hardware: cpu}
    model:
      declared:
        max_batch_size: 8
        inputs: [{name: X, data_type: FP32, dims: [80]}]
        outputs: [{name: Y, data_type: FP32, dims: [5]}]
    candidates:
      - {name: dynamic, priority_levels: 2, preserve_ordering: false, timeout_action: DELAY,
         queue_timeout_microseconds: 7}
      - sequence-direct
"""


def proposed(tmp_path: Path, text: str, **given: object):
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    source = load_source(path)
    return proposed_classes(source.study, source=source, instances=1, **given)


def test_a_declared_class_gets_its_candidates_and_the_proposed_one(tmp_path: Path) -> None:
    (found,) = proposed(tmp_path, STUDY)
    names = [choice.name for choice in found.choices]
    assert set(names) >= {"dynamic", "sequence-direct"}
    for name in names:
        text = candidate_text(found.candidate(name, 2), found.template)
        assert parse(text).backend == "onnxruntime"
    policy = found.candidate("dynamic", 1).queue_policy
    assert policy is not None
    assert (policy.timeout_action, policy.default_timeout_microseconds) == ("DELAY", 7)


def test_faults_name_the_line_of_the_study(tmp_path: Path) -> None:
    lines = STUDY.splitlines()
    unknown = STUDY.replace("backend: onnxruntime, ", "")
    with pytest.raises(InputError, match="backend of this class's model") as caught:
        proposed(tmp_path, unknown)
    assert caught.value.line == lines.index("      declared:") + 1
    ordered = STUDY.replace("preserve_ordering: false", "preserve_ordering: true")
    with pytest.raises(InputError, match="exclude each other") as caught:
        proposed(tmp_path, ordered)
    assert caught.value.line == lines.index("    candidates:") + 1


def test_the_release_of_the_study_decides_what_may_be_written(tmp_path: Path) -> None:
    old = STUDY.replace("name: declared\n", 'name: declared\ntriton_release: "21.12"\n')
    old = old.replace("dims: [80]}", "dims: [80], optional: true}")
    with pytest.raises(InputError, match="needs optional inputs"):
        proposed(tmp_path, old)


def test_one_candidate_can_be_asked_for(tmp_path: Path) -> None:
    (found,) = proposed(tmp_path, STUDY, only="no-batching")
    assert [choice.name for choice in found.choices] == ["no-batching"]
    alone = STUDY.replace(
        "relation: parts_of_a_session", "relation: independent\n        state_kind: none"
    ).replace("      - sequence-direct\n", "")
    with pytest.raises(InputError, match="carry no correlation ID"):
        proposed(tmp_path, alone, only="sequence-oldest")
