"""What Triton refuses of a model's own metrics, from the release that has them on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from backend.modelconfig.lint.refused_model import REFUSED, VALIDATE
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.rule import Context, Hit, LintRule


def _incomplete(context: Context) -> Iterator[Hit]:
    for index, control in enumerate(context.config.model_metrics.metric_control):
        lacking = [
            name
            for name, there in (
                ("metric_identifier", control.HasField("metric_identifier")),
                ("family", bool(control.metric_identifier.family)),
                ("histogram_options.buckets", bool(control.histogram_options.buckets)),
            )
            if not there
        ]
        if lacking:
            yield Hit(
                f"model_metrics.metric_control[{index}]",
                f"A metric control lacks {', '.join(lacking)}.",
                REFUSED,
                "Name the metric's family, and the upper bounds of its buckets.",
            )


RULES: Final = (
    LintRule(
        "metric-control",
        "error",
        "A metric control without family or buckets",
        VALIDATE,
        _incomplete,
        since=Release(24, 11),
    ),
)
