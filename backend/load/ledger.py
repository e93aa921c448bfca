"""The sending loop's own record: one entry per planned row, allocated before the clock starts."""

from __future__ import annotations

import numpy as np

from backend.load.sent import NEVER


class Ledger:
    """What is known of each row while a plan is being sent; times are absolute monotonic ns."""

    def __init__(self, rows: int) -> None:
        self.scheduled_ns = np.full(rows, NEVER, dtype=np.int64)
        self.sent_ns = np.full(rows, NEVER, dtype=np.int64)
        self.received_ns = np.full(rows, NEVER, dtype=np.int64)
        self.outcomes = ["not_sent"] * rows
        self.errors: list[str | None] = [None] * rows
        self.replies: list[bytes | None] = [None] * rows
        self.sent = 0
        self.answered = 0
        self.failed = 0
        self.unanswered_in_a_row = 0
        self._ended_by: dict[int, int] = {}

    def fail(self, row: int, outcome: str, why: str | None) -> None:
        """A row that went out came to nothing; null: the reply says why."""
        self.outcomes[row] = outcome
        self.errors[row] = why
        self.failed += 1

    def leave_out(self, rows: range, *, failed: int) -> None:
        """Rows that will not be sent as an earlier one of their session failed."""
        for row in rows:
            self._ended_by[row] = failed

    def explain_left_out(self, steps: tuple[int, ...], halted: str) -> None:
        """Give every row that was not sent its reason, once all other texts are known."""
        for row, outcome in enumerate(self.outcomes):
            if outcome != "not_sent" or self.errors[row] is not None:
                continue
            failed = self._ended_by.get(row)
            if failed is None:
                self.errors[row] = f"not sent: {halted}"
            else:
                self.errors[row] = (
                    f"not sent: step {steps[failed]} of its session failed: {self.errors[failed]}"
                )
