"""Triton's trace file: one record per request, with the moments it passed through the server.

The file (mode ``triton``, Triton's trace extension) is a JSON array of pieces: one that names the
request, and one per moment, ``{"id", "timestamps": [{"name", "ns"}]}``, in no order that matters.
Times are of the monotonic clock, which is Python's ``time.monotonic_ns`` on the same host.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

COMPLETE: Final = None
"""In place of a problem: the file was whole."""


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """One traced request; a moment that it did not reach is null (a refused one has no compute).

    Times are monotonic ns. ``request_id`` is the client's, null where it sent none.
    """

    request_id: str | None
    model_name: str
    request_start_ns: int | None = None
    queue_start_ns: int | None = None
    compute_start_ns: int | None = None
    compute_input_end_ns: int | None = None
    compute_output_start_ns: int | None = None
    compute_end_ns: int | None = None
    request_end_ns: int | None = None

    @property
    def execution_key(self) -> tuple[int, int, int, int] | None:
        """What all requests of one execute call share, and no two calls: its four moments."""
        moments = (
            self.compute_start_ns,
            self.compute_input_end_ns,
            self.compute_output_start_ns,
            self.compute_end_ns,
        )
        start, input_end, output_start, end = moments
        if start is None or input_end is None or output_start is None or end is None:
            return None
        return start, input_end, output_start, end


@dataclass
class _Pieces:
    request_id: str | None = None
    model_name: str = ""
    moments: dict[str, int] = field(default_factory=dict)


def parse_trace(text: str, model_name: str | None = None) -> tuple[list[TraceRecord], str | None]:
    """The records of a trace file, and what is wrong with it (``COMPLETE`` if nothing is).

    A file that is cut off, or damaged at some place, gives the records up to there.

    Args:
        text: Content of the file.
        model_name: Only this model's records; all if null.
    """
    items, problem = _items(text)
    requests: dict[int, _Pieces] = {}
    for item in items:
        pieces = requests.setdefault(item["id"], _Pieces())
        if "model_name" in item:
            pieces.model_name = item["model_name"]
            pieces.request_id = item.get("request_id")
        for moment in item.get("timestamps", ()):
            # a model that iterates passes through several times: the first counts
            pieces.moments.setdefault(moment["name"], moment["ns"])
    records = [
        _record(pieces)
        for pieces in requests.values()
        if pieces.model_name and model_name in (None, pieces.model_name)
    ]
    return records, problem


def read_trace(path: Path, model_name: str | None = None) -> tuple[list[TraceRecord], str | None]:
    """As ``parse_trace``, from a file; one that is missing or unreadable gives no records."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return [], f"the trace file {path} cannot be read: {error.strerror}"
    records, problem = parse_trace(text, model_name)
    return records, f"{path.name}: {problem}" if problem else COMPLETE


def _items(text: str) -> tuple[list[dict[str, Any]], str | None]:
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        whole = None
    if isinstance(whole, list) and all(_is_piece(item) for item in whole):
        return whole, COMPLETE

    decoder = json.JSONDecoder()
    items: list[dict[str, Any]] = []
    position = text.find("[") + 1
    if position == 0:
        return [], "no trace: it holds no JSON array"
    while True:
        while position < len(text) and text[position] in ", \t\r\n":
            position += 1
        try:
            item, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError:
            break
        if not _is_piece(item):
            break
        items.append(item)
    return items, f"the trace is cut off or damaged after {len(items)} entries"


def _is_piece(item: object) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("id"), int):
        return False
    moments = item.get("timestamps", [])
    return isinstance(moments, list) and all(
        isinstance(moment, dict)
        and isinstance(moment.get("name"), str)
        and isinstance(moment.get("ns"), int)
        for moment in moments
    )


def _record(pieces: _Pieces) -> TraceRecord:
    moments = pieces.moments
    return TraceRecord(
        request_id=pieces.request_id,
        model_name=pieces.model_name,
        request_start_ns=moments.get("REQUEST_START"),
        queue_start_ns=moments.get("QUEUE_START"),
        compute_start_ns=moments.get("COMPUTE_START"),
        compute_input_end_ns=moments.get("COMPUTE_INPUT_END"),
        compute_output_start_ns=moments.get("COMPUTE_OUTPUT_START"),
        compute_end_ns=moments.get("COMPUTE_END"),
        request_end_ns=moments.get("REQUEST_END"),
    )
