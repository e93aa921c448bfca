"""Deadlines, queue sizes and priorities (M09, M13): only where asked for, with their price."""

from __future__ import annotations

import pytest

from backend.contracts.errors import InputError
from backend.modelconfig.lint.release import Release
from backend.workload.demand import Demand
from backend.workload.study import CandidateChoice
from tests.modelconfig.declared_models import config, declared, propose

LATE = {"deadline_ms": 200, "when_late": "refuse"}


def dynamic(demand: dict[str, object], **given: object) -> object:
    return config(declared(demand=Demand(**demand)), "dynamic", **given).dynamic_batching


@pytest.mark.parametrize(
    "demand",
    [
        {},
        {"deadline_ms": 200},
        {"deadline_ms": 200, "execution_ms": 20},
        {"when_late": "refuse"},
        {"priority_levels": 1},
    ],
)
def test_nothing_is_set_that_nobody_asked_for(demand: dict[str, object]) -> None:
    found = dynamic(demand)
    assert not found.HasField("default_queue_policy")
    assert (found.priority_levels, found.preserve_ordering) == (0, False)


def test_a_deadline_without_a_wish_is_said_to_do_nothing() -> None:
    candidate = propose(declared(demand=Demand(deadline_ms=200)), "dynamic")
    assert "late requests are served" in candidate.reasons["scheduler"]


def test_late_requests_are_refused_after_the_deadline_less_the_execution() -> None:
    policy = dynamic({**LATE, "execution_ms": 20}, instances=2).default_queue_policy
    assert policy.timeout_action == policy.REJECT
    assert policy.default_timeout_microseconds == 180_000
    # in 180 ms two instances of 8 requests each 20 ms serve 9 x 2 x 8
    assert policy.max_queue_size == 144
    unknown = dynamic(LATE).default_queue_policy
    assert (unknown.default_timeout_microseconds, unknown.max_queue_size) == (200_000, 0)


def test_late_requests_that_are_wanted_go_behind() -> None:
    policy = dynamic(
        {"deadline_ms": 200, "when_late": "serve_anyway", "execution_ms": 20}
    ).default_queue_policy
    assert policy.timeout_action == policy.DELAY
    assert (policy.default_timeout_microseconds, policy.max_queue_size) == (180_000, 0)


def test_a_deadline_that_nothing_can_meet_gives_no_policy() -> None:
    demand = Demand(**LATE, execution_ms=200)
    candidate = propose(declared(demand=demand), "dynamic")
    assert candidate.queue_policy is None
    assert "no request can meet it" in candidate.reasons["scheduler"]


def test_kinds_of_callers_become_levels_and_the_unnamed_comes_last() -> None:
    found = dynamic({"priority_levels": 3})
    assert (found.priority_levels, found.default_priority_level) == (3, 3)


def test_the_price_is_named_with_what_to_watch() -> None:
    """Prefetch goes off from 23.08 on; handovers of 500 ms were measured on 24.10."""
    for demand, field in ((LATE, "queue_policy"), ({"priority_levels": 2}, "priority_levels")):
        item = declared(demand=Demand(**demand))
        reason = propose(item, "dynamic").reasons[field]
        assert "500 ms" in reason
        assert "Watch" in reason
        before = propose(item, "dynamic", release=Release(23, 7)).reasons[field]
        assert "The price" not in before
        # from 23.12 on the batcher sleeps for 500 ms at a time
        between = propose(item, "dynamic", release=Release(23, 11)).reasons[field]
        assert "no longer prepares" in between
        assert "500 ms" not in between
        leaking = propose(item, "dynamic", max_queue_delay_microseconds=100).reasons[field]
        assert "drop out one by one" in leaking
        mended = propose(
            item, "dynamic", max_queue_delay_microseconds=100, release=Release(26, 8)
        ).reasons[field]
        assert "drop out" not in mended


@pytest.mark.parametrize(
    ("release", "words"),
    [(Release(24, 2), "only when an instance is free"), (Release(24, 3), "up to a second late")],
)
def test_when_an_expired_request_is_answered_is_told_by_release(
    release: Release, words: str
) -> None:
    item = declared(demand=Demand(**LATE, execution_ms=20))
    assert words in propose(item, "dynamic", release=release).reasons["queue_policy"]


def test_a_delay_beside_a_preferred_size_of_one_holds_nobody_back() -> None:
    given = {"max_queue_delay_microseconds": 200_000, "preferred_batch_sizes": (1, 2)}
    reason = propose(declared(), "dynamic", **given).reasons["max_queue_delay_microseconds"]
    assert "holds no lone request back" in reason


@pytest.mark.parametrize("name", ["sequence-direct", "sequence-oldest"])
def test_sequences_have_no_policy_and_the_file_says_so(name: str) -> None:
    item = declared(demand=Demand(**LATE, priority_levels=2))
    candidate = propose(item, name)
    assert candidate.queue_policy is None
    assert "deadline of 200 ms and 2 kinds of callers" in candidate.reasons["scheduler"]
    assert "no queue policy" not in propose(declared(), name).reasons["scheduler"]


def test_the_studys_own_values_win() -> None:
    own = dynamic(
        {**LATE, "execution_ms": 20, "priority_levels": 3},
        queue_timeout_microseconds=5000,
        timeout_action="DELAY",
        max_queue_size=7,
        priority_levels=2,
        default_priority_level=1,
    )
    policy = own.default_queue_policy
    assert (policy.default_timeout_microseconds, policy.max_queue_size) == (5000, 7)
    assert policy.timeout_action == policy.DELAY
    assert (own.priority_levels, own.default_priority_level) == (2, 1)
    none = dynamic(
        {**LATE, "priority_levels": 3},
        queue_timeout_microseconds=0,
        max_queue_size=0,
        priority_levels=0,
    )
    assert not none.HasField("default_queue_policy")
    assert none.priority_levels == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"timeout_action": "DELAY"}, "timeout_action DELAY is set, but no timeout"),
        ({"default_priority_level": 1}, "default_priority_level is 1, with 0 priority levels"),
        ({"priority_levels": 2, "default_priority_level": 3}, "is 3, with 2 priority levels"),
        ({"preserve_ordering": True, "priority_levels": 2}, "exclude each other"),
        (
            {
                "preserve_ordering": True,
                "queue_timeout_microseconds": 5,
                "timeout_action": "DELAY",
            },
            "exclude each other",
        ),
    ],
)
def test_values_that_exclude_each_other_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        propose(declared(), "dynamic", **given)


def test_ordering_is_kept_only_where_asked_and_where_the_release_can() -> None:
    assert dynamic({}, preserve_ordering=True).preserve_ordering
    broken = propose(declared(), "dynamic", preserve_ordering=True, release=Release(25, 9))
    assert "keeps no order" in broken.reasons["preserve_ordering"]
    oldest = config(declared(), "sequence-oldest", preserve_ordering=True)
    assert oldest.sequence_batching.oldest.preserve_ordering
    with pytest.raises(InputError, match="preserve_ordering under oldest") as caught:
        propose(declared(), "sequence-oldest", preserve_ordering=True, release=Release(23, 8))
    assert "23.09" in caught.value.why


def test_overrides_belong_to_schedulers_that_have_them() -> None:
    for name in ("sequence-direct", "sequence-oldest", "no-batching"):
        with pytest.raises(ValueError, match="has no max_queue_size"):
            CandidateChoice(name=name, max_queue_size=3)
