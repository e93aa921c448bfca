"""Settings of the sequence batcher that load and then do something else than they seem to say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from backend.modelconfig.durations import milliseconds
from backend.modelconfig.lint.refused_scheduling import oldest, sequence
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.rule import Context, Hit, LintRule

_SEQ: Final = "Triton core, src/sequence_batch_scheduler/sequence_batch_scheduler.cc"
DIRECT: Final = f"{_SEQ}, DirectSequenceBatch::BatcherThread"
OLDEST: Final = f"{_SEQ}, OldestSequenceBatch"
REAPER: Final = f"{_SEQ}, SequenceBatchScheduler::ReaperThread"
SECOND: Final = 1_000_000
MANY_CANDIDATES: Final = 128


def is_direct(context: Context) -> bool:
    """Whether the strategy is direct, also where the file names none."""
    section = sequence(context)
    return section is not None and not section.HasField("oldest")


def _direct_wait(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    if section is None or not is_direct(context):
        return
    delay, share = (
        section.direct.max_queue_delay_microseconds,
        section.direct.minimum_slot_utilization,
    )
    base = "sequence_batching.direct"
    if delay and not share:
        yield Hit(
            f"{base}.max_queue_delay_microseconds",
            f"A delay of {milliseconds(delay)} is set, but minimum_slot_utilization is 0.",
            "Direct waits only if both are above 0: the delay has no effect.",
            "Set minimum_slot_utilization too, or leave the delay out.",
        )
    elif share and not delay:
        yield Hit(
            f"{base}.minimum_slot_utilization",
            f"minimum_slot_utilization is {share:g}, but there is no delay.",
            "Direct waits only if both are above 0: the share has no effect.",
            "Set max_queue_delay_microseconds too, or leave the share out.",
        )


def _idle_default(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    if section is not None and not section.max_sequence_idle_microseconds:
        yield Hit(
            "sequence_batching",
            "max_sequence_idle_microseconds is not set.",
            "After 1 second without a request Triton forgets a session and refuses its next "
            "request. The time counts from the arrival of the last request, so that queue and "
            "execution use it up as well.",
            "Set it above the longest pause of a client plus queue and execution time.",
        )


def _idle_short(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    if section is None:
        return
    idle = section.max_sequence_idle_microseconds
    if 0 < idle < SECOND:
        yield Hit(
            "sequence_batching.max_sequence_idle_microseconds",
            f"A session is forgotten after {milliseconds(idle)} without a request.",
            "The time counts from the arrival of the last request: a slow execution or a short "
            "pause ends the session, and its next request is refused.",
            "Set it above the longest pause of a client plus queue and execution time.",
        )


def _few_candidates(context: Context) -> Iterator[Hit]:
    section, most = oldest(context), context.config.max_batch_size
    if section is None or section.max_candidate_sequences <= 0 or most < 2:
        return
    count, delay = section.max_candidate_sequences, section.max_queue_delay_microseconds
    wanted = max(section.preferred_batch_size, default=most)
    least = min(section.preferred_batch_size, default=most)
    if count < wanted:
        full = "a full batch" if wanted == most else f"a batch of {wanted}"
        effect = f"At most one request of a sequence is under way, so that {full} never forms"
        if delay and count < least:
            # none of the sizes that would end the wait can be reached
            effect += f", and every batch waits the whole {milliseconds(delay)}"
        yield Hit(
            "sequence_batching.oldest.max_candidate_sequences",
            f"Each instance takes {count} sequences, fewer than {full} needs ({wanted}).",
            f"{effect}.",
            f"Set it to at least {wanted}.",
        )


def _oldest_wait(context: Context) -> Iterator[Hit]:
    section, most = oldest(context), context.config.max_batch_size
    if section is None or most > 1:
        return
    for field in ("max_queue_delay_microseconds", "preferred_batch_size"):
        if getattr(section, field):
            yield Hit(
                f"sequence_batching.oldest.{field}",
                f"{field} is set, and max_batch_size is {most}.",
                "Every request is executed alone, so that nothing waits for others: it has no "
                "effect.",
                "Set max_batch_size to what the model takes, or leave it out.",
            )


def _many_candidates(context: Context) -> Iterator[Hit]:
    section, most = oldest(context), max(1, context.config.max_batch_size)
    if section is None:
        return
    count = section.max_candidate_sequences
    if count >= MANY_CANDIDATES and count > 8 * most:
        yield Hit(
            "sequence_batching.oldest.max_candidate_sequences",
            f"Each instance takes {count} sequences at once; a batch holds {most}.",
            "The model keeps the state of all of them in each instance, and a session's next "
            "request waits behind those of all the others.",
            "Begin with the live sessions divided by the instances, and a quarter more; before "
            "raising it watch active sequences, memory and the queue time at p99.",
        )


def _negative_candidates(context: Context) -> Iterator[Hit]:
    section = oldest(context)
    if section is not None and section.max_candidate_sequences < 0:
        yield Hit(
            "sequence_batching.oldest.max_candidate_sequences",
            f"max_candidate_sequences is {section.max_candidate_sequences}.",
            "It loads and counts as not set: max_batch_size sequences (at least one) each.",
            "Write how many sequences each instance takes at once.",
        )


def _one_slot(context: Context) -> Iterator[Hit]:
    most = context.config.max_batch_size
    if is_direct(context) and most < 2:
        yield Hit(
            "sequence_batching.direct" if context.written("sequence_batching.direct")
            else "sequence_batching",
            f"Strategy direct with max_batch_size {most}.",
            "Each instance has one slot: it serves one session at a time, from START to END, and "
            "every other session waits.",
            "Use oldest with max_candidate_sequences, or a model with a batch dimension.",
        )  # fmt: skip


def _no_strategy(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    if section is not None and section.WhichOneof("strategy_choice") is None:
        yield Hit(
            "sequence_batching",
            "Neither direct nor oldest is chosen.",
            "Triton takes direct: a session keeps one slot, and silent slots are padded.",
            "Write direct { } or oldest { } so that readers see which one is meant.",
        )


def _iterative(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    if section is not None and section.iterative_sequence:
        yield Hit(
            "sequence_batching.iterative_sequence",
            "Sequences are iterative: a request is scheduled again until the model is done.",
            "A client request with START and END together hangs when it is rescheduled. A sequence "
            "of a Python model that reaches the idle limit between two rounds gets no answer at "
            "all (seen on 24.10).",
            "Let clients send no END, and set the idle limit above the longest round.",
        )


RULES: Final = (
    LintRule("direct-wait-unused", "warning", "Delay or slot utilisation of direct alone", DIRECT,
             _direct_wait),
    LintRule("idle-limit-default", "warning", "The idle limit left at one second", REAPER,
             _idle_default),
    LintRule("idle-limit-short", "warning", "An idle limit below one second", REAPER, _idle_short),
    LintRule("candidates-few", "warning", "Fewer candidate sequences than a batch holds", OLDEST,
             _few_candidates),
    LintRule("oldest-wait-unused", "warning", "A wait for others under oldest, and no batches",
             "Triton core, src/dynamic_batch_scheduler.cc, DynamicBatchScheduler::Create",
             _oldest_wait),
    LintRule("candidates-many", "info", "Far more candidate sequences than a batch holds", OLDEST,
             _many_candidates),
    LintRule("candidates-negative", "warning", "A negative number of candidate sequences", OLDEST,
             _negative_candidates),
    LintRule("direct-one-slot", "warning", "Direct without a batch dimension", DIRECT, _one_slot),
    LintRule("strategy-default", "info", "No strategy is named", f"{_SEQ}, SequenceBatchScheduler::"
             "Create", _no_strategy),
    LintRule("iterative-sequence", "warning", "Iterative sequences",
             f"{_SEQ}, IterativeSequencer::RescheduleRequest; server issue 8167", _iterative,
             since=Release(23, 11)),
)  # fmt: skip
