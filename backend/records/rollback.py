"""Where to return to: the smallest configuration that this very run verified (M38).

Only what was verified can be returned to. A class with sessions returns to a sequence batcher;
"no batching" is no way back for it, for it keeps a session's state only by luck of one instance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.records.record import Choice, ClassContext, Option, Rollback

SEQUENCE: Final = ("sequence-direct", "sequence-oldest")
WAYS_BACK: Final = {
    True: ("no-batching", "dynamic", *SEQUENCE),
    False: SEQUENCE,
}
"""Candidates to return to, the most conservative first, by whether requests are independent."""


def rollback(choice: Choice, context: ClassContext, options: Sequence[Option]) -> Rollback:
    """The configuration that one class returns to, with the steps to take.

    First the chosen candidate with fewer instances, the fewest first; then another candidate of
    the same kind with at most as many instances; then the chosen configuration itself, for a
    service that has moved on from it since.

    Args:
        choice: What was chosen for the class.
        context: The class.
        options: All that the run tried, of all classes.
    """
    kinds = WAYS_BACK[context.independent]
    verified = [
        option
        for option in options
        if option.class_name == choice.class_name
        and option.verified
        and option.candidate in kinds
        and option.config_text
    ]
    smaller = [
        option
        for option in verified
        if option.candidate == choice.candidate and option.instances < choice.instances
    ]
    others = [
        option
        for option in verified
        if option.candidate != choice.candidate and option.instances <= choice.instances
    ]
    larger = [option for option in verified if option.candidate != choice.candidate]
    itself = [
        option
        for option in verified
        if (option.candidate, option.instances) == (choice.candidate, choice.instances)
    ]
    found = (
        min(smaller, key=lambda o: o.instances)
        if smaller
        else min(others, key=lambda o: (kinds.index(o.candidate), o.instances))
        if others
        else itself[0]
        if itself
        else min(larger, key=lambda o: (o.instances, kinds.index(o.candidate)))
        if larger
        else None
    )
    if found is None:
        return Rollback(
            class_name=choice.class_name,
            candidate=None,
            instances=None,
            config_text="",
            config_sha256="",
            why="This run verified no configuration that the class could return to.",
            steps=_steps(context, None),
        )
    return Rollback(
        class_name=choice.class_name,
        candidate=found.candidate,
        instances=found.instances,
        config_text=found.config_text,
        config_sha256=found.config_sha256,
        why=_why(found, choice),
        steps=_steps(context, found),
    )


def _why(found: Option, choice: Choice) -> str:
    tried = f"{found.candidate} with instances={found.instances}"
    if (found.candidate, found.instances) == (choice.candidate, choice.instances):
        return (
            f"{tried} is the chosen configuration itself: the smallest one that the run verified. "
            "Return to it from anything larger."
        )
    if found.candidate == choice.candidate:
        return f"{tried} is the chosen scheduler with fewer instances, verified in the same run."
    return f"{tried} is the most conservative other configuration that the same run verified."


def _steps(context: ClassContext, found: Option | None) -> tuple[str, ...]:
    noun = "requests" if context.independent else "sessions"
    steps = [
        f"Stop raising concurrency and stop admitting new {noun} of this class.",
    ]
    if not context.independent:
        steps.append(
            "Isolate the correlation IDs concerned: end their sequences, and refuse these IDs "
            "until their clients have started new ones."
        )
    if found is None:
        steps.append("Take the class out of service until a configuration has been verified.")
    else:
        steps.append(
            "Put the configuration below in the model's folder as config.pbtxt and load the model "
            "again; sessions that are live then are lost and must start anew."
            if not context.independent
            else "Put the configuration below in the model's folder as config.pbtxt and load the "
            "model again."
        )
        steps.append(
            "Admit traffic again, at no more concurrency than the record says was tried, and run "
            "the study again before raising it."
        )
    return tuple(steps)
