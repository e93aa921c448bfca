"""Proposed values and their reasons (M09, M13): sizes, slots, idle limit, the study's own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from backend.contracts.errors import InputError
from backend.modelconfig.idle_limit import idle_limit
from backend.modelconfig.propose import propose_candidate
from backend.templates.template import Template
from backend.workload.study import CANDIDATE_NAMES, CandidateChoice, TrafficClass
from backend.workload.traffic import Gaps, LengthGroup, Objectives, Traffic


def propose(item, template, name, *, instances=1, concurrency=8, **given):
    choice = CandidateChoice(name=name, **given)
    return propose_candidate(item, choice, instances, concurrency, template)


@pytest.mark.parametrize("name", CANDIDATE_NAMES)
def test_every_value_of_a_candidate_has_its_reason(
    name: str, letters: TrafficClass, template: Template
) -> None:
    candidate = propose(letters, template, name)
    decided = {
        field
        for field in (
            "max_batch_size",
            "max_queue_delay_microseconds",
            "max_candidate_sequences",
            "max_sequence_idle_microseconds",
            "minimum_slot_utilization",
        )
        if getattr(candidate, field) is not None
    }
    assert decided | {"scheduler", "instances", "parameters"} <= set(candidate.reasons)
    assert all(reason.endswith(".") for reason in candidate.reasons.values())
    assert candidate.model_name == "letters"
    assert candidate.parameters == {"state_place": "correlation_id", "width": 4, "pace": 1.5}


def test_no_batch_is_larger_than_the_live_sessions_or_the_model(
    letters: TrafficClass, template: Template
) -> None:
    assert propose(letters, template, "dynamic", concurrency=8).max_batch_size == 8
    assert propose(letters, template, "dynamic", concurrency=40).max_batch_size == 16
    assert propose(letters, template, "no-batching", concurrency=8).max_batch_size == 1


def test_a_start_is_conservative_nothing_waits_on_purpose(
    letters: TrafficClass, template: Template
) -> None:
    """M13."""
    for name in ("dynamic", "sequence-oldest", "sequence-direct"):
        candidate = propose(letters, template, name)
        assert candidate.max_queue_delay_microseconds == 0
        assert candidate.preferred_batch_sizes == ()
    assert propose(letters, template, "no-batching").max_queue_delay_microseconds is None


def test_extremes_are_flagged_with_what_to_watch(letters: TrafficClass, template: Template) -> None:
    """M13."""
    long = propose(letters, template, "dynamic", max_queue_delay_microseconds=200_000)
    assert "200 ms is long" in long.reasons["max_queue_delay_microseconds"]
    modest = propose(letters, template, "dynamic", max_queue_delay_microseconds=2_000)
    assert "long" not in modest.reasons["max_queue_delay_microseconds"].replace("longest", "")
    many = propose(letters, template, "sequence-oldest", max_candidate_sequences=512)
    assert "watch the memory" in many.reasons["max_candidate_sequences"]
    few = propose(letters, template, "sequence-oldest", max_candidate_sequences=4)
    assert "no full batch can form" in few.reasons["max_candidate_sequences"]
    crowd = propose(letters, template, "dynamic", instances=9)
    assert "Many for a start" in crowd.reasons["instances"]


def test_the_slots_of_oldest_are_the_live_sessions_and_a_quarter_more(
    letters: TrafficClass, template: Template
) -> None:
    # 8 sessions and a quarter: 10 on one instance; 5 each on two, but a batch of 8 must fit
    one = propose(letters, template, "sequence-oldest", instances=1)
    assert (one.max_candidate_sequences, one.slots) == (10, 10)
    two = propose(letters, template, "sequence-oldest", instances=2)
    assert (two.max_candidate_sequences, two.slots) == (8, 16)


def test_direct_with_too_few_slots_says_so_with_the_sizing_formula(
    letters: TrafficClass, template: Template
) -> None:
    tight = propose(letters, template, "sequence-direct", instances=2, concurrency=40)
    assert tight.slots == 32
    reason = tight.reasons["slots"]
    assert "2 x max_batch_size 16 = 32, fewer than the 40 live sessions" in reason
    # 40 over 2 instances is 20 each; 40 over 16 each is 3 instances
    assert "max_batch_size of at least 20, or at least 3 instances" in reason
    enough = propose(letters, template, "sequence-direct", instances=2, concurrency=32)
    assert enough.reasons["slots"] == "Slots: 2 x max_batch_size 16 = 32, for 32 live sessions."


def test_candidates_without_the_sequence_batcher_have_no_slots(
    letters: TrafficClass, template: Template
) -> None:
    for name in ("dynamic", "no-batching"):
        candidate = propose(letters, template, name)
        assert candidate.slots is None
        assert candidate.max_sequence_idle_microseconds is None


def test_the_idle_limit_counts_pause_and_service_twice_from_arrival(
    letters: TrafficClass, template: Template
) -> None:
    # pause 3 s, objective 0.5 s: twice 3.5 s
    candidate = propose(letters, template, "sequence-oldest")
    assert candidate.max_sequence_idle_microseconds == 7_000_000
    assert (
        "when a session's last request arrives, not when it is answered"
        in (candidate.reasons["max_sequence_idle_microseconds"])
    )


@pytest.mark.parametrize(
    ("traffic", "seconds"),
    [
        # nothing known of pauses
        (Traffic(), 60),
        # ten means of 400 ms and the assumed second: twice 5 s
        (Traffic(gaps=Gaps(kind="exponential", mean_ms=400)), 10),
        # near miss: a fixed gap is no longer than itself: twice 1.4 s is 2.8 s, at least 5
        (Traffic(gaps=Gaps(kind="fixed", mean_ms=400)), 5),
        # what is stated outweighs what the gaps allow
        (Traffic(gaps=Gaps(kind="exponential", mean_ms=400), longest_gap_ms=20_000), 42),
        # the pause is one of real life: the test's time scale does not shorten it
        (Traffic(gaps=Gaps(kind="exponential", mean_ms=400), time_scale=0.001), 10),
        (Traffic(longest_gap_ms=10_000, objectives=Objectives(response_p99_ms=200)), 21),
    ],
)
def test_the_idle_limit_follows_the_longest_pause(traffic: Traffic, seconds: int) -> None:
    assert idle_limit(traffic).seconds == seconds


def test_a_newcomers_wait_lengthens_the_idle_limit() -> None:
    mixes = {"m": (LengthGroup(group="g", share=1.0, steps=(5, 50)),)}
    traffic = Traffic(
        mixes=mixes,
        gaps=Gaps(kind="fixed", mean_ms=100),
        objectives=Objectives(response_p99_ms=300),
    )
    # twice 0.4 s is under the least; 50 steps of 0.4 s each are 20 s more
    assert idle_limit(traffic).seconds == 5
    waiting = idle_limit(traffic, sessions_ahead=1)
    assert waiting.seconds == 25
    assert "20 s more" in waiting.reason


def test_the_studys_own_values_win_and_are_called_so(
    letters: TrafficClass, template: Template
) -> None:
    candidate = propose(
        letters,
        template,
        "sequence-oldest",
        max_batch_size=4,
        preferred_batch_sizes=(2, 4),
        max_queue_delay_microseconds=500,
        max_candidate_sequences=6,
        max_sequence_idle_microseconds=123,
    )
    assert candidate.max_batch_size == 4
    assert candidate.preferred_batch_sizes == (2, 4)
    assert candidate.max_queue_delay_microseconds == 500
    assert candidate.slots == 6
    assert candidate.max_sequence_idle_microseconds == 123
    for field in ("max_batch_size", "preferred_batch_sizes", "max_sequence_idle_microseconds"):
        assert candidate.reasons[field].startswith("Set by the study.")


def test_a_delay_of_direct_without_a_share_is_said_to_do_nothing(
    letters: TrafficClass, template: Template
) -> None:
    alone = propose(letters, template, "sequence-direct", max_queue_delay_microseconds=1000)
    assert "does nothing" in alone.reasons["max_queue_delay_microseconds"]
    both = propose(
        letters,
        template,
        "sequence-direct",
        max_queue_delay_microseconds=1000,
        minimum_slot_utilization=0.5,
    )
    assert "does nothing" not in both.reasons["max_queue_delay_microseconds"]
    share = propose(letters, template, "sequence-direct", minimum_slot_utilization=0.5)
    assert "does nothing" in share.reasons["minimum_slot_utilization"]


@pytest.mark.parametrize("size", [0, 17])
def test_a_batch_size_that_the_model_cannot_take_is_refused(
    size: int, letters: TrafficClass, template: Template
) -> None:
    with pytest.raises(InputError, match=f"max_batch_size is {size}") as caught:
        propose(letters, template, "dynamic", max_batch_size=size)
    assert "between 1 and 16" in caught.value.next_step
    assert propose(letters, template, "dynamic", max_batch_size=16).max_batch_size == 16


def test_a_preferred_size_above_the_proposed_batch_is_refused(
    letters: TrafficClass, template: Template
) -> None:
    with pytest.raises(InputError, match="preferred batch size of 9"):
        propose(letters, template, "dynamic", preferred_batch_sizes=(9,))
    kept = propose(letters, template, "dynamic", preferred_batch_sizes=(8,))
    assert kept.preferred_batch_sizes == (8,)


def test_text_ids_are_kept_and_unknown_ones_assumed_numbers(
    template: Template, class_with: Callable[..., TrafficClass]
) -> None:
    text = propose(class_with(id_type="string"), template, "sequence-oldest")
    assert text.correlation_id_type == "string"
    assert "asks the request" in text.reasons["correlation_id_type"]
    unknown = propose(class_with(id_type="unknown"), template, "sequence-oldest")
    assert unknown.correlation_id_type == "uint64"
    assert "assumed" in unknown.reasons["correlation_id_type"]
