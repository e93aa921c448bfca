"""Where the probe keeps the states of its sessions, and how one request moves a state on.

``state' = blake2b(state || chunk, digest_size=16)``, from 16 zero bytes. It runs inside Triton's
Python backend and imports nothing of the console.
"""

from __future__ import annotations

from hashlib import blake2b

STATE_BYTES = 16
FRESH = bytes(STATE_BYTES)


class Row:
    """One request of an execution: where it stands in the batch, whose it is, what it brings."""

    __slots__ = ("chunk", "end", "key", "position", "start")

    def __init__(self, position, key, start, end, chunk):
        self.position = position
        self.key = key
        self.start = start
        self.end = end
        self.chunk = chunk


class Memory:
    """The states of one instance, in one of the two places where real stateful models keep them.

    By correlation ID: an unknown ID and START begin afresh, END removes the entry, a request
    without an ID leaves nothing behind. By position in the batch: START begins afresh, and nothing
    is cleared at END.
    """

    takes_padding = False
    """Whether rows that are no request count as requests."""

    def __init__(self, by_slot, slots):
        self.by_slot = by_slot
        self.slots = [FRESH] * slots
        self.table = {}

    def execute(self, rows):
        """Move on the state of every row, in their order: state before and after, by row."""
        return [self.step(row) for row in rows]

    def step(self, row):
        """Move on the state of one row: before and after."""
        before = self.before(row)
        after = self.advance(row, before)
        self.keep(row, after)
        return before, after

    def before(self, row):
        """The state that a row is computed from."""
        return FRESH if row.start else self.find(row)

    def find(self, row):
        """What the row's place holds."""
        return self.slots[row.position] if self.by_slot else self.table.get(row.key, FRESH)

    def advance(self, row, before):
        """The state that a row's input makes of another."""
        return blake2b(before + row.chunk, digest_size=STATE_BYTES).digest()

    def keep(self, row, after):
        """Leave a state at the row's place, or nothing."""
        if self.by_slot:
            # a slot is not cleared at END: models with state by slot rely on the next START
            self.slots[row.position] = after
        elif row.end:
            self.table.pop(row.key, None)
        elif row.key:
            self.table[row.key] = after

    def refused(self, row):
        """A request that was refused for its shape makes no new state; its END counts."""
        if row.end:
            self.table.pop(row.key, None)
