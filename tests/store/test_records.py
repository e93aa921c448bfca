"""M36, M46: records in the store, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy

from backend.contracts.errors import InputError, StoreConflict
from backend.records.lifecycle import accept, amend, reject
from backend.records.record import DecisionRecord
from backend.store.connection import open_engine, store_url
from backend.store.store import Store

Draft = Callable[..., DecisionRecord]


def test_a_record_is_kept_whole_and_numbered(store: Store, draft: Draft) -> None:
    first, second = store.add_record(draft()), store.add_record(draft("sequence-direct"))
    assert (first.number, second.number) == (1, 2)
    read = store.get_record(2)
    assert read == second
    assert read.record == draft("sequence-direct").model_copy(update={"number": 2})


def test_records_outlive_the_store_object(url: str, draft: Draft) -> None:
    with Store(url) as store:
        kept = store.add_record(draft(title="Café, 語 and \N{SNOWMAN}"))
    with Store(url) as again:
        assert again.get_record(1) == kept


@pytest.mark.parametrize("number", [7, 0, -1, 2**31, 10**30])
def test_an_unknown_number_is_explained(store: Store, number: int) -> None:
    with pytest.raises(InputError, match=f"There is no record {number}") as caught:
        store.get_record(number)
    assert caught.value.next_step


def test_lists_are_newest_first_and_filtered(store: Store, draft: Draft) -> None:
    store.add_record(draft(title="Captions, 100 % sure"))
    accepted = store.add_record(draft(title="Captions in spring", author="Bea"))
    store.change_record(accept(accepted.record, "Ben"), accepted.version)
    store.add_record(draft("sequence-direct", title="Slots"))
    assert [line.number for line in store.list_records()] == [3, 2, 1]
    assert [line.number for line in store.list_records(status="accepted")] == [2]
    assert [line.number for line in store.list_records(study="captions", limit=2)] == [3, 2]
    assert [line.number for line in store.list_records(offset=2)] == [1]
    assert store.list_records(study="other") == ()
    assert [line.number for line in store.list_records(search="SPRING")] == [2]
    assert [line.number for line in store.list_records(search="bea")] == [2]
    assert [line.number for line in store.list_records(search="sequence-direct")] == [3]
    # wildcards of the database are plain characters to the user
    assert [line.number for line in store.list_records(search="100 %")] == [1]
    assert store.list_records(search="_") == ()
    line = store.list_records(status="accepted")[0]
    assert (line.decision, line.deciders) == ("captions: sequence-oldest, instances=1", ("Ben",))
    assert line.decided_at is not None


def test_a_proposed_record_can_be_amended_then_accepted(store: Store, draft: Draft) -> None:
    stored = store.add_record(draft())
    amended = store.change_record(amend(stored.record, title="Other"), stored.version)
    assert amended.version == 2
    assert amended.content_sha256 != stored.content_sha256
    accepted = store.accept_record(1, "Ben", amended.version)
    assert (accepted.record.status, accepted.version) == ("accepted", 3)
    assert store.get_record(1) == accepted


def test_a_stale_write_is_refused(store: Store, draft: Draft) -> None:
    stored = store.add_record(draft())
    store.change_record(amend(stored.record, title="First"), stored.version)
    with pytest.raises(StoreConflict, match="changed by somebody else") as caught:
        store.change_record(amend(stored.record, title="Second"), stored.version)
    assert "version 1; now it is version 2, proposed" in caught.value.why
    assert store.get_record(1).record.title == "First"
    with pytest.raises(StoreConflict, match="changed by somebody else"):
        store.accept_record(1, "Ben", expected_version=1)


def test_content_of_an_accepted_record_cannot_change(store: Store, draft: Draft) -> None:
    store.add_record(draft())
    accepted = store.accept_record(1, "Ben", 1)
    changed = accepted.record.model_copy(update={"title": "Rewritten"})
    with pytest.raises(StoreConflict, match="content can no longer change"):
        store.change_record(changed, accepted.version)
    with pytest.raises(StoreConflict, match="cannot become rejected"):
        store.change_record(
            accepted.record.model_copy(update={"status": "rejected"}), accepted.version
        )
    assert store.get_record(1) == accepted


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE interleave_records SET content = replace(content, 'Ann', 'Eve')",
        "UPDATE interleave_records SET content_sha256 = '0'",
        "UPDATE interleave_records SET title = 'Rewritten'",
        "UPDATE interleave_records SET number = 9",
        "UPDATE interleave_records SET status = 'proposed'",
        "UPDATE interleave_records SET status = 'rejected'",
        "UPDATE interleave_records SET status = 'nonsense'",
        "DELETE FROM interleave_records",
    ],
)
def test_the_database_itself_keeps_accepted_records(url: str, draft: Draft, statement: str) -> None:
    with Store(url) as store:
        store.add_record(draft())
        accepted = store.accept_record(1, "Ben", 1)
        engine = open_engine(store_url(url), 5)
        with (
            pytest.raises(sqlalchemy.exc.IntegrityError),
            engine.begin() as connection,
        ):
            connection.execute(sqlalchemy.text(statement))
        engine.dispose()
        assert store.get_record(1) == accepted


def test_nothing_of_a_rejected_record_changes_in_the_database(url: str, draft: Draft) -> None:
    with Store(url) as store:
        stored = store.add_record(draft())
        store.change_record(reject(stored.record, "Ben"), 1)
        engine = open_engine(store_url(url), 5)
        with pytest.raises(sqlalchemy.exc.IntegrityError), engine.begin() as connection:
            connection.execute(
                sqlalchemy.text("UPDATE interleave_records SET life = replace(life, 'Ben', 'Eve')")
            )
        engine.dispose()


def test_an_altered_proposed_record_is_noticed(url: str, draft: Draft) -> None:
    with Store(url) as store:
        store.add_record(draft())
        engine = open_engine(store_url(url), 5)
        with engine.begin() as connection:
            connection.execute(
                sqlalchemy.text(
                    "UPDATE interleave_records SET content = replace(content, 'Ann', 'Eve')"
                )
            )
        engine.dispose()
        with pytest.raises(InputError, match="Record 1 was altered in the store"):
            store.get_record(1)
        # the list still opens
        assert store.list_records()[0].number == 1


def test_superseding_changes_both_or_none(store: Store, draft: Draft) -> None:
    store.add_record(draft())
    store.accept_record(1, "Ben", 1)
    new = store.add_record(draft("sequence-direct", supersedes=1))
    accepted = store.accept_record(2, "Eve", new.version)
    assert (accepted.record.status, accepted.record.supersedes) == ("accepted", 1)
    old = store.get_record(1).record
    assert (old.status, old.superseded_by) == ("superseded", 2)
    assert store.list_records()[1].superseded_by == 2
    with pytest.raises(StoreConflict, match="Record 1 is superseded; only an accepted") as caught:
        store.add_record(draft(supersedes=1))
    assert caught.value.next_step == "See record 2."
    with pytest.raises(InputError, match="There is no record 9"):
        store.add_record(draft(supersedes=9))


def test_two_successors_of_one_record(store: Store, draft: Draft) -> None:
    store.add_record(draft())
    store.accept_record(1, "Ben", 1)
    store.add_record(draft(supersedes=1))
    store.add_record(draft(supersedes=1))
    store.accept_record(2, "Ben", 1)
    with pytest.raises(StoreConflict, match="Record 1 is superseded"):
        store.accept_record(3, "Ben", 1)
    assert store.get_record(3).record.status == "proposed"


def test_several_changes_are_one(store: Store, draft: Draft) -> None:
    first, second = store.add_record(draft()), store.add_record(draft())
    with pytest.raises(StoreConflict):
        store.change_records(
            [(amend(first.record, title="A"), 1), (amend(second.record, title="B"), 99)]
        )
    assert store.get_record(1) == first


def test_only_new_proposed_records_are_added(store: Store, draft: Draft) -> None:
    stored = store.add_record(draft())
    with pytest.raises(StoreConflict, match="This is record 1 already"):
        store.add_record(stored.record)
    with pytest.raises(InputError, match="proposed first"):
        store.add_record(accept(draft(), "Ben"))
    with pytest.raises(InputError, match="not stored yet"):
        store.change_record(draft(), 1)
    # refused ones took no number
    assert store.add_record(draft()).number == 2


WRITER = """
import sys, time
from pathlib import Path
from backend.records.record import DecisionRecord
from backend.store.store import Store

