"""The linter against the real server, on configurations from a seed and on documented ones (M12).

The full set is ``make differential``.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pytriton", reason="install nvidia-pytriton==0.7.0 (Linux x86-64)")
pytest.importorskip("hypothesis", reason="install requirements-dev.txt")

from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2

from benchmarks.differential import matrix
from benchmarks.differential.cases import Case
from benchmarks.differential.documented import documented
from benchmarks.differential.generate import generate
from benchmarks.differential.judge import judge

DOCUMENTATION = Path(__file__).parents[1] / "modelconfig" / "lint" / "documentation_24_10"


@pytest.fixture(scope="module")
def judged(
    embedded_triton_possible: None, tmp_path_factory: pytest.TempPathFactory
) -> tuple[matrix.Judged, ...]:
    cases = generate(150, 24)
    return matrix.compare(cases, judge(cases, tmp_path_factory.mktemp("judge")))


def report(judged: tuple[matrix.Judged, ...]) -> str:
    return "\n".join(matrix.printed(judged, documented()))


def test_what_the_linter_passes_the_server_loads(judged: tuple[matrix.Judged, ...]) -> None:
    assert not [item for item in judged if item.missed], report(judged)


def test_what_the_linter_refuses_the_server_refuses_or_the_document_says_why_not(
    judged: tuple[matrix.Judged, ...],
) -> None:
    overdone = [item for item in judged if item.overdone]
    unexplained = {finding.rule for item in overdone for finding in item.errors} - set(documented())
    assert not unexplained, report(judged)
    assert len(overdone) <= 10


def test_both_sides_are_tested(judged: tuple[matrix.Judged, ...]) -> None:
    low, high = matrix.LOADABLE
    assert low <= matrix.loadable(judged) <= high
    assert len(matrix.hits(judged)) >= 30


def test_documented_configurations_fare_on_the_server_as_the_index_says(
    embedded_triton_possible: None, tmp_path: Path
) -> None:
    expected: dict[str, bool] = {}
    cases = []
    for entry in json.loads((DOCUMENTATION / "index.json").read_text(encoding="utf-8")):
        text = (DOCUMENTATION / entry["file"]).read_bytes()
        config = model_config_pb2.ModelConfig()
        text_format.Parse(text.decode().replace("TYPE_BYTES", "TYPE_STRING"), config)
        on_gpu = any(
            group.kind == model_config_pb2.ModelInstanceGroup.KIND_GPU
            for group in config.instance_group
        )
        # only the Python backend is here, and no GPU
        judgeable = (config.backend == "python" and not on_gpu) or "refused" in entry
        if entry["complete"] and judgeable:
            expected[config.name] = "refused" not in entry
            cases.append(Case(config.name, text, entry["file"]))
    verdicts = judge(cases, tmp_path)
    assert {name: verdict.loads for name, verdict in verdicts.items()} == expected
    assert len(expected) >= 12
