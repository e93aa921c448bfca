"""The trace: whole, cut off, missing, late; joined to requests by their IDs (M29)."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from backend.contracts.errors import ServerFailed
from backend.contracts.requests_table import COLUMNS, SCHEMA
from backend.telemetry.trace import TraceSwitch
from backend.telemetry.trace_join import join_trace
from backend.telemetry.trace_records import parse_trace, read_trace
from tests.telemetry.http_fake import serving

COMPUTE = ("COMPUTE_START", "COMPUTE_INPUT_END", "COMPUTE_OUTPUT_START", "COMPUTE_END")


def moment(number: int, name: str, ns: int) -> dict[str, Any]:
    return {"id": number, "timestamps": [{"name": name, "ns": ns}]}


def pieces(
    number: int,
    request_id: str,
    start: int,
    compute: tuple[int, int, int, int] | None,
    model: str = "probe",
) -> list[dict[str, Any]]:
    """As Triton 24.10 writes a request: compute moments after the response's."""
    found = [
        moment(number, "GRPC_WAITREAD_START", start - 5),
        {"id": number, "model_name": model, "model_version": 1, "request_id": request_id},
        moment(number, "REQUEST_START", start),
        moment(number, "QUEUE_START", start + 10),
    ]
    if compute:
        found.append(moment(number, "INFER_RESPONSE_COMPLETE", compute[2] + 1))
        found += [moment(number, name, ns) for name, ns in zip(COMPUTE, compute, strict=True)]
        found.append(moment(number, "REQUEST_END", compute[3] + 5))
    return found


def text(*requests: list[dict[str, Any]]) -> str:
    return json.dumps([piece for request in requests for piece in request])


TWO = (pieces(1, "a", 1000, (1100, 1110, 1190, 1200)), pieces(2, "b", 1020, None))


def test_a_whole_file_gives_every_request_with_what_it_reached() -> None:
    records, problem = parse_trace(text(*TWO))
    assert problem is None
    first, refused = records
    assert (first.request_id, first.model_name) == ("a", "probe")
    assert (first.request_start_ns, first.queue_start_ns, first.request_end_ns) == (
        1000,
        1010,
        1205,
    )
    assert first.execution_key == (1100, 1110, 1190, 1200)
    assert (refused.request_id, refused.queue_start_ns) == ("b", 1030)
    assert refused.execution_key is None
    assert refused.request_end_ns is None


def test_only_the_asked_models_requests_are_taken() -> None:
    both = text(TWO[0], pieces(9, "x", 1000, (1, 2, 3, 4), model="other"))
    assert [record.request_id for record in parse_trace(both, "probe")[0]] == ["a"]
    assert len(parse_trace(both)[0]) == 2


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_a_file_that_is_cut_off_gives_what_it_has_and_says_so(keep: float) -> None:
    whole = text(*TWO)
    records, problem = parse_trace(whole[: int(len(whole) * keep)])
    assert problem is not None
    assert "cut off or damaged after" in problem
    assert [record.request_id for record in records] in (["a"], ["a", "b"])
    assert records[0].queue_start_ns in (None, 1010)


@pytest.mark.parametrize("content", ["", "not a trace", '{"id": 1}', "[1, 2]", '[{"id": "x"}]'])
def test_what_is_no_trace_gives_no_records_and_a_reason(content: str) -> None:
    records, problem = parse_trace(content)
    assert records == []
    assert problem


def test_a_missing_file_is_a_reason_not_an_exception(tmp_path: Path) -> None:
    records, problem = read_trace(tmp_path / "trace.json.0")
    assert records == []
    assert "cannot be read" in (problem or "")


class Server:
    """Triton's trace setting: writes the next numbered file when it is switched off."""

    def __init__(self, file: Path, content: str | None, delay_s: float = 0.0) -> None:
        self.file, self.content, self.delay_s = file, content, delay_s
        self.posted: list[dict[str, Any]] = []
        self.number = 0

    def answer(self, body: dict[str, Any] | None) -> tuple[int, Any]:
        assert body is not None
        self.posted.append(body)
        if body["trace_level"] == ["OFF"] and self.content is not None:
            part = self.file.with_name(f"{self.file.name}.{self.number}")
            threading.Timer(self.delay_s, part.write_text, [self.content]).start()
            self.number += 1
        return 200, {"trace_level": body["trace_level"], "trace_file": str(self.file)}


