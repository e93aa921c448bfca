"""Faults on the real server: seen by whom it was foretold, and nothing where nothing is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.contracts.home import Home
from backend.contracts.run_directory import RunDirectory
from backend.studies.owned_server import OwnedServer
from benchmarks.detection.clean import SOUND
from benchmarks.detection.faults import foretold
from benchmarks.detection.table import disagreements
from benchmarks.detection.trial import play

pytestmark = pytest.mark.server

FAULTS = {fault.name: fault for fault in foretold()}
# one of each kind: state of others, replies of others, unseen alone, place, client
SOME = (
    "start_inherits_last_end",
    "replies_swapped",
    "off_by_one_step",
    "state_by_slot_under_oldest",
    "client_shares_live_id",
    "client_drops_end",
)


@pytest.fixture(scope="module")
def owned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnedServer]:
    folder = tmp_path_factory.mktemp("detection")
    run = RunDirectory(Path(folder) / "run").create()
    with OwnedServer(Home(folder / "home").ensure(), run, print) as server:
        server.start()
        yield server


@pytest.mark.parametrize("strategy", SOUND.strategies)
def test_m21_m23_eventful_sessions_of_a_sound_model_raise_no_alarm(
    strategy: str, owned: OwnedServer
) -> None:
    seen = play(owned, SOUND, strategy, sessions=16)
    assert {oracle: found.violated for oracle, found in seen.items()} == {
        "hash_chain": frozenset(),
        "isolated_replay": frozenset(),
        "protocol": frozenset(),
    }
    assert seen["hash_chain"].checked == seen["isolated_replay"].checked > 300


@pytest.mark.long
@pytest.mark.parametrize("name", SOME)
def test_m21_m24_a_fault_is_seen_by_whom_it_was_foretold(name: str, owned: OwnedServer) -> None:
    fault = FAULTS[name]
    results = {
        (name, strategy): play(owned, fault, strategy, sessions=16) for strategy in fault.strategies
    }
    assert list(disagreements((fault,), results)) == []
