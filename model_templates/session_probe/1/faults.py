"""Faults that models of real services have, each switched on by the parameter ``fault``.

Every one loads, answers each request and looks healthy: only whose state an answer was computed
from is wrong. Which check can see which fault is foretold in the console's detection catalogue.
"""

from __future__ import annotations

import random
import time

from memory import FRESH, Memory

COLLIDING_IDS = 8
SESSIONS_UNTIL_DRIFT = 20
STEPS_UNTIL_RESET = 8
RACE_CHANCE = 1 / 200
ENTRIES_KEPT = 4
IDLE_NS = 50_000_000
STALE_EVERY = 7
LARGE_BATCH = 3


class StartKeepsState(Memory):
    """START is not heeded: a session begins where the place's last one stopped."""

    def before(self, row):
        return self.find(row)


class ResetEveryRequest(Memory):
    """Every request begins afresh."""

    def before(self, row):
        return FRESH


class EndIgnored(Memory):
    """The last request of a session is answered without being worked on."""

    def advance(self, row, before):
        return before if row.end else super().advance(row, before)


class ResetAtEndOnly(Memory):
    """A state is cleared at END and not at START: whoever ends without END leaves it behind."""

    def before(self, row):
        return self.find(row)

    def keep(self, row, after):
        super().keep(row, FRESH if row.end and self.by_slot else after)


class IdsCollide(Memory):
    """The table has eight places: IDs that agree in their last three bits share one."""

    def execute(self, rows):
        for row in rows:
            row.key = (hash(row.key) % COLLIDING_IDS + 1) if row.key else row.key
        return super().execute(rows)


class IdsCut(Memory):
    """IDs are kept in 32 bits."""

    def execute(self, rows):
        for row in rows:
            if isinstance(row.key, int):
                row.key &= 0xFFFFFFFF
        return super().execute(rows)


class OffByOneStep(Memory):
    """A request is answered with its session's answer to the request before."""

    def __init__(self, by_slot, slots):
        super().__init__(by_slot, slots)
        self.last = {}

    def step(self, row):
        place = row.position if self.by_slot else row.key
        late = (FRESH, FRESH) if row.start else self.last.get(place, (FRESH, FRESH))
        self.last[place] = super().step(row)
        return late


class RepliesSwapped(Memory):
    """Each request of a batch gets the answer of the one before it in the batch."""

    def execute(self, rows):
        found = super().execute(rows)
        return found[-1:] + found[:-1]


class PaddingAsData(Memory):
    """READY is not heeded: rows that are no request move their slot's state on."""

    takes_padding = True


class LastRowWins(Memory):
    """All sessions of a batch are left with the state of its last row."""

    def execute(self, rows):
        found = super().execute(rows)
        for row in rows[:-1]:
            if not row.end:
                self.keep(row, found[-1][1])
        return found


class OneStateForAll(Memory):
    """The instance has one state, whoever sends."""

    def __init__(self, by_slot, slots):
        super().__init__(by_slot, slots)
        self.only = FRESH

    def find(self, row):
        return self.only

    def keep(self, row, after):
        self.only = after


class NeighboursInput(Memory):
    """Each row of a batch is computed from the input of the row before it."""

    def execute(self, rows):
        chunks = [row.chunk for row in rows]
        for row, chunk in zip(rows, chunks[-1:] + chunks[:-1], strict=True):
            row.chunk = chunk
        return super().execute(rows)


class StaleReply(Memory):
    """Every seventh execution is answered from what the one before it answered."""

    def __init__(self, by_slot, slots):
        super().__init__(by_slot, slots)
        self.executions = 0
        self.cached = []

    def execute(self, rows):
        found = super().execute(rows)
        self.executions += 1
        stale = self.executions % STALE_EVERY == 0 and self.cached
        answered = found
        if stale:
            answered = [self.cached[at % len(self.cached)] for at in range(len(found))]
        self.cached = found or self.cached
        return answered


class Drift(Memory):
    """After twenty sessions on an instance every state is off by one bit."""

    def __init__(self, by_slot, slots):
        super().__init__(by_slot, slots)
        self.sessions = 0

    def advance(self, row, before):
        self.sessions += row.start
        after = super().advance(row, before)
        if self.sessions > SESSIONS_UNTIL_DRIFT:
            after = bytes([after[0] ^ 1]) + after[1:]
        return after


