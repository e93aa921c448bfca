"""What a file makes Triton do, in sentences (M12)."""

from __future__ import annotations

import pytest

from backend.modelconfig.explain import explain, milliseconds
from backend.modelconfig.parse import parse

DIRECT = "max_batch_size: 4 instance_group [ { count: 2 kind: KIND_CPU } ] sequence_batching "


def told(text: str) -> str:
    return "\n".join(explain(parse(text)))


def test_slots_and_idle_limit_are_worked_out() -> None:
    text = told(DIRECT + "{ direct { } max_sequence_idle_microseconds: 2500000 }")
    assert "2 x 4 = 8 sessions can be live at once" in text
    assert "nothing arrives for 2.5 s" in text
    assert "Strategy direct" in text
    oldest = told(DIRECT + "{ oldest { max_candidate_sequences: 10 } }")
    assert "2 x 10 = 20 sessions" in oldest
    assert "nothing arrives for 1 s" in oldest  # Triton's default


def test_a_sequence_batcher_without_a_strategy_is_direct() -> None:
    assert "Strategy direct" in told(DIRECT + "{ }")


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        ("max_queue_delay_microseconds: 5000", "has no effect"),
        ("minimum_slot_utilization: 0.5", "has no effect"),
        (
            "max_queue_delay_microseconds: 5000 minimum_slot_utilization: 0.5",
            "waits up to 5 ms until 50% of the slots",
        ),
        ("", "No request waits for others on purpose"),
    ],
)
def test_directs_delay_needs_both_values(inner: str, words: str) -> None:
    assert words in told(DIRECT + f"{{ direct {{ {inner} }} }}")


def test_the_dynamic_batcher_ignores_sessions_and_says_so() -> None:
    text = told("max_batch_size: 8 dynamic_batching { }")
    assert "batches of up to 8" in text
    assert "START and END flags have no effect" in text
    one = told("max_batch_size: 1 dynamic_batching { }")
    assert "every request is executed alone" in one


def test_a_small_preferred_size_freezes_batches_only_without_a_delay() -> None:
    without = told("max_batch_size: 8 dynamic_batching { preferred_batch_size: [ 4, 8 ] }")
    assert "stops growing at 4" in without
    whole = told("max_batch_size: 8 dynamic_batching { preferred_batch_size: [ 8 ] }")
    assert "stops growing" not in whole


def test_a_queue_policy_has_its_price_named() -> None:
    policy = "max_batch_size: 8 dynamic_batching { default_queue_policy { max_queue_size: 5 } }"
    assert "up to 500 ms" in told(policy)
    assert "500 ms" not in told("max_batch_size: 8 dynamic_batching { }")


def test_no_scheduler_section_means_one_request_each_unless_a_backend_adds_one() -> None:
    assert "executes each request by itself" in told('backend: "python" max_batch_size: 8')
    assert "may add dynamic_batching" in told('backend: "onnxruntime" max_batch_size: 8')
    assert "may add" not in told('backend: "python" max_batch_size: 8')


def test_times_are_told_in_readable_units() -> None:
    assert [milliseconds(t) for t in (5, 1500, 20_000, 60_000_000)] == [
        "5 µs",
        "1.5 ms",
        "20 ms",
        "60 s",
    ]
