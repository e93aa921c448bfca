"""Whose context a reply was computed from, followed through the states that were observed.

Every state of the probe is the hash of everything that led to it, so a state that a reply was
computed from names its writer: the request whose reply left that state behind. States are looked
up among those observed in the trial, then among those expected; what is in neither is *unknown*.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from backend.contracts.findings import ContextOf, Relation

FRESH_STATE: Final = bytes(16)
"""The state of a session that has seen nothing."""


def next_state(state: bytes, chunk: bytes) -> bytes:
    """What one request makes of a state: ``blake2b(state || chunk)``, 16 bytes."""
    return blake2b(state + chunk, digest_size=len(FRESH_STATE)).digest()


def states_left_by(chunk: bytes, requests: int) -> frozenset[bytes]:
    """All states that up to so many requests with this one input can leave, in any instance.

    Warm-up requests are alike, so whatever slots they fall into, what they leave is the input's
    chain from a fresh state, not longer than there were requests.
    """
    left = []
    state = FRESH_STATE
    for _ in range(requests):
        state = next_state(state, chunk)
        left.append(state)
    return frozenset(left)


@dataclass(frozen=True)
class Step:
    """One planned request with what was expected and what was observed.

    Attributes:
        session: Its session.
        step: Its position there.
        before: State that the reply says it was computed from; null without a reply.
        after: State that the reply says it left; null without a reply.
        computed: What its input makes of ``before``; null without a reply.
        expected: The session's own state after this step.
        equal: Whether the reply is the session's own; null where it was not judged.
    """

    session: int
    step: int
    before: bytes | None
    after: bytes | None
    computed: bytes | None
    expected: bytes | None
    equal: bool | None


@dataclass(frozen=True)
class Explanation:
    """Where a wrong reply's context came from."""

    relation: Relation
    context_of: ContextOf | None = None


_UNKNOWN: Final = Explanation("unknown")


def explain(
    steps: Sequence[Step], outside: Collection[bytes] = frozenset()
) -> list[Explanation | None]:
    """Explain every wrong reply; null for all others.

    In this order, for a reply computed from state *s*:

    - it left something else than its input makes of *s*: it is another request's answer if that is
      what such a request was to leave (``other_session``, or ``own_stale``), else unknown (the
      model erred);
    - *s* is fresh: ``reset``;
    - *s* was left by a request of another session: ``other_session``;
    - *s* was left by an own request whose context was, directly or further back, another
      session's: ``other_session``, naming the request whose state came in;
    - *s* was left by the own previous step, which was wrong itself: that step's explanation;
    - *s* was left by any other own step: ``own_stale``;
    - *s* was left from outside the trial's plan (warm-up): ``other_session``, no step to name;
    - else unknown.

    Args:
        steps: Every planned request.
        outside: States left by requests that belong to no session of the plan.
    """
    return _Explainer(steps, outside).all()


class _Explainer:
    def __init__(self, steps: Sequence[Step], outside: Collection[bytes]) -> None:
        self._steps = steps
        self._outside = frozenset(outside)
        self._observed: dict[bytes, list[int]] = {}
        self._expected: dict[bytes, list[int]] = {}
        for index, item in enumerate(steps):
            if item.after is not None:
                self._observed.setdefault(item.after, []).append(index)
            if item.expected is not None:
                self._expected.setdefault(item.expected, []).append(index)
        self._known: list[Explanation | None] = [None] * len(steps)

    def all(self) -> list[Explanation | None]:
        for index, item in enumerate(self._steps):
            if item.equal is False:
                self._resolve(index)
        return self._known

    def _resolve(self, index: int) -> None:
        # back along the session's own wrong replies to one that needs no other, then forward
        path = [index]
        seen = {index}
        while (earlier := self._needs(path[-1])) is not None and earlier not in seen:
            path.append(earlier)
            seen.add(earlier)
        for each in reversed(path):
            if self._known[each] is None:
                self._known[each] = self._explanation(each)

    def _needs(self, index: int) -> int | None:
        """The own wrong reply whose explanation this one's builds on."""
        writer = self._writer(index, self._observed)
        if writer is None or self._steps[writer].session != self._steps[index].session:
            return None
        open_yet = self._steps[writer].equal is False and self._known[writer] is None
        return writer if open_yet else None

    def _explanation(self, index: int) -> Explanation:
        item = self._steps[index]
        if item.before is None:
            return _UNKNOWN
        if item.after != item.computed:
            return self._answer_of_another(item)
        if item.before == FRESH_STATE:
            return Explanation("reset") if item.step > 0 else _UNKNOWN
        writer = self._writer(index, self._observed)
        if writer is not None:
            return self._from_observed(item, writer)
        if item.before in self._outside:
            return Explanation("other_session")
        writer = self._writer(index, self._expected)
        if writer is None:
            return _UNKNOWN
        return self._from(item, writer, self._expected)

    def _answer_of_another(self, item: Step) -> Explanation:
        """Whose right answer a reply is that was not computed from its own request's input."""
        found = [self._steps[each] for each in self._expected.get(item.after or b"", ())]
        own = [step for step in found if step.session == item.session]
        if own:
            return Explanation("own_stale", _named(own[0]))
        if found:
            return Explanation("other_session", _named(found[0]) if len(found) == 1 else None)
        return _UNKNOWN

    def _from_observed(self, item: Step, writer: int) -> Explanation:
        source = self._steps[writer]
        inherited = self._known[writer] if source.session == item.session else None
        if inherited is not None:
            follows = source.step == item.step - 1
            if follows or inherited.relation == "other_session":
                return inherited
        return self._from(item, writer, self._observed)

    def _from(self, item: Step, writer: int, states: dict[bytes, list[int]]) -> Explanation:
        source = self._steps[writer]
        if source.session != item.session:
            # short inputs can lead two sessions to one state: then nobody can say whose it was
            alone = len(states[item.before or b""]) == 1
            return Explanation("other_session", _named(source) if alone else None)
        if source.step == item.step - 1:
            return _UNKNOWN  # the right context, and yet another reply
        return Explanation("own_stale", _named(source))

    def _writer(self, index: int, states: dict[bytes, list[int]]) -> int | None:
        """Who left the state that this reply was computed from; an own step before others'."""
        item = self._steps[index]
        if item.before is None or item.before == FRESH_STATE:
            return None
        found = states.get(item.before, ())
        if len(found) == 1:
            return found[0]
        own = [each for each in found if self._steps[each].session == item.session]
        previous = [each for each in own if self._steps[each].step == item.step - 1]
        return next(iter(previous or own or found), None)


def _named(item: Step) -> ContextOf:
    return ContextOf(session=item.session, step=item.step)
