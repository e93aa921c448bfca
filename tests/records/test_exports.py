"""M36, M40: a record leaves the console as text, page, data and bundle, and comes back whole."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from backend.contracts.errors import InputError
from backend.contracts.run_directory import RunDirectory
from backend.records.bundle import bundle, bundle_name
from backend.records.html import to_html
from backend.records.interchange import from_json, to_json
from backend.records.lifecycle import accept, supersede
from backend.records.markdown import to_markdown
from backend.records.record import Answer, DecisionRecord

Draft = Callable[..., DecisionRecord]
WRITTEN = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)
HOSTILE = (
    "<script>alert(1)</script> | a [link](javascript:x) *bold* `code`\n# no heading\n- no list"
)


def test_markdown_is_what_a_reviewer_reads(draft: Draft) -> None:
    golden = Path(__file__).with_name("record-0003.md")
    record = accept(draft(number=3), "Ben", at=WRITTEN)
    text = to_markdown(_at_home(record))
    assert text == golden.read_text(encoding="utf-8")


def test_decision_status_date_and_who_come_first(draft: Draft) -> None:
    text = to_markdown(accept(draft(number=3), "Ben", at=WRITTEN))
    top = text[: text.index("## Decision")]
    assert "# 3. Live captions: sequence-oldest" in top
    for line in (
        "| Decision | captions: sequence-oldest, instances=1 |",
        "| Status | accepted |",
        "| Date | 2026-12-01 10:00 UTC |",
        "| Decided by | Ben |",
    ):
        assert line in top
    # numbers with their conditions
    assert (
        "With 1 instance, 8 sessions at once, mix mixed: 0 wrong of 3,200 checked replies, queue "
        "time p99 12.3 ms (11.1 to 13.5), response time p99 18.3 ms, n = 3,200 in 3 rounds."
    ) in text


def test_a_superseded_record_says_so_at_the_top(draft: Draft) -> None:
    old, _ = supersede(accept(draft(number=1), "Ben"), draft(number=2), "Eve")
    lines = [line for line in to_markdown(old).split("---\n")[2].splitlines() if line]
    assert lines[1] == "**Superseded by record 2.**"
    assert "Superseded by record 2." in to_html(old)


def test_users_text_is_shown_never_run(draft: Draft) -> None:
    """Rendered as Markdown with HTML allowed, hostile text gives no element of its own."""
    renderer = MarkdownIt("commonmark", {"html": True}).enable("table")
    plain = _elements(renderer.render(to_markdown(draft(number=1))))
    texts = {"title": HOSTILE, "why": HOSTILE, "question": HOSTILE, "author": HOSTILE}
    record = draft(number=1, risks=[HOSTILE], **texts)
    extra = _elements(renderer.render(to_markdown(record))) - plain
    assert not extra - {"br"}
    assert "script" not in _elements(to_html(record))
    assert "alert(1)" in re.sub(r"\s", "", to_html(record))


def test_a_configuration_cannot_end_its_code_block(draft: Draft) -> None:
    record = draft(number=1)
    nasty = record.rollback[0].model_copy(update={"config_text": "a\n````\n# out\n"})
    text = to_markdown(record.model_copy(update={"rollback": (nasty,)}))
    assert "`````protobuf\na\n````\n# out\n`````" in text


def test_json_round_trip(draft: Draft) -> None:
    record = accept(draft(number=3), "Ben")
    assert from_json(to_json(record)) == record


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda v: v["record"].update(title="Other"), "was edited after it was exported"),
        (lambda v: v["record"].update(status="rejected"), "was edited after it was exported"),
        (lambda v: v["record"].update(number=4), "was edited after it was exported"),
        (lambda v: v["record"].update(extra=1), "does not fit its schema at extra"),
        (lambda v: v.update(schema=2), "has schema 2; this version reads schema 1"),
        (lambda v: v.update(format="other"), "not a decision record"),
        (lambda v: v.pop("record"), "does not fit its schema"),
    ],
)
def test_edited_records_are_refused(
    draft: Draft, edit: Callable[[dict[str, object]], object], message: str
) -> None:
    value = json.loads(to_json(draft(number=3)))
    edit(value)
    with pytest.raises(InputError, match=message) as caught:
        from_json(json.dumps(value), file="record.json")
    assert str(caught.value).startswith("record.json: ")


@pytest.mark.parametrize("text", ["", "[1", "[]", "null", '"text"'])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        from_json(text)


def test_a_bundle_holds_all_that_the_record_rests_on(draft: Draft, captions_run: Path) -> None:
    record = accept(draft(number=3), "Ben", at=WRITTEN)
    content = bundle(record, RunDirectory(captions_run))
    archive = zipfile.ZipFile(io.BytesIO(content))
    names = set(archive.namelist())
    assert archive.read("findings.json") == (captions_run / "findings.json").read_bytes()
    assert from_json(archive.read("record.json").decode()) == record
    assert (
        archive.read("configs/captions/dynamic-2/config.pbtxt")
        == (captions_run / "trials/05/config.pbtxt").read_bytes()
    )
    assert "direct" in archive.read("rollback/captions/config.pbtxt").decode()
    assert {"record.md", "record.html", "study.yaml", "charts/times.csv"} <= names
    assert "missing.txt" not in names
    times = list(csv.DictReader(io.StringIO(archive.read("charts/times.csv").decode())))
    row = next(
        r
        for r in times
        if (r["candidate"], r["length_group"], r["figure"]) == ("dynamic", "all", "queue_p99_ms")
        and r["cell"].startswith("instances=2")
    )
    assert (row["value_ms"], row["n"]) == ("5.02", "3200")
    # too few requests for this quantile: empty, never a zero
    short = next(r for r in times if (r["length_group"], r["figure"]) == ("short", "queue_p99_ms"))
    assert short["value_ms"] == ""
    assert bundle(record, RunDirectory(captions_run)) == content
    assert bundle_name(record) == "record-0003-captions.zip"


def test_a_bundle_without_its_run_says_what_is_missing(draft: Draft, captions_run: Path) -> None:
    record = draft(number=3)
    here = zipfile.ZipFile(io.BytesIO(bundle(record)))
    assert "findings.json" in here.namelist()
    (captions_run / "findings.json").write_text("{}")
    changed = zipfile.ZipFile(io.BytesIO(bundle(record)))
    assert "no longer the file" in changed.read("missing.txt").decode()
    assert "findings.json" not in changed.namelist()
    shutil.rmtree(captions_run)
    gone = zipfile.ZipFile(io.BytesIO(bundle(record)))
    assert "not there any more" in gone.read("missing.txt").decode()
    assert json.loads(gone.read("record.json"))["record"]["number"] == 3


def _at_home(record: DecisionRecord) -> DecisionRecord:
    """Independent of where the test runs and of how questions are worded."""
    evidence = record.evidence.model_copy(update={"run_path": "/runs/captions-run"})
    answers = (Answer(question="Are requests parts of a session?", answer="Yes"),)
    classes = tuple(item.model_copy(update={"answers": answers}) for item in record.classes)
    fixed = {"evidence": evidence, "classes": classes, "revisit_when": ("In a year.",)}
    return record.model_copy(update=fixed)


def _elements(html: str) -> set[str]:
    found: set[str] = set()

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            found.add(tag)

    Parser().feed(html)
    return found
