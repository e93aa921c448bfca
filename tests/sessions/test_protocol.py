"""Order, closure and what comes after END (M24), on requests tables made by hand."""

from __future__ import annotations

import pytest

from backend.sessions.protocol import CLOSED, NOTHING_AFTER_END, ORDER_KEPT, judge_protocol


def session(number: int, length: int, first_ns: int = 0, **more) -> list[dict]:
    """A closed-loop session: each step 1,000 ns after the one before, answered 500 ns later."""
    return [
        {
            "session": number,
            "step": step,
            "session_length": length,
            "is_end": step == length - 1,
            "sent_ns": first_ns + 1000 * step,
            "compute_start_ns": first_ns + 1000 * step + 100,
            "received_ns": first_ns + 1000 * step + 500,
            **more,
        }
        for step in range(length)
    ]


@pytest.fixture
def found(requests_of, cell_of):
    def run(rows, name):
        findings = judge_protocol(requests_of(rows), cell_of())
        return {item.length_group: item for item in findings if item.title == name[1]}

    return run


def test_m24_a_closed_loop_keeps_order_and_says_that_this_is_little(found) -> None:
    order = found(session(0, 4) + session(1, 1), ORDER_KEPT)["short"]
    assert (order.verdict, order.checked_count) == ("holds", 3)
    assert "says little about the scheduler" in order.note


def test_m24_a_step_executed_before_its_predecessor_is_out_of_order(found) -> None:
    rows = session(0, 3)
    # both sent at once, the second one executed first
    rows[1]["sent_ns"] = 10
    rows[1]["compute_start_ns"] = 50
    rows[1]["received_ns"] = 600
    order = found(rows, ORDER_KEPT)["short"]
    assert (order.verdict, order.checked_count, order.violation_count) == ("violated", 2, 1)
    (violation,) = order.violations
    assert (violation.step, violation.expected) == (1, "after step 0")
    assert violation.observed == "executed before step 0"
    assert order.note == ""


def test_m24_a_reply_that_overtakes_is_out_of_order(found) -> None:
    rows = session(0, 2, compute_start_ns=None)
    rows[0]["received_ns"] = 5000
    order = found(rows, ORDER_KEPT)["short"]
    assert order.violations[0].observed == "answered before step 0"


def test_m24_every_session_answered_up_to_its_end_is_closed(found) -> None:
    closed = found(session(0, 3) + session(1, 2), CLOSED)["short"]
    assert (closed.verdict, closed.checked_count, closed.note) == ("holds", 2, "")


def test_m24_errors_are_counted_with_the_servers_text_told_once(found) -> None:
    rows = session(0, 3) + session(1, 3) + session(2, 2)
    for at, number in ((1, 100), (4, 101)):
        text = f"request for sequence {number} must specify the START flag"
        rows[at] |= {"outcome": "error", "error": text}
        rows[at + 1] |= {"outcome": "not_sent", "sent_ns": None, "received_ns": None}
    closed = found(rows, CLOSED)["short"]
    assert (closed.verdict, closed.checked_count, closed.violation_count) == ("violated", 3, 2)
    assert [(v.session, v.step) for v in closed.violations] == [(0, 1), (1, 1)]
    assert closed.violations[0].observed == "request for sequence 100 must specify the START flag"
    assert closed.note == "Server or client: request for sequence <ID> must specify the START flag"


def test_m24_a_session_that_the_client_stopped_is_not_counted(found) -> None:
    rows = session(0, 2)
    rows[1] |= {"outcome": "cancelled", "received_ns": None}
    closed = found(rows, CLOSED)["short"]
    assert (closed.verdict, closed.checked_count) == ("not_shown", 0)


def test_m24_after_end_is_not_shown_when_nothing_was_tried(found) -> None:
    after = found(session(0, 3) + session(1, 1, 9000), NOTHING_AFTER_END)["short"]
    assert after.verdict == "not_shown"
    assert after.note == "The plan sends nothing after an END."


@pytest.mark.parametrize(
    ("outcome", "verdict", "violations"), [("ok", "violated", 1), ("error", "holds", 0)]
)
def test_m24_a_request_after_end_must_be_refused(outcome, verdict, violations, found) -> None:
    rows = session(0, 2)
    late = {"session": 0, "step": 2, "is_end": False, "sent_ns": 9000, "received_ns": 9500}
    rows.append({**late, "outcome": outcome})
    after = found(rows, NOTHING_AFTER_END)["short"]
    assert (after.verdict, after.checked_count) == (verdict, 1)
    assert after.violation_count == violations


def test_m24_a_new_start_under_an_ended_id_is_no_late_request(found) -> None:
    rows = session(0, 2, correlation_id="5") + session(1, 2, 9000, correlation_id="5")
    assert found(rows, NOTHING_AFTER_END)["short"].verdict == "not_shown"


def test_m24_says_nothing_of_requests_without_ids(requests_of, cell_of) -> None:
    rows = session(0, 1, correlation_id=None, correlation_id_type=None)
    assert judge_protocol(requests_of(rows), cell_of()) == ()


def test_m24_every_length_group_has_a_finding(found) -> None:
    rows = session(0, 3) + session(1, 1, length_group="one")
    order = found(rows, ORDER_KEPT)
    assert (order["short"].verdict, order["one"].verdict) == ("holds", "not_shown")
    assert order["one"].note == "No session had two answered requests."
