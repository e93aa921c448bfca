"""Everything a record rests on, in one zip file: record, configurations, findings, chart data.

The same record gives the same bytes: entries are sorted and carry no clock of this machine.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from backend.contracts.run_directory import RunDirectory
from backend.records.html import to_html
from backend.records.interchange import to_json
from backend.records.markdown import to_markdown
from backend.records.record import CandidateEvidence, DecisionRecord

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def bundle_name(record: DecisionRecord) -> str:
    """A file name for the bundle, e.g. ``record-0003-streaming-captions.zip``."""
    number = f"{record.number:04d}" if record.number is not None else "draft"
    return f"record-{number}-{_safe(record.evidence.study)}.zip"


def bundle(record: DecisionRecord, run: RunDirectory | None = None) -> bytes:
    """The bundle as the bytes of a zip file.

    ``findings.json`` is the run's own file. It is left out, and ``missing.txt`` says why, where
    the run directory is gone or its findings are no longer those that the record rests on; the
    record's own figures are always there.

    Args:
        record: The record.
        run: Its run directory, if it lies elsewhere than where it was when the record was made.
    """
    files: dict[str, bytes] = {
        "record.md": to_markdown(record).encode(),
        "record.html": to_html(record).encode(),
        "record.json": to_json(record).encode(),
        "study.yaml": record.study_yaml.encode(),
        "charts/times.csv": _csv(_times(record.evidence.candidates)),
        "charts/properties.csv": _csv(_properties(record.evidence.candidates)),
    }
    for option in record.options:
        folder = f"{_safe(option.class_name)}/{_safe(option.candidate)}-{option.instances}"
        files[f"configs/{folder}/config.pbtxt"] = option.config_text.encode()
    for item in record.rollback:
        if item.config_text:
            files[f"rollback/{_safe(item.class_name)}/config.pbtxt"] = item.config_text.encode()
    findings, missing = _findings(record, run)
    if findings is not None:
        files["findings.json"] = findings
    else:
        files["missing.txt"] = (missing + "\n").encode()
    return _zipped(files)


def _findings(record: DecisionRecord, run: RunDirectory | None) -> tuple[bytes | None, str]:
    here = run or RunDirectory(Path(record.evidence.run_path))
    place = here.findings
    if not place.is_file():
        return None, f"findings.json: the run directory {here.root} is not there any more."
    content = place.read_bytes()
    if hashlib.sha256(content).hexdigest() != record.evidence.findings_sha256:
        return None, (
            f"findings.json: {place} is no longer the file that the record rests on (SHA-256 "
            f"{record.evidence.findings_sha256}); the run was judged again since."
        )
    return content, ""


def _times(candidates: Sequence[CandidateEvidence]) -> Iterable[Sequence[object]]:
    yield (
        "class", "candidate", "cell", "length_group", "n", "rounds",
        "figure", "value_ms", "low_ms", "high_ms", "level",
    )  # fmt: skip
    for item in candidates:
        for figure in item.figures:
            place = (item.class_name, item.candidate, figure.cell, figure.length_group)
            for name, values in (("queue", figure.queue_ms), ("response", figure.response_ms)):
                for quantile, value in values.model_dump().items():
                    interval = figure.intervals.get(f"{name}_{quantile}_ms")
                    bounds = (
                        (interval.low, interval.high, interval.level) if interval else ("", "", "")
                    )
                    yield (
                        *place, figure.n, figure.rounds, f"{name}_{quantile}_ms",
                        "" if value is None else value, *bounds,
                    )  # fmt: skip


def _properties(candidates: Sequence[CandidateEvidence]) -> Iterable[Sequence[object]]:
    yield ("class", "candidate", "cell", "row", "title", "verdict", "checked", "violations")
    for item in candidates:
        for counted in item.properties:
            yield (
                item.class_name, item.candidate, counted.cell, counted.row, counted.title,
                counted.verdict, counted.checked_count, counted.violation_count,
            )  # fmt: skip


def _csv(rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _zipped(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(_entry(name), files[name])
    return content.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date_time=_EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _safe(name: str) -> str:
    """A name that stays inside its folder, whatever a record from elsewhere carries."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "unnamed"
