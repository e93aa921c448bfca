"""What ends the server, or makes it wait for ever, while the model is loaded.

None of this is refused with a reason; each was seen on release 24.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from backend.modelconfig.lint.refused_model import REFUSED
from backend.modelconfig.lint.refused_scheduling import sequence
from backend.modelconfig.lint.rule import Context, Hit, LintRule
from backend.modelconfig.slots import slots_per_instance

MOST_SLOTS: Final = 10_000_000
"""Slots of an instance: one million load within a second, ten million not within ten."""

_TAG: Final = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9_]*)?")
# what /bin/sh takes apart, or for itself; `>`, `<`, `*`, `?`, `~` and backquotes go wrong quietly
_UNSAFE: Final = re.compile(r"[;&|()\"'$\n]|\s|^#|\{[^{}]*,[^{}]*\}")


def _metric_tags(context: Context) -> Iterator[Hit]:
    for key in sorted(context.config.metric_tags):
        if not _TAG.fullmatch(key):
            yield Hit(
                f'metric_tags["{key}"]',
                f"'{key[:40]}' cannot be the name of a metric's label.",
                "The whole server ends (SIGABRT): Triton writes '_' before the key, and its "
                "metrics library throws at what is then no label of Prometheus.",
                "Begin with a letter or digit; letters, digits and '_' may follow.",
            )


def _agents(context: Context) -> Iterator[Hit]:
    config = context.config
    for index, agent in enumerate(config.model_repository_agents.agents):
        if not agent.name:
            yield Hit(
                f"model_repository_agents.agents[{index}]",
                "An agent has no name.",
                REFUSED,
                "Write its name: Triton looks for libtritonrepoagent_NAME.so.",
            )
    if config.HasField("model_repository_agents") and not config.model_repository_agents.agents:
        yield Hit(
            "model_repository_agents",
            "The section names no agent.",
            "The whole server ends (SIGSEGV).",
            "Leave the section out, or name an agent.",
        )


def _slots(context: Context) -> Iterator[Hit]:
    section = sequence(context)
    if section is None:
        return
    most = slots_per_instance(context.config)
    path = "max_batch_size"
    if section.oldest.max_candidate_sequences > 0:
        path = "sequence_batching.oldest.max_candidate_sequences"
    if most >= MOST_SLOTS:
        yield Hit(
            path,
            f"Each instance gets {most:,} sequence slots.",
            "Triton makes all of them while it loads the model: that takes minutes, or ends the "
            "whole server for want of memory.",
            "Write how many sequences are live at the same time, with something to spare.",
        )


def _names(context: Context) -> Iterator[Hit]:
    if context.backend != "python":
        return
    config = context.config
    names = [("default_model_filename", config.default_model_filename)]
    if context.folder:
        names.append(("name", context.folder))
    # a blank before a group's name is lost on the way, and nothing else happens
    names += [
        (f"instance_group[{index}].name", group.name.lstrip())
        for index, group in enumerate(config.instance_group)
    ]
    for path, name in names:
        if _UNSAFE.search(name):
            yield Hit(
                path,
                f"The name '{name[:40]}' has signs that a shell takes for its own.",
                "The Python backend starts the model's process by a shell command with this name "
                "in it, unquoted: the load fails without a true reason or never ends, and what "
                "stands behind a ';' is run.",
                "Use letters, digits, '_', '-' and '.'.",
            )


RULES: Final = (
    LintRule("metric-tag-name", "error", "A metric tag that is no label",
             "Triton core, src/metric_model_reporter.cc, MetricReporterConfig and "
             "GetMetricLabels; seen on the running server", _metric_tags),
    LintRule("agents-none", "error", "Repository agents without one, or without its name",
             "Triton core, src/repo_agent.cc and "
             "src/model_repository_manager/model_repository_manager.cc; seen on the running server",
             _agents),
    LintRule("slots-too-many", "error", "More sequence slots than can be made",
             "Triton core, src/sequence_batch_scheduler/sequence_batch_scheduler.cc, "
             "SequenceBatchScheduler::CreateBatchers; seen on the running server", _slots),
    LintRule("name-in-shell", "error", "A name that a shell takes apart",
             "Triton python_backend, src/stub_launcher.cc, StubLauncher::Launch; seen on the "
             "running server", _names),
)  # fmt: skip
