"""Behaviour that is known to be broken in the chosen release, where the file makes use of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from backend.modelconfig.lint.beside import BATCHING_LIBRARY
from backend.modelconfig.lint.refused_ensemble import ensemble
from backend.modelconfig.lint.refused_scheduling import dynamic, oldest, policies_in_use, sequence
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.rule import Context, Hit, LintRule
from backend.modelconfig.queue_policy import LEAK, ORDER_LOST, PREFETCH_OFF, no_prefetch

_CORE: Final = "Triton core, src"
MOST_OF_32_BITS: Final = 2**32 - 1


def _decays(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    what = no_prefetch(section) if section is not None else ""
    if section is not None and what and section.max_queue_delay_microseconds:
        yield Hit(
            "dynamic_batching.max_queue_delay_microseconds",
            f"A queue delay together with {what.rpartition('.')[2]}.",
            "Each batch that is merged when an instance takes it makes Triton count one idle "
            "instance too few: throughput decays until the model is loaded again (seen on 24.10: "
            "four instances worked as one after 3 s).",
            "Leave one of the two out, or serve with release 26.08 or later.",
        )


def _unordered(context: Context) -> Iterator[Hit]:
    for path, section in (
        ("dynamic_batching", dynamic(context)),
        ("sequence_batching.oldest", oldest(context)),
    ):
        if section is not None and section.preserve_ordering:
            yield Hit(
                f"{path}.preserve_ordering",
                f"preserve_ordering does not work in release {context.release}.",
                "Responses leave in the order in which they are ready; a decoupled model may stall "
                "after its first response.",
                "Serve with a release before 25.09 or from 26.08 on.",
            )


def _oldest_unordered(context: Context) -> Iterator[Hit]:
    section = oldest(context)
    if section is not None and section.preserve_ordering:
        yield Hit(
            "sequence_batching.oldest.preserve_ordering",
            "Release 23.08 knows the field and does not act on it.",
            "Responses leave in the order in which they are ready.",
            "Serve with release 23.09 or later.",
        )


def _double_release(context: Context) -> Iterator[Hit]:
    if sequence(context) is not None:
        yield Hit(
            "sequence_batching",
            f"Release {context.release} may free the slot of a cancelled session twice.",
            "Two sessions then share one slot: one of them is answered from the other's state.",
            "Serve with release 24.05 or later.",
        )


def _late_timeouts(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    timed = [
        path
        for path, policy in (policies_in_use(section) if section is not None else ())
        if policy.default_timeout_microseconds
    ]
    for path in timed:
        yield Hit(
            f"{path}.default_timeout_microseconds",
            "In this release a queue timeout is looked at only when an instance is idle.",
            "While all are busy, a request whose time is up gets no answer.",
            "Serve with release 24.03 or later, where it is looked at about every 500 ms.",
        )


def _ensemble_hangs(context: Context) -> Iterator[Hit]:
    if ensemble(context) is not None:
        yield Hit(
            "ensemble_scheduling",
            "In this release an ensemble hangs when a step's model refuses a request because its "
            "queue is full.",
            "The client gets no answer.",
            "Let no model of a step set max_queue_size, or serve with release 26.03 or later.",
        )


def _iterative_callback(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    if section is not None and section.iterative_sequence:
        yield Hit(
            "sequence_batching.iterative_sequence",
            "Release 25.11 mends how an iterative request is released; this one is older.",
            "The release notes do not say what goes wrong before it.",
            "Serve with release 25.11 or later.",
        )


def _custom_library(context: Context) -> Iterator[Hit]:
    name = BATCHING_LIBRARY
    if name in context.config.parameters:
        yield Hit(
            f'parameters["{name}"]',
            "Custom batching libraries came with release 23.01.",
            "The parameter is ignored.",
            "Leave it out, or serve with release 23.01 or later.",
        )


def _unequal(context: Context) -> Iterator[Hit]:
    section, config = dynamic(context), context.config
    if section is None or not section.max_queue_delay_microseconds or config.max_batch_size < 2:
        return
    for index, entry in enumerate(config.input):
        if -1 in entry.dims and not entry.allow_ragged_batch:
            yield Hit(
                f"input[{index}].dims",
                f"In this release batches are put together without a look at the shape of "
                f"'{entry.name}'.",
                "With a queue delay, two batches of different shape may become one: the model gets "
                "tensors that do not fit together.",
                "Leave the delay out, pad on the client, or serve with release 22.09 or later.",
            )


def _wide_priorities(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    if section is None:
        return
    for field in ("priority_levels", "default_priority_level"):
        if getattr(section, field) > MOST_OF_32_BITS:
            yield Hit(
                f"dynamic_batching.{field}",
                f"{field} is {getattr(section, field)}; before release 23.07 it has 32 bits.",
                "The file cannot be read, or the value is cut.",
                "Write a smaller number, or serve with release 23.07 or later.",
            )


RULES: Final = (
    LintRule("batches-unequal", "warning", "Shapes are not compared where batches are merged",
             "Triton server, release notes of 22.09", _unequal, until=Release(22, 8)),
    LintRule("priority-wide", "warning", "Priorities beyond 32 bits",
             "Triton server, release notes of 23.07", _wide_priorities, until=Release(23, 6)),
    LintRule("instances-decay", "warning", "Queue policy with delay: throughput decays",
             f"{_CORE}/rate_limiter.cc; server issue 8870", _decays,
             since=LEAK[0], until=LEAK[1]),
    LintRule("ordering-broken", "warning", "preserve_ordering does not preserve order",
             f"{_CORE}/dynamic_batch_scheduler.cc; core pull request 520", _unordered,
             since=ORDER_LOST[0], until=ORDER_LOST[1]),
    LintRule("oldest-ordering-unheeded", "warning", "oldest.preserve_ordering without effect",
             "Triton server, release notes of 23.09", _oldest_unordered,
             since=Release(23, 8), until=Release(23, 8)),
    LintRule("slot-freed-twice", "warning", "A cancelled session may free its slot twice",
             "Triton server, release notes of 24.05", _double_release,
             since=Release(23, 10), until=Release(24, 4)),
    LintRule("timeouts-late", "warning", "Queue timeouts are not looked at while instances work",
             "Triton server, release notes of 24.03", _late_timeouts,
             since=PREFETCH_OFF, until=Release(24, 2)),
    LintRule("ensemble-queue-full", "info", "An ensemble may hang on a full queue",
             "Triton server, release notes of 26.03", _ensemble_hangs, until=Release(26, 2)),
    LintRule("iterative-release", "warning", "Iterative requests before their release was mended",
             "Triton server, release notes of 25.11", _iterative_callback,
             since=Release(23, 11), until=Release(25, 10)),
    LintRule("custom-batching-unknown", "warning", "Custom batching before it existed",
             "Triton server, release notes of 23.01", _custom_library, until=Release(22, 12)),
)  # fmt: skip