def test_each_trial_reads_its_own_file_and_leaves_none(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    server = Server(file, text(*TWO), delay_s=0.1)
    (tmp_path / "trace.json.7").write_text(text(pieces(1, "stale", 1, (2, 3, 4, 5))))
    with serving({"/v2/trace/setting": server.answer}) as endpoint:
        switch = TraceSwitch(endpoint, file)
        for _ in range(2):
            switch.on()
            read = switch.off_and_read(model_name="probe", expected=2)
            assert read.problem is None
            assert [record.request_id for record in read.records] == ["a", "b"]
    assert list(tmp_path.iterdir()) == []
    on = server.posted[0]
    assert on["trace_level"] == ["TIMESTAMPS"]
    # the extension takes strings only; files are written per switch-off, never in between
    assert on["trace_rate"] == "1"
    assert int(on["log_frequency"]) > 10_000_000


@pytest.mark.parametrize(
    ("content", "expected", "problem"),
    [
        (None, 5, "wrote no trace file within 0.2 s"),
        (text(*TWO)[:-30], 2, "cut off or damaged"),
        (text(*TWO), 3, "the trace holds 2 of 3 requests"),
    ],
)
def test_what_is_missing_from_the_trace_is_named(
    tmp_path: Path, content: str | None, expected: int, problem: str
) -> None:
    file = tmp_path / "trace.json"
    with serving({"/v2/trace/setting": Server(file, content).answer}) as endpoint:
        switch = TraceSwitch(endpoint, file)
        switch.on()
        read = switch.off_and_read(expected=expected, wait_s=0.2)
    assert problem in (read.problem or "")


def test_nothing_sent_needs_no_trace(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    with serving({"/v2/trace/setting": Server(file, None).answer}) as endpoint:
        read = TraceSwitch(endpoint, file).off_and_read(expected=0)
    assert (read.records, read.problem) == ((), None)


def test_a_dead_server_has_no_trace_but_its_requests_keep_their_rows(tmp_path: Path) -> None:
    with serving({}) as endpoint:
        pass
    switch = TraceSwitch(endpoint, tmp_path / "trace.json")
    with pytest.raises(ServerFailed, match="does not answer"):
        switch.on()
    assert "could not be switched off" in (switch.off_and_read(expected=3).problem or "")


def test_a_server_that_traces_elsewhere_is_refused(tmp_path: Path) -> None:
    other = Server(tmp_path / "other.json", None)
    with (
        serving({"/v2/trace/setting": other.answer}) as endpoint,
        pytest.raises(ServerFailed, match="does not trace requests to"),
    ):
        TraceSwitch(endpoint, tmp_path / "trace.json").on()


def requests(*request_ids: str) -> pa.Table:
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {
        "trial": 0, "request_type": "talk", "candidate": "dynamic", "cell": "c", "repeat": 0,
        "transport": "grpc_stream", "session": 0, "step": 0, "session_length": 1,
        "length_group": "all", "is_start": True, "is_end": True, "outcome": "ok",
        "verdict": "unjudged",
    }  # fmt: skip
    rows = [row | {"request_id": request_id} for request_id in request_ids]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def test_the_join_fills_times_batches_and_execution_numbers() -> None:
    late, early = (1300, 1310, 1390, 1400), (1100, 1110, 1190, 1200)
    same_start = (1100, 1115, 1190, 1200)  # another instance that began in the same nanosecond
    records, _ = parse_trace(
        text(
            pieces(1, "d", 1250, late),
            pieces(2, "a", 1000, early),
            pieces(3, "b", 1001, early),
            pieces(4, "not of this plan", 1002, early),
            pieces(5, "c", 1003, same_start),
            pieces(6, "refused", 1004, None),
            pieces(7, "e", 900, (910, 920, 930, 940)),  # from before the trial
        )
    )
    table = join_trace(requests("a", "b", "c", "d", "e", "refused", "unknown"), records, 1000)

    assert table.schema.equals(SCHEMA, check_metadata=True)
    rows = {row["request_id"]: row for row in table.to_pylist()}
    assert rows["a"]["queue_start_ns"] == 10
    assert [rows["a"][f"compute_{name}_ns"] for name in ("start", "input_end", "end")] == [
        100, 110, 200,
    ]  # fmt: skip
    assert rows["a"]["compute_output_start_ns"] == 190
    assert [rows[each]["batch_size"] for each in "abcd"] == [3, 3, 1, 1]
    assert [rows[each]["execution"] for each in "abcd"] == [0, 0, 1, 2]
    assert rows["refused"]["queue_start_ns"] == 14
    assert rows["refused"]["compute_start_ns"] is rows["refused"]["batch_size"] is None
    for each in ("e", "unknown"):
        assert rows[each]["queue_start_ns"] is rows[each]["execution"] is None


def test_an_ambiguous_request_id_is_not_guessed() -> None:
    records, _ = parse_trace(
        text(pieces(1, "a", 1000, (1, 2, 3, 4)), pieces(2, "a", 1001, (5, 6, 7, 8)))
    )
    assert join_trace(requests("a"), records, 0)["compute_start_ns"].to_pylist() == [None]
