"""Lock-step: a request goes only when the reply that its plan names has arrived.

This forces one order of replies and sends, which a closed loop otherwise leaves to the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping


class LockStep:
    """Who waits for whose reply, and the proof that waiting can end.

    If every lane that still works waits for a reply, none of these replies can come: the order
    asked for cannot happen (it needs more live sessions, or waits in a circle). Then all of them
    are told so, instead of waiting for ever.
    """

    def __init__(self, after: Mapping[int, int], lanes: int) -> None:
        self._after = after
        self._named = frozenset(after.values())
        self._working = lanes
        self._arrived_ns: dict[int, int | None] = {}
        self._waiting: dict[int, list[asyncio.Future[int | None]]] = {}

    def names(self, row: int) -> bool:
        """Whether some row waits for this one's reply."""
        return row in self._named

    async def reply_before(self, row: int) -> int | None:
        """When the reply that the row waits for arrived; null if it never will."""
        named = self._after[row]
        if named in self._arrived_ns:
            return self._arrived_ns[named]
        future: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(named, []).append(future)
        self._give_up_if_stuck()
        return await future

    def arrived(self, row: int, at_ns: int | None) -> None:
        """A reply has arrived, or (null) never will; the first word counts."""
        if row not in self._named or row in self._arrived_ns:
            return
        self._arrived_ns[row] = at_ns
        for future in self._waiting.pop(row, ()):
            if not future.done():
                future.set_result(at_ns)

    def lane_ended(self) -> None:
        """A lane has no session left."""
        self._working -= 1
        self._give_up_if_stuck()

    def _give_up_if_stuck(self) -> None:
        waiting = sum(len(futures) for futures in self._waiting.values())
        if waiting and waiting >= self._working:
            for row in tuple(self._waiting):
                self.arrived(row, None)
