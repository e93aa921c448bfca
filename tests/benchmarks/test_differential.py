"""The parts of the differential run that need no server."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("hypothesis", reason="install requirements-dev.txt")

from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2

from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.lint.reading import read_configuration
from benchmarks.differential import matrix, mutants
from benchmarks.differential.cases import Case, Verdict
from benchmarks.differential.documented import documented
from benchmarks.differential.drafts import MOST_INSTANCES
from benchmarks.differential.generate import generate
from benchmarks.differential.reasons import rule_of

# protobuf's parser for Python unescapes by Python's own rules, which warn
pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")

CASES = generate(300, 7)


def test_a_seed_gives_the_same_distinct_cases() -> None:
    assert generate(300, 7) == CASES
    assert generate(300, 8) != CASES
    assert len(CASES) == len({case.text for case in CASES}) == 300


def test_every_fault_has_its_share() -> None:
    faults = Counter(case.origin for case in CASES if case.origin[0].isdigit())
    assert max(faults.values()) - min(faults.values()) <= 1


def test_cases_start_few_processes_and_need_no_gpu() -> None:
    for case in CASES:
        config = model_config_pb2.ModelConfig()
        try:
            text_format.Parse(case.text.decode(), config)
        except (text_format.ParseError, ValueError):
            continue
        groups = config.instance_group
        assert sum(max(group.count, 1) for group in groups) <= MOST_INSTANCES
        assert model_config_pb2.ModelInstanceGroup.KIND_GPU not in {group.kind for group in groups}


@pytest.mark.parametrize(
    ("stage", "reason", "rule"),
    [
        ("parse", 'config.pbtxt line 6, column 4: Message type "inference.ModelConfig" has no '
                  'field named "foo".', "3"),
        ("parse", 'Field "b" is specified along with field "a", another member of oneof '
                  '"scheduling_choice".', "1"),
        ("poll", "dynamic batching preferred size must be <= max batch size for MODEL", "8"),
        ("poll", "model input 'A' must specify 'dims' for MODEL", "31"),
        ("poll", "ensemble tensor 'u' is unused in ensemble 'MODEL'", "28"),
        ("load", "Invalid argument: instance group MODEL_0 of model MODEL has kind KIND_CPU but "
                 "specifies one or more GPUs", "36"),
        ("load", "Invalid argument: something new", "other"),
    ],
)  # fmt: skip
def test_a_reason_names_its_rejection(stage: str, reason: str, rule: str) -> None:
    assert rule_of(Verdict("refused", stage, reason)) == rule


def test_deaths_and_loads_are_no_rejections() -> None:
    assert rule_of(Verdict("loads")) == ""
    assert rule_of(Verdict("died", reason="Triton ended: killed by SIGSEGV.")) == "died"


def test_the_report_lists_both_kinds_of_disagreement() -> None:
    cases = (
        Case("a", b'backend: "python"', "plain"),
        Case("b", b"", "known: empty file"),
        Case("c", b"max_batch_size: -1", "6: negative batch"),
    )
    judged = matrix.compare(
        cases,
        {
            "a": Verdict("refused", "poll", "for no reason"),
            "b": Verdict("loads"),
            "c": Verdict(
                "refused", "poll", "'max_batch_size' must be non-negative value for MODEL"
            ),
        },
    )
    report = "\n".join(matrix.printed(judged, documented()))
    assert "Passed by the linter, not loaded by the server: 1" in report
    assert "server: for no reason" in report
    assert "Refused by the linter, loaded by the server: 1" in report
    assert "guesses everything from the files beside it" in report
    assert [item.case.name for item in judged if item.missed] == ["a"]
    assert matrix.hits(judged) == {"other": 1, "6": 1}


def test_damaged_files_never_raise_and_what_cannot_be_read_is_found_at_a_place() -> None:
    found = mutants.linted(mutants.mutants(600, 3))
    assert sum(mutants.is_json(item.case) for item in found) > 100
    doubted = {item.case.name for item in mutants.doubtful(found)}
    unread = [item for item in found if item.refused]
    assert len(unread) > 300
    assert all(item.found for item in unread)
    # on a few, protobuf's parser for Python is stricter than Triton's: 'make differential' asks it
    assert len(doubted) < 40


def test_every_generated_configuration_can_be_explained_and_compared() -> None:
    for case in CASES:
        mutants.told(read_configuration(case.text).config)


def test_json_that_is_whole_has_no_findings_that_it_cannot_be_read() -> None:
    whole = mutants.json_sources()
    assert len(whole) > 100
    for text in whole:
        assert mutants.json_readable(text)
        found = mutants.Mutant(Case("whole", text, mutants.AS_JSON), lint_text(text), 0)
        assert found.refusals == frozenset(), text
