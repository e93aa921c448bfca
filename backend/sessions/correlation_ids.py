"""Correlation IDs: which classes send them, and how they are made."""

from __future__ import annotations

import hashlib
import json
from typing import Literal

from backend.contracts.errors import InputError
from backend.workload.answers import Answers

_UINT63 = 2**63 - 1
_NAME_LENGTH = 64  # Triton 24.10 refuses string IDs longer than 128 characters


def sends_sequences(answers: Answers) -> bool:
    """Whether requests of the class carry a correlation ID and START and END flags.

    Only requests that are said to be independent *and* to need no state go without: an unknown or
    contradictory answer counts as stateful (M03).
    """
    independent = (
        answers.relation == "independent"
        and answers.state_kind == "none"
        and answers.state_place in ("none", "unknown")
    )
    return not independent


def id_type(class_name: str, answers: Answers) -> Literal["uint64", "string"] | None:
    """The type of the class's correlation IDs; null where it sends none.

    Raises:
        InputError: if a stateful class is said to have no correlation ID.
    """
    if not sends_sequences(answers):
        return None
    if answers.correlation_id.type == "none":
        raise InputError(
            f"Class '{class_name}' is treated as stateful, but its requests carry no correlation "
            "ID.",
            why="No scheduler can tell sessions apart without one, and Triton's sequence batcher "
            "refuses such requests.",
            next_step="Set correlation_id.type to uint64 or string; or, if requests need nothing "
            "of each other, set relation to independent and state_kind to none.",
            key="correlation_id.type",
        )
    return "string" if answers.correlation_id.type == "string" else "uint64"


def make_ids(
    seed: int, class_name: str, cell: str, sessions: int, kind: Literal["uint64", "string"]
) -> list[str]:
    """One ID per session, as text; no two sessions of a run's plans share one.

    Every candidate and round sends the same plan, each to a freshly loaded model: an ID is never
    used twice on one load of a model.

    They are hashes of seed, class, cell and session (the cell with its instances: an ID never
    appears in two cells). ``uint64``: 63 bits, never zero, because zero means *no ID* to Triton.
    """
    ids: list[str] = []
    taken: set[int] = set()
    for session in range(sessions):
        attempt = 0
        while (number := _number(seed, class_name, cell, session, attempt)) in taken or not number:
            attempt += 1
        taken.add(number)
        ids.append(
            str(number) if kind == "uint64" else f"{class_name[:_NAME_LENGTH]}-{number:016x}"
        )
    return ids


def _number(*names: int | str) -> int:
    digest = hashlib.blake2b(json.dumps(names).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") & _UINT63
