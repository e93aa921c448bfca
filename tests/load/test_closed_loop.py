"""M20: sessions interleave as planned, and every request has an outcome that says what happened."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import threading
import time
from dataclasses import replace

import grpc
import pyarrow as pa
import pytest

from backend.contracts.errors import InputError
from backend.load import closed_loop
from backend.load.closed_loop import send
from backend.load.interface import ModelInterface
from backend.load.sent import Sent
from backend.sessions.plan import PLAN_SCHEMA
from tests.load.fake_triton import Deed, FakeTriton, Planned, planned


def go(work: Planned, echo: ModelInterface, triton: FakeTriton, **more: object) -> Sent:
    options = {"reply_timeout_s": 10.0, **more}
    return send(work.plan, work.inputs, echo, triton.endpoint, **options)  # type: ignore[arg-type]


def fate(sent: Sent, request_id: str) -> tuple[str, str | None]:
    row = sent.request_ids.index(request_id)
    return sent.outcomes[row], sent.errors[row]


def test_every_request_is_sent_once_in_its_sessions_order_and_answered(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    lengths = [3, 1, 4, 2, 5]
    sent = go(planned(lengths, concurrency=3), echo, triton)

    assert sent.outcomes == ("ok",) * 15
    assert set(sent.errors) == {None}
    assert sorted(item.request_id for item in triton.arrivals) == sorted(sent.request_ids)
    for session, length in enumerate(lengths):
        own = [item for item in triton.arrivals if item.request_id.startswith(f"{session}.")]
        assert [item.request_id for item in own] == [f"{session}.{k}" for k in range(length)]
        assert [item.tensor for item in own] == [bytes([session, k, 0, 7]) for k in range(length)]
        assert [item.start for item in own] == [k == 0 for k in range(length)]
        assert [item.end for item in own] == [k == length - 1 for k in range(length)]
        assert {item.correlation_id for item in own} == {100 + session}
    assert (sent.scheduled_ns <= sent.sent_ns).all()
    assert (sent.sent_ns < sent.received_ns).all()
    assert sent.server_lost is None
    assert not sent.stopped
    assert sent.generator.requests == 15


def test_no_more_sessions_are_live_than_planned_and_none_share_a_stream(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    triton.deed = lambda arrival: Deed(wait_s=0.01)
    sent = go(planned([4] * 9, concurrency=3), echo, triton)

    stream_of: dict[object, int] = {}
    live: set[object] = set()
    most = 0
    for item in sorted(triton.arrivals, key=lambda item: item.at_ns):
        live.add(item.correlation_id)
        most = max(most, len(live))
        assert stream_of.setdefault(item.correlation_id, item.stream) == item.stream
        assert item.stream not in {stream_of[each] for each in live - {item.correlation_id}}
        if item.end:
            live.remove(item.correlation_id)
    assert most == 3
    assert triton.streams == 3
    assert sent.count("ok") == 36


def test_a_step_waits_for_the_reply_and_the_gap_and_sessions_interleave(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    gap_ns = 20_000_000
    sent = go(planned([4, 4], concurrency=2, gap_ns=gap_ns), echo, triton)

    for session in (0, 1):
        rows = range(4 * session, 4 * session + 4)
        assert sent.scheduled_ns[rows[0]] == gap_ns  # the lane is free from the start
        for before, row in itertools.pairwise(rows):
            assert sent.scheduled_ns[row] == sent.received_ns[before] + gap_ns
            replied = triton.replied_ns[sent.request_ids[before]]
            assert triton.arrival(sent.request_ids[row]).at_ns >= replied + gap_ns
    order = [item.request_id[0] for item in sorted(triton.arrivals, key=lambda each: each.at_ns)]
    assert order.count("0") == 4
    assert order != sorted(order)


@pytest.mark.parametrize(
    ("text", "kind", "arrives_as"),
    [
        ("1", "uint64", 1),
        (str(2**63), "uint64", 2**63),
        (str(2**64 - 1), "uint64", 2**64 - 1),
        ("caller 7 / ü", "string", "caller 7 / ü"),
        ("42", "string", "42"),
    ],
)
def test_correlation_ids_arrive_as_they_are_planned(
    triton: FakeTriton, echo: ModelInterface, text: str, kind: str, arrives_as: object
) -> None:
    go(planned([2], ids=lambda session: text, id_type=kind), echo, triton)
    assert [item.correlation_id for item in triton.arrivals] == [arrives_as] * 2


def test_independent_requests_carry_no_sequence_parameters(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    sent = go(planned([1] * 6, ids=None, concurrency=3), echo, triton)
    assert sent.count("ok") == 6
    assert {(item.correlation_id, item.start, item.end) for item in triton.arrivals} == {
        (None, None, None)
    }


def test_a_refused_step_ends_its_session_and_the_rest_says_why(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    triton.deed = lambda arrival: Deed(error="no room" if arrival.request_id == "1.1" else None)
    sent = go(planned([3, 4, 2], concurrency=2), echo, triton)

    assert fate(sent, "1.1") == ("error", "no room")
    for step in ("1.2", "1.3"):
        assert fate(sent, step) == (
            "not_sent",
            "not sent: step 1 of its session failed: no room",
        )
    assert sent.count("ok") == 6
    assert sent.received_ns[sent.request_ids.index("1.1")] > 0
    assert sent.sent_ns[sent.request_ids.index("1.2")] == -1


def test_a_reply_that_does_not_come_in_time_leaves_the_request_unanswered(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    triton.deed = lambda arrival: Deed(never=arrival.request_id == "0.1")
    sent = go(planned([3, 2, 2], concurrency=1), echo, triton, reply_timeout_s=0.3)

    assert fate(sent, "0.1") == ("unanswered", "no reply within 0.3 s")
    assert fate(sent, "0.2")[1] == ("not sent: step 1 of its session failed: no reply within 0.3 s")
    assert sent.count("ok") == 5
    assert sent.server_lost is None
    # the lane went on with a stream of its own; the old one was cancelled in the server
    assert triton.streams == 2
    assert triton.cancelled == [1]


def test_a_server_that_answers_nobody_any_more_counts_as_lost(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    triton.deed = lambda arrival: Deed(never=True)
    sent = go(planned([2] * 50, concurrency=2), echo, triton, reply_timeout_s=0.2)
    assert sent.server_lost == "no reply to 4 requests in a row, each within 0.2 s"
    assert sent.count("unanswered") in (4, 5, 6)
    assert sent.count("not_sent") == 100 - sent.count("unanswered")


def test_a_server_that_dies_leaves_rows_and_a_reason_and_raises_nothing(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    def deed(arrival: object) -> Deed:
        if len(triton.arrivals) == 20:
            threading.Thread(target=lambda: triton.server.stop(0)).start()
        return Deed(wait_s=0.01)

    triton.deed = deed
    sent = go(planned([50] * 4, concurrency=2), echo, triton)
    assert sent.server_lost
    assert 18 <= sent.count("ok") <= 40
    assert sent.count("unanswered") == 2
    assert sent.count("ok") + sent.count("not_sent") == 198
    assert all(
        error and "stream ended" in error
        for error, outcome in zip(sent.errors, sent.outcomes, strict=True)
        if outcome != "ok"
    )
    assert not sent.stopped


def test_no_server_at_all_sends_nothing(
    echo: ModelInterface, triton: FakeTriton, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closed_loop, "CONNECT_S", 0.2)
    triton.server.stop(0).wait()
    sent = go(planned([3]), echo, triton)
    assert sent.server_lost == f"no connection to {triton.endpoint} within 0.2 s"
    assert sent.outcomes == ("not_sent",) * 3
    assert sent.errors == (f"not sent: no server ({sent.server_lost})",) * 3
    assert sent.generator.unfit is None


@pytest.mark.parametrize(
    ("deed", "outcome", "text"),
    [
        (Deed(abort=grpc.StatusCode.INTERNAL), "error", "INTERNAL: as the test wants it"),
        (Deed(end_stream=True), "unanswered", "ended the stream without a reply"),
    ],
)
def test_a_broken_stream_is_on_record_and_the_other_sessions_go_on(
    triton: FakeTriton, echo: ModelInterface, deed: Deed, outcome: str, text: str
) -> None:
    triton.deed = lambda arrival: deed if arrival.request_id == "1.0" else Deed()
    sent = go(planned([2, 2, 2, 2], concurrency=2), echo, triton)
    assert fate(sent, "1.0")[0] == outcome
    assert text in (fate(sent, "1.0")[1] or "")
    assert fate(sent, "1.1")[0] == "not_sent"
    assert sent.count("ok") == 6
    assert sent.server_lost is None


def test_the_users_stop_cancels_what_is_in_flight_and_leaves_nothing(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    """M45: a run can be stopped and keeps what it measured."""
    triton.deed = lambda arrival: Deed(never=len(triton.arrivals) > 10)
    sent = go(planned([10] * 4), echo, triton, stop=lambda: len(triton.arrivals) >= 12)

    assert sent.stopped
    assert sent.server_lost is None
    assert (sent.count("ok"), sent.count("cancelled"), sent.count("not_sent")) == (10, 2, 28)
    reasons = {
        error for error, fate in zip(sent.errors, sent.outcomes, strict=True) if fate != "ok"
    }
    assert reasons == {"the run was stopped", "not sent: the run was stopped"}
    deadline = time.monotonic() + 10
    while len(triton.cancelled) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sorted(triton.cancelled) == [1, 2]


def test_a_stop_ends_long_gaps_too(triton: FakeTriton, echo: ModelInterface) -> None:
    hour_ns = 3_600_000_000_000
    sent = go(planned([2], gap_ns=hour_ns), echo, triton, stop=lambda: True)
    assert sent.outcomes == ("not_sent", "not_sent")
    assert sent.stopped


def test_lock_step_forces_the_order_of_replies_and_sends(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    after = {"0.1": "1.0", "1.1": "0.2", "2.0": "1.1"}
    sent = go(planned([3, 2, 1], concurrency=3, after=after), echo, triton)
    assert sent.count("ok") == 6
    for later, earlier in after.items():
        assert triton.arrival(later).at_ns > triton.replied_ns[earlier]
        named = sent.received_ns[sent.request_ids.index(earlier)]
        assert sent.scheduled_ns[sent.request_ids.index(later)] >= named


@pytest.mark.parametrize(
    ("lengths", "after", "stuck"),
    [
        ([2, 2], {"0.0": "1.1", "1.1": "0.1"}, ["0.0", "0.1", "1.1"]),  # a circle
        ([1, 1, 1], {"0.0": "2.0", "1.0": "2.0"}, ["0.0", "1.0"]),  # 2.0 has no lane yet
        ([2], {"0.0": "0.1"}, ["0.0", "0.1"]),  # its own later step
    ],
)
def test_an_order_that_cannot_happen_is_told_instead_of_awaited(
    triton: FakeTriton,
    echo: ModelInterface,
    lengths: list[int],
    after: dict[str, str],
    stuck: list[str],
) -> None:
    sent = go(planned(lengths, concurrency=2, after=after), echo, triton)
    for request_id in sent.request_ids:
        expected = "not_sent" if request_id in stuck else "ok"
        assert fate(sent, request_id)[0] == expected
    assert "will not come first" in (fate(sent, stuck[0])[1] or "")


def test_who_waits_for_a_request_that_failed_is_told(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    triton.deed = lambda arrival: Deed(error="no" if arrival.request_id == "0.0" else None)
    sent = go(planned([2, 2], after={"1.1": "0.1"}), echo, triton)
    assert fate(sent, "1.1") == ("not_sent", "not sent: the reply to 0.1 will not come first")


def test_progress_counts_up_to_the_end(triton: FakeTriton, echo: ModelInterface) -> None:
    triton.deed = lambda arrival: Deed(
        wait_s=0.05, error="no" if arrival.request_id == "3.0" else None
    )
    told = []
    go(planned([4] * 4), echo, triton, progress=told.append)
    assert len(told) >= 2
    counts = [(each.sent, each.answered, each.elapsed_s) for each in told]
    assert counts == sorted(counts)
    last = told[-1]
    assert (last.planned, last.sent, last.answered, last.failed) == (16, 13, 12, 1)


def test_a_failing_callback_reaches_the_caller_and_the_collector_is_restored(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    def stop() -> bool:
        assert not gc.isenabled()
        raise OSError("disk gone")

    triton.deed = lambda arrival: Deed(wait_s=0.2)
    assert gc.isenabled()
    with pytest.raises(OSError, match="disk gone"):
        go(planned([5]), echo, triton, stop=stop)
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    gc.disable()
    try:
        go(planned([1]), echo, triton)
        assert not gc.isenabled()
    finally:
        gc.enable()


def changed(work: Planned, row: int, **values: object) -> Planned:
    rows = work.plan.table.to_pylist()
    rows[row].update(values)
    table = pa.Table.from_pylist(rows, schema=PLAN_SCHEMA)
    return Planned(replace(work.plan, table=table), work.inputs)


@pytest.mark.parametrize(
    ("row", "values", "message"),
    [
        (1, {"scheduled_ns": 5}, "open loop"),
        (1, {"request_id": "0.0"}, "request ID twice"),
        (1, {"after": "9.9"}, "9.9"),
        (3, {"session": 0, "step": 0}, "rows of session 0 apart"),
        (1, {"step": 2}, "step 2 of session 0 where step 1 belongs"),
        (0, {"correlation_id": "0"}, "'0', which is not a whole number"),
        (0, {"correlation_id": str(2**64)}, "not a whole number"),
        (0, {"correlation_id": "abc"}, "not a whole number"),
    ],
)
def test_a_plan_that_cannot_be_sent_is_refused_before_anything_is(
    triton: FakeTriton, echo: ModelInterface, row: int, values: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError) as error:
        go(changed(planned([2, 1, 1]), row, **values), echo, triton)
    assert message in str(error.value)
    assert triton.arrivals == []


def test_inputs_and_timeout_are_checked(triton: FakeTriton, echo: ModelInterface) -> None:
    work = planned([2])
    with pytest.raises(InputError, match="2 requests and 1 inputs"):
        go(Planned(work.plan, work.inputs[:1]), echo, triton)
    with pytest.raises(InputError, match="above 0"):
        go(work, echo, triton, reply_timeout_s=0)


def test_ctrl_c_ends_the_sending_and_leaves_the_process_fit_for_another(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    def interrupted(arrival: object) -> Deed:
        if len(triton.arrivals) == 5:
            os.kill(os.getpid(), signal.SIGINT)
        return Deed(never=len(triton.arrivals) >= 5)

    triton.deed = interrupted
    with pytest.raises(KeyboardInterrupt):
        go(planned([10] * 2), echo, triton)
    assert gc.isenabled()
    triton.deed = lambda arrival: Deed()
    assert go(planned([3, 3]), echo, triton).count("ok") == 6
