"""What a server makes of a file (M10, M19): recorded answers of release 24.10, and deviations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from backend.contracts.errors import ServerFailed
from backend.modelconfig.effective import effective, same_effect
from tests.modelconfig.reading import parse

RECORDED = Path(__file__).parent / "effective_24_10"
CANDIDATES = ("sequence_direct", "sequence_oldest", "dynamic", "no_batching")


def recorded(name: str) -> tuple[Any, dict[str, Any]]:
    config = parse((RECORDED / f"{name}.pbtxt").read_text())
    return config, json.loads((RECORDED / f"{name}.json").read_text())


@pytest.mark.parametrize("name", CANDIDATES)
def test_what_a_real_server_read_back_has_the_meant_effect(name: str) -> None:
    """Both files of a pair are one load on a real server of release 24.10."""
    config, answer = recorded(name)
    assert same_effect(config, answer) == ()
    assert same_effect(config, json.dumps(answer)) == ()
    assert same_effect(config, json.dumps(answer).encode()) == ()


DEVIATIONS = {
    "another number of instances": (
        ("instance_group", 0, "count"),
        1,
        "instance_group[0].count",
        ("2", "1"),
    ),
    "another idle limit": (
        ("sequence_batching", "max_sequence_idle_microseconds"),
        1_000_000,
        "sequence_batching.max_sequence_idle_microseconds",
        ("60000000", "1000000"),
    ),
    "another batch size": (("max_batch_size",), 4, "max_batch_size", ("8", "4")),
    "a delay that nobody set": (
        ("sequence_batching", "oldest", "max_queue_delay_microseconds"),
        100,
        "sequence_batching.oldest.max_queue_delay_microseconds",
        (None, "100"),
    ),
    "another preferred size": (
        ("sequence_batching", "oldest", "preferred_batch_size"),
        [4],
        "sequence_batching.oldest.preferred_batch_size",
        ("[8]", "[4]"),
    ),
    "another parameter": (
        ("parameters", "state_place", "string_value"),
        "slot",
        "parameters[state_place].string_value",
        ('"correlation_id"', '"slot"'),
    ),
}


@pytest.mark.parametrize("case", DEVIATIONS.values(), ids=DEVIATIONS.keys())
def test_a_server_that_holds_something_else_is_found_out(case) -> None:
    path, value, field, (left, right) = case
    config, answer = recorded("sequence_oldest")
    inner: Any = answer
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    (found,) = same_effect(config, answer)
    assert (found.field, found.left, found.right) == (field, left, right)
    assert found.effect


def test_a_scheduler_that_a_backend_added_is_found_out() -> None:
    """Some backends add dynamic_batching by themselves where a file has no scheduler."""
    config, answer = recorded("no_batching")
    answer["dynamic_batching"] = {"preferred_batch_size": [1], "max_queue_delay_microseconds": 0}
    assert [item.field for item in same_effect(config, answer)] == [
        "dynamic_batching",
        "dynamic_batching.preferred_batch_size",
    ]


def test_a_field_of_a_later_release_is_left_out() -> None:
    config, answer = recorded("dynamic")
    answer["field_of_tomorrow"] = {"on": True}
    assert same_effect(config, answer) == ()


def test_triton_fills_in_preferred_sizes_and_the_idle_limit() -> None:
    full = effective(parse('name: "a" max_batch_size: 6 sequence_batching { oldest { } }'))
    assert list(full.sequence_batching.oldest.preferred_batch_size) == [6]
    assert full.sequence_batching.max_sequence_idle_microseconds == 1_000_000
    # near misses: without a batch dimension there is no size; a stated one stays
    none = effective(parse('name: "a" dynamic_batching { }'))
    assert list(none.dynamic_batching.preferred_batch_size) == []
    own = effective(
        parse('name: "a" max_batch_size: 6 dynamic_batching { preferred_batch_size: [ 2 ] }')
    )
    assert list(own.dynamic_batching.preferred_batch_size) == [2]


def test_the_configuration_itself_is_left_as_it_was() -> None:
    config, _ = recorded("dynamic")
    before = config.SerializeToString(deterministic=True)
    effective(config)
    assert config.SerializeToString(deterministic=True) == before


@pytest.mark.parametrize("answer", ["", "<html>", "[1]", '{"max_batch_size": "many"}', "null"])
def test_an_answer_that_is_no_configuration_is_the_servers_failure(answer: str) -> None:
    config, _ = recorded("dynamic")
    with pytest.raises(ServerFailed, match="not a model configuration"):
        same_effect(config, answer)
