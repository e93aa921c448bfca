"""The client's half of the requests table, and the replies beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backend.contracts.errors import InputError
from backend.contracts.requests_table import SCHEMA
from backend.load.client_table import requests_table
from backend.load.closed_loop import send
from backend.load.interface import ModelInterface
from backend.load.replies import decode, text_element
from tests.load.fake_triton import Deed, FakeTriton, planned


def test_tables_of_a_trial(triton: FakeTriton, echo: ModelInterface) -> None:
    triton.deed = lambda arrival: Deed(
        error="no room" if arrival.request_id == "1.0" else None,
        instance=f"probe_0_{arrival.request_id[0]}",
    )
    work = planned([2, 2, 1])
    sent = send(work.plan, work.inputs, echo, triton.endpoint, reply_timeout_s=10)
    replies = decode(sent, echo)
    table = requests_table(
        sent, work.plan, trial=4, candidate="dynamic", repeat=2, replies=replies, model=echo
    )

    assert replies.column_names == ["request_id", "ECHO", "INSTANCE"]
    assert replies["ECHO"].to_pylist() == [
        bytes([0, 0, 0, 7]),
        bytes([0, 1, 0, 7]),
        None,
        None,
        bytes([2, 0, 0, 7]),
    ]
    assert table.schema.equals(SCHEMA, check_metadata=True)
    rows = table.to_pylist()
    assert [row["request_id"] for row in rows] == ["0.0", "0.1", "1.0", "1.1", "2.0"]
    assert [row["outcome"] for row in rows] == ["ok", "ok", "error", "not_sent", "ok"]
    assert [row["instance"] for row in rows] == ["probe_0_0"] * 2 + [None] * 2 + ["probe_0_2"]
    assert rows[2]["error"] == "no room"
    first, unsent = rows[0], rows[3]
    assert (first["trial"], first["candidate"], first["repeat"]) == (4, "dynamic", 2)
    assert (first["request_type"], first["cell"]) == (work.plan.request_type, work.plan.cell)
    assert (first["correlation_id"], first["correlation_id_type"]) == ("100", "uint64")
    assert (first["is_start"], first["is_end"], first["transport"]) == (True, False, "grpc_stream")
    assert 0 <= first["scheduled_ns"] <= first["sent_ns"] < first["received_ns"]
    assert (unsent["scheduled_ns"], unsent["sent_ns"], unsent["received_ns"]) == (None,) * 3
    for row in rows:
        assert row["verdict"] == "unjudged"
        assert row["queue_start_ns"] is row["batch_size"] is row["expected"] is None


def test_a_model_that_tells_no_instance_leaves_it_null(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    work = planned([1])
    silent = replace(echo, instance_output=None)
    sent = send(work.plan, work.inputs, silent, triton.endpoint, reply_timeout_s=10)
    replies = decode(sent, silent)
    table = requests_table(
        sent, work.plan, trial=0, candidate="dynamic", repeat=0, replies=replies, model=silent
    )
    assert table["instance"].to_pylist() == [None]


def test_a_record_belongs_to_its_plan(triton: FakeTriton, echo: ModelInterface) -> None:
    work = planned([1])
    sent = send(work.plan, work.inputs, echo, triton.endpoint, reply_timeout_s=10)
    with pytest.raises(InputError, match="does not belong"):
        requests_table(sent, planned([2]).plan, trial=0, candidate="dynamic", repeat=0)


def test_text_of_a_bytes_tensor() -> None:
    assert text_element(b"\x03\x00\x00\x00abcrest") == "abc"
    assert text_element(b"") is None
    assert text_element(None) is None
