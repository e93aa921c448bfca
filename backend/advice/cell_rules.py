"""The rules that fill in the decision table (M07): does a candidate meet what this class needs?

For each aspect and candidate the first rule that holds gives ``here``. Facts as in ``facts``, and
what was decided, as in ``decision``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from backend.advice.rule import Condition, all_hold, when
from backend.contracts.values import Value
from backend.workload.study import CandidateName

Aspect = Literal["relation", "order_and_instance", "batching_aim", "waits_for", "risk", "preferred"]
Here = Literal["meets", "breaks", "open", "unneeded", "baseline"]

SEQUENCE: Final[tuple[CandidateName, ...]] = ("sequence-direct", "sequence-oldest")
FREE: Final[tuple[CandidateName, ...]] = ("dynamic", "no-batching")
EVERY: Final[tuple[CandidateName, ...]] = (*SEQUENCE, *FREE)


class CellRule(Value):
    """What holds of a candidate in one aspect; ``because`` is the reason in words."""

    aspect: Aspect
    candidates: tuple[CandidateName, ...]
    when: tuple[Condition, ...]
    here: Here
    because: str

    def holds(self, facts: Mapping[str, str]) -> bool:
        """Whether the facts meet every condition."""
        return all_hold(self.when, facts)


def _cell(
    aspect: Aspect,
    candidates: CandidateName | tuple[CandidateName, ...],
    here: Here,
    because: str,
    **facts: str | tuple[str, ...],
) -> CellRule:
    names = (candidates,) if isinstance(candidates, str) else candidates
    return CellRule(aspect=aspect, candidates=names, when=when(**facts), here=here, because=because)


CELL_RULES: Final[tuple[CellRule, ...]] = (
    # relation: what the candidate takes for granted of the requests
    _cell("relation", FREE, "meets", "every request stands alone", association="alone"),
    _cell("relation", FREE, "open", "the answers contradict each other", relation_open="yes"),
    _cell(
        "relation",
        FREE,
        "open",
        "not settled what ties the requests together",
        state_open="yes",
    ),
    _cell("relation", FREE, "open", "a session's requests bring all that they need with them",
          measure="yes"),
    _cell("relation", FREE, "breaks", "the requests are parts of sessions",
          relation="parts_of_a_session"),
    _cell("relation", FREE, "open", "not settled whether requests stand alone"),
    _cell("relation", SEQUENCE, "unneeded", "there are no sessions", association="alone"),
    _cell("relation", SEQUENCE, "open", "the answers contradict each other", relation_open="yes"),
    _cell("relation", SEQUENCE, "meets", "the requests are parts of sessions",
          relation="parts_of_a_session"),
    _cell("relation", SEQUENCE, "open", "not settled whether there are sessions"),
    # order and instance: what the candidate keeps
    _cell("order_and_instance", SEQUENCE, "unneeded", "no order has to be kept",
          association="alone"),
    _cell("order_and_instance", "sequence-direct", "meets",
          "order, instance and slot are all kept"),
    _cell("order_and_instance", "sequence-oldest", "meets",
          "order and instance are kept; Triton hands the state over",
          strategy="implicit-state-suits-oldest"),
    _cell("order_and_instance", "sequence-oldest", "breaks",
          "the model finds its state by slot, which is not kept", place="slot"),
    _cell("order_and_instance", "sequence-oldest", "meets",
          "order and instance are kept; the slot does not matter",
          place=("correlation_id", "request")),
    _cell("order_and_instance", "sequence-oldest", "open",
          "order and instance are kept, the slot is not: not known whether it matters"),
    _cell("order_and_instance", FREE, "meets", "no order has to be kept", association="alone"),
    _cell("order_and_instance", FREE, "open", "not settled what has to be kept",
          relation_open="yes"),
    _cell("order_and_instance", FREE, "open", "not settled what has to be kept",
          state_open="yes"),
    _cell("order_and_instance", FREE, "open",
          "nothing is kept; whether that matters where all state travels is to be measured",
          measure="yes"),
    _cell("order_and_instance", FREE, "breaks", "neither order nor instance is kept"),
    # batching aim: can what would be merged be ready together?
    _cell("batching_aim", SEQUENCE, "unneeded", "it merges across sessions, and there are none",
          association="alone"),
    _cell("batching_aim", ("dynamic",), "breaks", "replies depend on the batch",
          batch_mates="yes", association="alone"),
    _cell("batching_aim", ("no-batching",), "meets", "nothing should share a batch",
          batch_mates="yes", association="alone"),
    _cell("batching_aim", ("no-batching",), "meets", "nothing could share a batch",
          ready_together="no"),
    _cell("batching_aim", ("sequence-direct", "sequence-oldest", "dynamic"), "breaks",
          "no two requests ever wait together", ready_together="no"),
    _cell("batching_aim", ("sequence-direct", "sequence-oldest", "dynamic"), "open",
          "whether requests of one shape wait together is not known", shapes="variable"),
    _cell("batching_aim", SEQUENCE, "open", "not known how many sessions are live",
          live="unknown"),
    _cell("batching_aim", ("sequence-direct", "sequence-oldest", "dynamic"), "meets",
          "requests wait together", ready_together="yes"),
    _cell("batching_aim", ("no-batching",), "breaks", "requests wait together and run one by one",
          ready_together="yes"),
    _cell("batching_aim", EVERY, "open", "not known whether requests wait together"),
    # waits for: is the wait bounded, and bearable here?
    _cell("waits_for", SEQUENCE, "unneeded", "it waits for predecessors that do not matter",
          association="alone"),
    _cell("waits_for", SEQUENCE, "breaks",
          "a session without END keeps its slot for the idle limit", end_marked="no"),
    _cell("waits_for", SEQUENCE, "open",
          "how many slots lost ENDs keep for the idle limit is to be measured",
          end_marked="sometimes"),
    _cell("waits_for", SEQUENCE, "open", "not known whether ENDs free the slots",
          end_marked="unknown"),
    _cell("waits_for", SEQUENCE, "open", "not known how many sessions are live",
          live="unknown"),
    _cell("waits_for", SEQUENCE, "open",
          "no queue policy refuses what would be late: the tail is to be measured",
          deadline="yes"),
    _cell("waits_for", SEQUENCE, "meets",
          "slots can be had for all live sessions, and END frees them"),
    _cell("waits_for", FREE, "breaks", "the deadline is over before an execution is",
          deadline_kept="no"),
    _cell("waits_for", FREE, "meets", "no request waits for another one of its session"),
    # risk: is the candidate's typical risk real here?
    _cell("risk", SEQUENCE, "unneeded", "only time is at stake", association="alone"),
    _cell("risk", "sequence-oldest", "meets", "Triton hands the state over",
          strategy="implicit-state-suits-oldest"),
    _cell("risk", "sequence-oldest", "breaks", "the model would read another session's state",
          place="slot"),
    _cell("risk", "sequence-oldest", "meets", "the model does not go by position",
          place=("correlation_id", "request")),
    _cell("risk", "sequence-oldest", "open", "not known whether the model goes by position"),
    _cell("risk", "sequence-direct", "open",
          "whether the model leaves padding alone shows only in a test; live sessions must not "
          "exceed instances x max_batch_size"),
    _cell("risk", "dynamic", "breaks", "replies depend on the batch",
          association="alone", batch_mates="yes"),
    _cell("risk", "dynamic", "meets", "nothing is remembered, and rows do not meet",
          association="alone", batch_mates="no"),
    _cell("risk", "dynamic", "open", "nothing is remembered; whether rows meet is to be measured",
          association="alone"),
    _cell("risk", "no-batching", "meets", "nothing is remembered; only throughput is at stake",
          association="alone"),
    _cell("risk", FREE, "open", "not settled whether anything is remembered",
          relation_open="yes"),
    _cell("risk", FREE, "open", "not settled whether anything is remembered", state_open="yes"),
    _cell("risk", FREE, "open", "where all state travels, only measuring can tell",
          measure="yes"),
    _cell("risk", FREE, "breaks",
          "with one instance it may look right; with two, sessions meet"),
    # preferred
    _cell("preferred", "sequence-direct", "meets", "proposed", proposed="sequence-direct"),
    _cell("preferred", "sequence-oldest", "meets", "proposed", proposed="sequence-oldest"),
    _cell("preferred", "dynamic", "meets", "proposed", proposed="dynamic"),
    _cell("preferred", "no-batching", "meets", "proposed", proposed="no-batching"),
    _cell("preferred", "no-batching", "baseline",
          "measured beside the others, to show what batching brings"),
    _cell("preferred", SEQUENCE, "unneeded",
          "keeps the answers right, and pays for an order that nobody needs",
          association="alone"),
    _cell("preferred", "sequence-oldest", "breaks",
          "does not keep the answers right, by what is said of this class", place="slot"),
    _cell("preferred", "sequence-oldest", "open",
          "too little is known to say that it keeps the answers right"),
    _cell("preferred", "sequence-direct", "open",
          "keeps the answers right too, with padding and slots tied to the batch"),
    _cell("preferred", "dynamic", "breaks",
          "does not keep the answers right: replies depend on the batch", association="alone"),
    _cell("preferred", "dynamic", "open", "to be reconsidered by measuring alone",
          measure="yes"),
    _cell("preferred", "dynamic", "breaks",
          "does not keep the answers right: the model declares that it keeps state",
          model_stateful="yes"),
    _cell("preferred", "dynamic", "open",
          "the answers contradict each other: whether it keeps them right is not settled",
          relation_open="yes"),
    _cell("preferred", "dynamic", "open",
          "what is said of the state contradicts itself: whether it keeps the answers right is "
          "not settled", state_open="yes"),
    _cell("preferred", "dynamic", "breaks",
          "does not keep the answers right, by what is said of this class",
          association="sessions"),
    _cell("preferred", "dynamic", "open",
          "too little is known to say that it keeps the answers right"),
)  # fmt: skip
"""In the order in which they are asked, by aspect and candidate."""


def here_of(aspect: Aspect, candidate: CandidateName, facts: Mapping[str, str]) -> tuple[Here, str]:
    """What holds of a candidate in an aspect, with the reason.

    Raises:
        LookupError: if no rule does; the last rule of each aspect holds always.
    """
    for rule in CELL_RULES:
        if rule.aspect == aspect and candidate in rule.candidates and rule.holds(facts):
            return rule.here, rule.because
    raise LookupError(f"no rule fills in {aspect} of {candidate}")
