"""The sentences in which domain findings speak: counts, units and sessions in the user's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from backend.contracts.findings import DomainSession
from backend.sessions.decisions import Stretches
from backend.templates.template import Decision

_TITLES_NAMED: Final = 3
_SMALL: Final = {1: "once", 2: "twice"}


def session_title(decision: Decision, session: int) -> str:
    """What people call a session of the plan; they count from 1."""
    return f"{decision.session} {session + 1}"


def session_sentence(
    decision: Decision,
    title: str,
    replies: int,
    changes: Sequence[tuple[str, str]],
    stretches: Sequence[Stretches],
) -> str:
    """What happened to one session.

    Args:
        decision: The template's words.
        title: The session's.
        replies: Replies compared.
        changes: Reference and changed decision of each flipped reply.
        stretches: Its stretches, one element per round.
    """
    parts = [f"{title}: {_changed(decision, len(changes), replies)}{_usual(decision, changes)}"]
    stretch = _stretch(decision)
    total = _sum(stretches)
    if total.missed:
        parts.append(f"missed a whole {stretch} {_times(total.missed)}")
    if total.lost_start:
        parts.append(f"lost the start of a {stretch} {_times(total.lost_start)}")
    if total.heard:
        parts.append(f"{_false_alarm(decision)} {_times(total.heard)}")
    return "; ".join(parts) + "."


def cell_sentence(
    decision: Decision,
    *,
    rounds: int,
    sessions: Sequence[DomainSession],
    stretches_of: Mapping[int, Sequence[Stretches]],
    changes: Sequence[tuple[str, str]],
    broken: int,
) -> str:
    """What happened in one cell.

    Args:
        decision: The template's words.
        rounds: How many rounds are counted together.
        sessions: What happened to each session.
        stretches_of: Per session its stretches, one element per round.
        changes: Reference and changed decision of each flipped reply.
        broken: Replies with another shape than the reference, or with values that are no numbers.
    """
    replies = sum(session.replies for session in sessions)
    differing = sum(session.differing for session in sessions)
    if not replies:
        return "No reply could be compared with its reference."
    begin = f"In {rounds} rounds, " if rounds > 1 else ""
    parts = [
        begin + _changed(decision, len(changes), replies, not begin) + _usual(decision, changes)
    ]
    stretch = _stretch(decision)
    titles = {session.session: session.title for session in sessions}
    totals = {number: _sum(items) for number, items in stretches_of.items()}
    for attribute, what in (
        ("missed", f"missed a whole {stretch}"),
        ("lost_start", f"lost the start of a {stretch}"),
        ("heard", _false_alarm(decision)),
    ):
        hit = [titles[n] for n, total in totals.items() if getattr(total, attribute)]
        if hit:
            parts.append(f"{_who(decision, hit)} {what}")
    if not changes and differing:
        largest = max(session.largest_difference for session in sessions)
        verb = "differs" if differing == 1 else "differ"
        parts.append(
            f"{differing:,} {plural('reply', differing)} {verb} "
            f"by more than the tolerance, at most by {largest:.3g}"
        )
    if broken:
        parts.append(f"{broken:,} {plural('reply', broken)} had another shape or held no numbers")
    return "; ".join(parts) + "."


def plural(noun: str, count: int) -> str:
    """The noun for that count, by the regular English rules."""
    if count == 1:
        return noun
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _changed(decision: Decision, flipped: int, replies: int, begins: bool = False) -> str:
    none = "None" if begins else "none"
    count = f"{flipped:,}" if flipped else none
    units = f"{count} of {replies:,} {plural(decision.unit, replies)}"
    if decision.threshold is None:
        return f"{units} got another label"
    one, other = decision.positive or "positive", decision.negative or "negative"
    return f"{units} changed between {one} and {other}"


def _usual(decision: Decision, changes: Sequence[tuple[str, str]]) -> str:
    """A classifier's most frequent change."""
    if decision.threshold is not None or not changes:
        return ""
    (before, after), count = Counter(changes).most_common(1)[0]
    if len(changes) == 1:
        return f" ({after} instead of {before})"
    return f" (most often {after} instead of {before}: {count:,})"


def _who(decision: Decision, titles: Sequence[str]) -> str:
    if len(titles) > _TITLES_NAMED:
        return f"{len(titles)} {plural(decision.session, len(titles))}"
    if len(titles) == 1:
        return titles[0]
    numbers = [title.removeprefix(f"{decision.session} ") for title in titles]
    return f"{plural(decision.session, 2)} {', '.join(numbers[:-1])} and {numbers[-1]}"


def _false_alarm(decision: Decision) -> str:
    return f"had {decision.positive or 'positive'} reported in {decision.negative or 'negative'}"


def _stretch(decision: Decision) -> str:
    return decision.stretch or f"stretch of {decision.positive or 'positive'}"


def _times(count: int) -> str:
    return _SMALL.get(count, f"{count} times")


def _sum(items: Sequence[Stretches]) -> Stretches:
    return Stretches(
        missed=sum(item.missed for item in items),
        lost_start=sum(item.lost_start for item in items),
        heard=sum(item.heard for item in items),
    )
