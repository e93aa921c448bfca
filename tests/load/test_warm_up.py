"""Warm-up reaches every instance with requests that are part of no plan."""

from __future__ import annotations

from dataclasses import replace

import grpc
import pytest

from backend.contracts.errors import ServerFailed
from backend.load.interface import ModelInterface
from backend.load.warm_up import warm_up
from tests.load.fake_triton import Deed, FakeTriton, planned


def test_warm_up_goes_on_until_every_instance_has_served_two(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    # a server that gives nearly everything to its first instance
    triton.deed = lambda arrival: Deed(
        instance="probe_0_1" if len(triton.arrivals) in (7, 20) else "probe_0_0"
    )
    work = planned([3, 3])
    result = warm_up(work.plan, work.inputs[0], echo, triton.endpoint, instances=2)
    assert result.complete
    assert result.note == ""
    assert result.served["probe_0_1"] >= 2
    assert result.requests == len(triton.arrivals) == sum(result.served.values())
    assert {item.tensor for item in triton.arrivals} == {work.inputs[0]}


def test_warm_up_says_which_instances_it_could_not_reach(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    work = planned([3])
    result = warm_up(work.plan, work.inputs[0], echo, triton.endpoint, instances=2)
    assert not result.complete
    assert "1 of 2 instances had served: probe_0_0" in result.note


def test_without_instance_names_the_rule_is_followed_and_said(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    work = planned([3])
    silent = replace(echo, instance_output=None)
    result = warm_up(work.plan, work.inputs[0], silent, triton.endpoint, instances=3)
    assert result.complete
    assert result.served == {}
    assert "unchecked" in result.note
    # as many sequences as instances, all live before one ends
    assert [item.end for item in triton.arrivals[:6]] == [False] * 3 + [True] * 3
    assert len({item.correlation_id for item in triton.arrivals[:3]}) == 3


def test_warm_up_ids_are_in_no_plan(triton: FakeTriton, echo: ModelInterface) -> None:
    # ids 1, 2 and, cut to 32 bits, 3
    ids = ("1", "2", str(2**32 + 3))
    work = planned([1, 1, 1], ids=lambda session: ids[session])
    warm_up(work.plan, work.inputs[0], echo, triton.endpoint, instances=1)
    used = {item.correlation_id for item in triton.arrivals}
    assert used.isdisjoint({1, 2, 3, 2**32 + 3})
    assert not {item.request_id for item in triton.arrivals} & {"0.0", "1.0", "2.0"}

    triton.arrivals.clear()
    named = planned([1], ids=lambda session: "warm-up-1", id_type="string")
    warm_up(named.plan, named.inputs[0], echo, triton.endpoint, instances=1)
    assert "warm-up-1" not in {item.correlation_id for item in triton.arrivals}

    triton.arrivals.clear()
    plain = planned([1], ids=None)
    warm_up(plain.plan, plain.inputs[0], echo, triton.endpoint, instances=1)
    assert {item.correlation_id for item in triton.arrivals} == {None}


def test_a_model_that_does_not_serve_its_warm_up_is_a_server_failure(
    triton: FakeTriton, echo: ModelInterface
) -> None:
    triton.deed = lambda arrival: Deed(error="model is ill", abort=grpc.StatusCode.INTERNAL)
    work = planned([1])
    with pytest.raises(ServerFailed) as error:
        warm_up(work.plan, work.inputs[0], echo, triton.endpoint, instances=1)
    assert "INTERNAL: model is ill" in error.value.why
