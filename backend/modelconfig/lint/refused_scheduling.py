"""What Triton refuses of the batchers' own settings: sizes, priorities, queue policies, shares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.lint.refused_model import REFUSED, VALIDATE
from backend.modelconfig.lint.rule import Context, Hit, LintRule

_DELAY: Final = model_config_pb2.ModelQueuePolicy.DELAY


def dynamic(context: Context) -> Any | None:
    """The section of the dynamic batcher; null where there is none."""
    config = context.config
    return config.dynamic_batching if config.HasField("dynamic_batching") else None


def sequence(context: Context) -> Any | None:
    """The section of the sequence batcher; null where there is none."""
    config = context.config
    return config.sequence_batching if config.HasField("sequence_batching") else None


def oldest(context: Context) -> Any | None:
    """The section of the strategy oldest; null where there is none."""
    section = sequence(context)
    return section.oldest if section is not None and section.HasField("oldest") else None


def policies(section: Any) -> list[tuple[str, Any]]:
    """Path and message of every queue policy of the dynamic batcher: the default, then by level."""
    by_level = section.priority_queue_policy
    return [
        ("dynamic_batching.default_queue_policy", section.default_queue_policy),
        *(
            (f"dynamic_batching.priority_queue_policy[{level}]", by_level[level])
            for level in sorted(by_level)
        ),
    ]


def policies_in_use(section: Any) -> list[tuple[str, Any]]:
    """Those of the policies that some request may meet: without levels only the default.

    Source: core, ``scheduler_utils.cc``, ``PriorityQueue``.
    """
    default, *own = policies(section)
    levels = section.priority_levels
    if not levels:
        return [default]
    own = [entry for level, entry in zip(sorted(section.priority_queue_policy), own, strict=True)
           if 1 <= level <= levels]  # fmt: skip
    return own if len(own) == levels else [default, *own]


def _preferred(context: Context) -> Iterator[Hit]:
    sections = (
        ("dynamic_batching", dynamic(context)),
        ("sequence_batching.oldest", oldest(context)),
    )
    most = context.config.max_batch_size
    for path, section in sections:
        if section is None:
            continue
        for index, size in enumerate(section.preferred_batch_size):
            where = f"{path}.preferred_batch_size[{index}]"
            if size <= 0:
                yield Hit(where, f"A preferred batch size is {size}.", REFUSED,
                          "Write at least 1, or leave preferred_batch_size out.")  # fmt: skip
            elif size > most:
                yield Hit(
                    where,
                    f"A preferred batch size is {size}, above max_batch_size {most}.",
                    REFUSED,
                    f"Write at most {most}, or leave preferred_batch_size out: Triton then takes "
                    "max_batch_size."
                    if most > 0
                    else "Leave preferred_batch_size out: max_batch_size 0 batches nothing.",
                )


def _default_level(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    if section is None or not section.priority_levels:
        return
    level, levels = section.default_priority_level, section.priority_levels
    if not 1 <= level <= levels:
        path = "dynamic_batching.default_priority_level"
        yield Hit(
            path if context.written(path) else "dynamic_batching.priority_levels",
            f"default_priority_level is {level}; there are {levels} priority levels.",
            REFUSED,
            f"Write default_priority_level: with a number from 1 to {levels}.",
        )


def _policy_level(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    if section is None or not section.priority_levels:
        return
    levels = section.priority_levels
    for level in sorted(section.priority_queue_policy):
        if not 1 <= level <= levels:
            yield Hit(
                f"dynamic_batching.priority_queue_policy[{level}]",
                f"A queue policy is given for level {level}; there are {levels} levels.",
                REFUSED,
                f"Give it for a level from 1 to {levels}.",
            )


def _order_and_levels(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    if section is not None and section.preserve_ordering and section.priority_levels > 1:
        yield Hit(
            "dynamic_batching.preserve_ordering",
            f"preserve_ordering is set with {section.priority_levels} priority levels; it allows "
            "one.",
            REFUSED,
            "Leave one of the two out: a request of higher priority goes before earlier ones.",
        )


def _order_and_delay(context: Context) -> Iterator[Hit]:
    section = dynamic(context)
    if section is None or not section.preserve_ordering:
        return
    for path, policy in policies(section):
        if policy.timeout_action == _DELAY and policy.default_timeout_microseconds:
            yield Hit(
                path,
                "A request whose time is up is put behind others (DELAY), although "
                "preserve_ordering is set.",
                REFUSED,
                "Write timeout_action: REJECT, or leave preserve_ordering out.",
            )


def _share(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    if section is None:
        return
    share = section.direct.minimum_slot_utilization
    if share < 0 or share > 1:
        yield Hit(
            "sequence_batching.direct.minimum_slot_utilization",
            f"minimum_slot_utilization is {share:g}; it is a share of the slots.",
            REFUSED,
            "Write a number from 0 to 1.",
        )


RULES: Final = (
    LintRule("preferred-size", "error", "A preferred batch size that cannot be", VALIDATE,
             _preferred),
    LintRule("default-priority-level", "error", "A default priority outside the levels", VALIDATE,
             _default_level),
    LintRule("priority-policy-level", "error", "A queue policy for a level that is not there",
             VALIDATE, _policy_level),
    LintRule("ordering-with-levels", "error", "preserve_ordering with several priority levels",
             VALIDATE, _order_and_levels),
    LintRule("ordering-with-delay", "error", "preserve_ordering with the timeout action DELAY",
             VALIDATE, _order_and_delay),
    LintRule("slot-utilization", "error", "A share of slots outside 0 to 1", VALIDATE, _share),
)  # fmt: skip
