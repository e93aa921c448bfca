"""Answers that exclude each other where it matters: the class is treated as stateful (M03).

Which answers do is decided once, in ``workload.contradictions``; here stands what follows. Two more
come from the model's own declaration.
"""

from __future__ import annotations

from typing import Final, Literal

from backend.advice.rule import GUIDE_IMPLICIT, GUIDE_STATEFUL, OWN_CAUTION, Condition, Rule, when
from backend.workload.contradiction import KEPT_STATE

_ONE_IS_WRONG: Final = "One of the answers is wrong, and it may be the one that matters."
CONTRADICTION: Final = "contradiction:"
"""Begins the name of the fact that a contradiction, named by its id, is there."""


def _rule(
    rule_id: str,
    says: str,
    source: str = OWN_CAUTION,
    unsettles: Literal["", "relation", "state"] = "",
    **facts: str | tuple[str, ...],
) -> Rule:
    """What follows from a contradiction of the same id; from facts of the model where given."""
    conditions = when(**facts) or (Condition(fact=f"{CONTRADICTION}{rule_id}", values=("yes",)),)
    return Rule(
        id=rule_id,
        when=conditions,
        conclusion="treat as stateful",
        doubt=True,
        says=says,
        why=_ONE_IS_WRONG,
        source=source,
        unsettles=unsettles,
    )


CONTRADICTION_RULES: Final = (
    _rule(
        "independent-but-ordered",
        "Requests are said to stand alone, yet their order is said to matter: treated as stateful.",
        unsettles="relation",
    ),
    _rule(
        "independent-but-state",
        "Requests are said to stand alone, yet a kind of state is named: treated as stateful.",
        unsettles="relation",
    ),
    _rule(
        "independent-but-placed",
        "Requests are said to stand alone, yet the model looks up a session's state: treated as "
        "stateful.",
        unsettles="relation",
    ),
    _rule(
        "independent-but-marked",
        "Requests are said to stand alone, yet some are marked as a session's first or last: "
        "treated as stateful.",
        unsettles="relation",
    ),
    _rule(
        "independent-but-declared-stateful",
        "Requests are said to stand alone, yet the model declares that it keeps state.",
        GUIDE_STATEFUL,
        unsettles="relation",
        relation="independent",
        model_stateful="yes",
    ),
    _rule(
        "session-but-declared-stateless",
        "State is said to be kept, yet the model declares that it keeps none.",
        GUIDE_STATEFUL,
        state_kind=KEPT_STATE,
        model_stateful="no",
    ),
    _rule(
        "session-without-state",
        "Requests are said to be parts of a session, yet nothing ties them: neither order nor "
        "state.",
        unsettles="relation",
    ),
    _rule("state-without-place", "Something is said to be remembered, yet nowhere."),
    _rule(
        "place-without-state",
        "Nothing is said to be remembered, yet a place is named where it is found.",
        unsettles="state",
    ),
    _rule(
        "carried-but-kept-by-server",
        "All state is said to travel in each request, yet the model looks it up on the serving "
        "side: dynamic is not reconsidered.",
        unsettles="state",
    ),
    _rule(
        "kept-but-carried",
        "The serving side is said to keep the state, yet it is said to come with the request.",
        unsettles="state",
    ),
    _rule(
        "implicit-but-keyed",
        "Triton is said to carry the state with the sequence's slot, yet the model is said to look "
        "it up by correlation ID.",
        GUIDE_IMPLICIT,
    ),
    _rule(
        "unordered-but-recurrent",
        "The order is said not to matter, yet each answer is said to continue the last state.",
    ),
    _rule(
        "contradiction",
        "Some answers exclude each other: treated as stateful until that is settled.",
        contradictory="yes",
    ),
)