url, record, ready, go = sys.argv[1:]
value = DecisionRecord.model_validate_json(Path(record).read_text())
Path(ready).touch()
while not Path(go).exists():
    time.sleep(0.001)
with Store(url, wait_s=60) as store:
    print(*(store.add_record(value).number for _ in range(10)))
"""


def test_processes_that_write_at_once_never_share_a_number(
    url: str, draft: Draft, tmp_path: Path
) -> None:
    """Four processes, none of which finds a store there; each adds ten records."""
    record, go = tmp_path / "record.json", tmp_path / "go"
    record.write_text(draft().model_dump_json())
    ready = [tmp_path / f"ready-{number}" for number in range(4)]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, url, str(record), str(mark), str(go)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).resolve().parents[2],
        )
        for mark in ready
    ]
    try:
        deadline = time.monotonic() + 120
        while not all(mark.exists() for mark in ready) and time.monotonic() < deadline:
            time.sleep(0.01)
        go.touch()
        printed = [writer.communicate(timeout=120)[0] for writer in writers]
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
    assert [writer.returncode for writer in writers] == [0] * 4
    numbers = [int(word) for text in printed for word in text.split()]
    assert sorted(numbers) == list(range(1, 41))


def test_threads_that_accept_at_once_one_wins(store: Store, draft: Draft) -> None:
    stored = store.add_record(draft())
    start, outcomes = threading.Barrier(8), []

    def decide(name: str) -> None:
        start.wait(30)
        try:
            store.accept_record(1, name, stored.version)
            outcomes.append(name)
        except StoreConflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=decide, args=(f"person {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    winners = [name for name in outcomes if name != "conflict"]
    assert len(outcomes) == 8
    assert len(winners) == 1
    assert store.get_record(1).record.deciders == tuple(winners)
