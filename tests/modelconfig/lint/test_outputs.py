"""Findings as text, JSON and SARIF."""

from __future__ import annotations

import json

from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.lint.report import to_json, to_text
from backend.modelconfig.lint.sarif import to_sarif

TEXT = (
    'name: "a"\nbackend: "python"\nmax_batch_size: -1\n'
    "model_transaction_policy { decoupled: true }\n"
)
KEYS = ["rule", "severity", "line", "column", "field", "message", "effect", "fix", "source"]


def test_json_has_the_promised_keys_in_order() -> None:
    found = to_json(lint_text(TEXT))
    assert all(list(item) == KEYS for item in found)
    (first,) = [item for item in found if item["severity"] == "error"]
    assert (first["rule"], first["line"], first["column"], first["field"]) == (
        "max-batch-size-negative", 3, 1, "max_batch_size",
    )  # fmt: skip


def test_text_names_file_line_and_column_as_editors_read_it() -> None:
    text = to_text("m/config.pbtxt", lint_text(TEXT))
    assert "m/config.pbtxt:3:1: error max-batch-size-negative (max_batch_size)" in text
    assert text.splitlines()[-1].startswith("m/config.pbtxt: 1 error, 2 warnings, 1 remark")


def test_text_says_that_nothing_was_found() -> None:
    assert to_text("c", ()) == "c: nothing found"


def test_sarif_has_what_its_schema_requires() -> None:
    log = to_sarif([("m/a b.pbtxt", lint_text(TEXT))], "24.10")
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("interleave-lint", "0.1.0")
    rules = driver["rules"]
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in rules)
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "m/a%20b.pbtxt"
        assert place["region"]["startLine"] >= 1
        assert place["region"]["startColumn"] >= 1
    assert [r["level"] for r in run["results"]].count("error") == 1


def test_bytes_that_are_no_text_can_be_written_out() -> None:
    for data in (b'name: "a" \xe9', b'max_batch_size: "\xe9"', b"{{ \xe9 }} max_batch_size: @\xe9@",
                 b'{"\xe9": 1}', b'{"name": "\\ud800"}'):  # fmt: skip
        found = lint_text(data)
        assert found
        to_text("c", found).encode("utf-8")
        json.dumps(to_json(found), ensure_ascii=False).encode("utf-8")


def test_after_a_break_nothing_is_said_to_be_missing() -> None:
    assert [item.rule for item in lint_text('name: "a" max_batch_size 4')] == ["syntax"]
