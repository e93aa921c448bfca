"""M36: proposed → accepted → superseded; content immutable once accepted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from backend.contracts.errors import InputError, StoreConflict
from backend.contracts.exit_codes import ExitCode
from backend.records.lifecycle import accept, amend, check_change, reject, supersede
from backend.records.record import Choice, DecisionRecord, content_sha256

Draft = Callable[..., DecisionRecord]
LATER = datetime(2026, 12, 2, 9, 30, tzinfo=UTC)


def test_accepting_names_who_and_when_and_leaves_the_content(draft: Draft) -> None:
    proposed = draft(number=1)
    accepted = accept(proposed, " Ben ", at=LATER)
    assert accepted.status == "accepted"
    assert accepted.deciders == ("Ben",)
    assert accepted.last_step("accepted").at == LATER
    assert content_sha256(accepted) == content_sha256(proposed)


def test_rejecting_keeps_the_reason(draft: Draft) -> None:
    rejected = reject(draft(number=1), "Ben", because="Too slow.", at=LATER)
    assert (rejected.status, rejected.history[-1].note) == ("rejected", "Too slow.")


@pytest.mark.parametrize("by", ["", "   "])
def test_somebody_must_decide(draft: Draft, by: str) -> None:
    with pytest.raises(InputError, match="Nobody is named"):
        accept(draft(), by)
    with pytest.raises(InputError, match="Nobody is named"):
        reject(draft(), by)


def test_a_decided_record_does_not_change_its_mind(draft: Draft) -> None:
    accepted = accept(draft(number=4), "Ben")
    for step in (lambda r: accept(r, "Eve"), lambda r: reject(r, "Eve")):
        with pytest.raises(StoreConflict, match=r"Record 4 is accepted") as caught:
            step(accepted)
        assert caught.value.exit_code is ExitCode.INPUT_WRONG
        assert "in the place of this one" in caught.value.next_step
    with pytest.raises(StoreConflict, match="is rejected"):
        accept(reject(draft(number=5), "Ben"), "Eve")


def test_accepting_against_the_evidence_needs_a_reason(draft: Draft) -> None:
    wrong = draft("dynamic", number=1)
    with pytest.raises(InputError, match="does not support its choice") as caught:
        accept(wrong, "Ben")
    assert "412 of 3,200" in caught.value.why
    accepted = accept(wrong, "Ben", despite="A demonstration.")
    assert accepted.history[-1].note == "despite the evidence: A demonstration."


def test_superseding_edits_both_ends(draft: Draft) -> None:
    old = accept(draft(number=1), "Ben")
    new = draft("sequence-direct", number=2)
    replaced, successor = supersede(old, new, "Eve", at=LATER)
    assert (replaced.status, replaced.superseded_by) == ("superseded", 2)
    assert (successor.status, successor.supersedes) == ("accepted", 1)
    assert successor.deciders == ("Eve",)
    assert replaced.deciders == ("Ben",)
    assert content_sha256(replaced) == content_sha256(old)


def test_superseding_takes_an_accepted_and_a_proposed_record(draft: Draft) -> None:
    old, new = draft(number=1), draft(number=2)
    with pytest.raises(StoreConflict, match="Record 1 is proposed and cannot become superseded"):
        supersede(old, new, "Eve")
    accepted = accept(old, "Ben")
    with pytest.raises(StoreConflict, match="Record 2 is accepted"):
        supersede(accepted, accept(new, "Ben"), "Eve")
    with pytest.raises(InputError, match="cannot replace itself"):
        supersede(accepted, accepted, "Eve")
    with pytest.raises(InputError, match="must be stored"):
        supersede(accepted, draft(), "Eve")
    with pytest.raises(StoreConflict, match="already replaces record 7"):
        supersede(accepted, draft(number=2, supersedes=7), "Eve")
    replaced, _ = supersede(accepted, new, "Eve")
    with pytest.raises(StoreConflict, match="superseded") as caught:
        supersede(replaced, draft(number=3), "Eve")
    assert caught.value.next_step == "See record 2, which replaced it."


def test_a_successor_is_not_accepted_alone(draft: Draft) -> None:
    with pytest.raises(InputError, match="accepting it changes both"):
        accept(draft(number=2, supersedes=1), "Ben")


def test_words_can_be_amended_while_proposed(draft: Draft) -> None:
    proposed = draft(number=1)
    amended = amend(proposed, title="Captions in spring", risks=["None that we know."])
    assert amended.title == "Captions in spring"
    assert amended.risks == ("None that we know.",)
    choice = proposed.decision[0].model_copy(update={"because": "It was right in every cell."})
    assert amend(proposed, decision=[choice]).decision[0].because == "It was right in every cell."
    with pytest.raises(StoreConflict, match="content can no longer change"):
        amend(accept(proposed, "Ben"), title="Other")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"evidence": None}, "'evidence' of a record cannot be edited"),
        ({"status": "accepted"}, "'status' of a record cannot be edited"),
        ({"title": ""}, "title does not fit"),
        ({"supersedes": 0}, "supersedes does not fit"),
    ],
)
def test_evidence_and_life_are_not_amended(
    draft: Draft, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        amend(draft(number=1), **changes)


def test_another_choice_is_another_record(draft: Draft) -> None:
    choice = Choice(class_name="captions", candidate="dynamic", instances=1, because="Cheap.")
    with pytest.raises(InputError, match="record of its own"):
        amend(draft(number=1), decision=(choice,))


def test_the_rule_that_the_store_keeps(draft: Draft) -> None:
    proposed = draft(number=1)
    accepted = accept(proposed, "Ben")
    check_change(proposed, accepted)
    check_change(proposed, amend(proposed, title="Other"))
    with pytest.raises(StoreConflict, match="Changed: title"):
        check_change(accepted, accepted.model_copy(update={"title": "Other"}))
    with pytest.raises(StoreConflict, match="is accepted and cannot become proposed"):
        check_change(accepted, proposed)
    with pytest.raises(StoreConflict, match="keeps its number"):
        check_change(proposed, proposed.model_copy(update={"number": 2}))
    with pytest.raises(StoreConflict, match="can only grow"):
        check_change(accepted, accepted.model_copy(update={"history": ()}))
    with pytest.raises(StoreConflict, match="does not say by whom"):
        check_change(proposed, proposed.model_copy(update={"status": "accepted"}))