class Race(Memory):
    """One request in 200 is computed from the state that was written last, whoever wrote it."""

    def __init__(self, by_slot, slots):
        super().__init__(by_slot, slots)
        self.written = {}
        self.chance = random.Random(time.monotonic_ns())

    def before(self, row):
        place = row.position if self.by_slot else row.key
        others = [state for where, state in self.written.items() if where != place]
        if others and self.chance.random() < RACE_CHANCE:
            return others[-1]
        return super().before(row)

    def keep(self, row, after):
        super().keep(row, after)
        place = row.position if self.by_slot else row.key
        self.written.pop(place, None)
        if not row.end:
            self.written[place] = after


class Evicts(Memory):
    """The table holds four sessions; the one that was longest silent is forgotten for a fifth."""

    def keep(self, row, after):
        self.table.pop(row.key, None)
        super().keep(row, after)
        while len(self.table) > ENTRIES_KEPT:
            self.table.pop(next(iter(self.table)))


class FreshBeyondFirst(Memory):
    """Only the first row of a batch finds its state; the others begin afresh."""

    def execute(self, rows):
        first = rows[0] if rows else None
        self.first = first
        return super().execute(rows)

    def before(self, row):
        return super().before(row) if row is self.first else FRESH


class ResetsLongSessions(Memory):
    """A session's ninth request begins afresh."""

    def __init__(self, by_slot, slots):
        super().__init__(by_slot, slots)
        self.steps = {}

    def before(self, row):
        place = row.position if self.by_slot else row.key
        self.steps[place] = 1 if row.start else self.steps.get(place, 0) + 1
        return FRESH if self.steps[place] == STEPS_UNTIL_RESET + 1 else super().before(row)


class ForgetsWhenIdle(Memory):
    """A session that is silent for 50 ms is forgotten."""

    def __init__(self, by_slot, slots):
        super().__init__(by_slot, slots)
        self.seen_ns = {}

    def before(self, row):
        place = row.position if self.by_slot else row.key
        now_ns = time.monotonic_ns()
        silent_ns = now_ns - self.seen_ns.get(place, now_ns)
        self.seen_ns[place] = now_ns
        return FRESH if silent_ns > IDLE_NS else super().before(row)


class TwiceInLargeBatches(Memory):
    """In batches of three and more every state is moved on twice."""

    def execute(self, rows):
        self.large = len(rows) >= LARGE_BATCH
        return super().execute(rows)

    def advance(self, row, before):
        after = super().advance(row, before)
        return super().advance(row, after) if self.large else after


class StartInheritsLastEnd(Memory):
    """A session begins with the state in which the instance's last one ended."""

    def __init__(self, by_slot, slots):
        super().__init__(by_slot, slots)
        self.left = FRESH

    def before(self, row):
        return self.left if row.start else self.find(row)

    def keep(self, row, after):
        super().keep(row, after)
        if row.end:
            self.left = after


FAULTS = {
    "none": Memory,
    "start_keeps_state": StartKeepsState,
    "reset_every_request": ResetEveryRequest,
    "end_ignored": EndIgnored,
    "reset_at_end_only": ResetAtEndOnly,
    "ids_collide": IdsCollide,
    "ids_cut_to_32_bits": IdsCut,
    "off_by_one_step": OffByOneStep,
    "replies_swapped": RepliesSwapped,
    "padding_as_data": PaddingAsData,
    "last_row_wins": LastRowWins,
    "one_state_for_all": OneStateForAll,
    "neighbours_input": NeighboursInput,
    "stale_reply": StaleReply,
    "drift": Drift,
    "race": Race,
    "evicts": Evicts,
    "fresh_beyond_first": FreshBeyondFirst,
    "resets_long_sessions": ResetsLongSessions,
    "forgets_when_idle": ForgetsWhenIdle,
    "twice_in_large_batches": TwiceInLargeBatches,
    "start_inherits_last_end": StartInheritsLastEnd,
}
