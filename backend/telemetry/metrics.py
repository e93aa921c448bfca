"""A model's figures in the server's Prometheus metrics: counters, the pending gauge, quantiles."""

from __future__ import annotations

from typing import Final

from prometheus_client.parser import text_string_to_metric_families

from backend.contracts.errors import ServerFailed
from backend.contracts.values import Value
from backend.telemetry.http_api import exchange

PREFIX: Final = "nv_inference_"
SUMMARY: Final = "_summary_us"
PENDING: Final = "nv_inference_pending_request_count"
FAILURE: Final = "nv_inference_request_failure"


class LatencySummary(Value):
    """Quantiles in µs over the server's sliding window, null where it has no sample in it."""

    count: int
    sum_us: float
    quantiles_us: dict[float, float | None]


class ModelMetrics(Value):
    """What ``/metrics`` says of one model, its versions added up (quantiles: the last version's).

    ``counters`` go by the metric's name without ``nv_inference_`` (``request_success``, ``count``,
    ``exec_count``, ``queue_duration_us``, …); ``failures`` by reason. ``pending`` is null, and
    ``summaries`` (``request``, ``queue``, ``compute_infer``, …) empty, where the server does not
    export them: summaries need ``--metrics-config summary_latencies=true``.
    """

    model: str
    counters: dict[str, float]
    failures: dict[str, float]
    pending: float | None
    summaries: dict[str, LatencySummary]


def read_metrics(metrics_endpoint: str, model: str) -> ModelMetrics:
    """The metrics of a model, as they are now.

    Raises:
        ServerFailed: if the endpoint does not answer, or its text is no Prometheus format.
    """
    return parse_metrics(exchange(metrics_endpoint, "/metrics"), model)


def parse_metrics(text: str, model: str) -> ModelMetrics:
    """The metrics of a model in a scraped text.

    Raises:
        ServerFailed: if the text is no Prometheus format.
    """
    counters: dict[str, float] = {}
    failures: dict[str, float] = {}
    pending: float | None = None
    counts: dict[str, float] = {}
    sums: dict[str, float] = {}
    quantiles: dict[str, dict[float, float | None]] = {}
    try:
        families = list(text_string_to_metric_families(text))
    except ValueError as error:
        raise ServerFailed(
            "The server's metrics are not in the Prometheus format.", why=str(error)
        ) from error
    for family in families:
        for sample in family.samples:
            if sample.labels.get("model") != model or not sample.name.startswith(PREFIX):
                continue
            # the parser gives counters the suffix that Triton's names do not have
            name = sample.name.removesuffix("_total")
            short = name.removeprefix(PREFIX)
            if name == PENDING:
                pending = (pending or 0.0) + sample.value
            elif name == FAILURE:
                _add(failures, sample.labels.get("reason", ""), sample.value)
            elif SUMMARY in short:
                figure, _, rest = short.partition(SUMMARY)
                if rest == "_count":
                    _add(counts, figure, sample.value)
                elif rest == "_sum":
                    _add(sums, figure, sample.value)
                elif "quantile" in sample.labels:
                    value = None if sample.value != sample.value else sample.value
                    quantiles.setdefault(figure, {})[float(sample.labels["quantile"])] = value
            elif family.type == "counter":
                _add(counters, short, sample.value)
    return ModelMetrics(
        model=model,
        counters=counters,
        failures=failures,
        pending=pending,
        summaries={
            figure: LatencySummary(
                count=int(counts[figure]),
                sum_us=sums.get(figure, 0.0),
                quantiles_us=quantiles.get(figure, {}),
            )
            for figure in counts
        },
    )


def _add(to: dict[str, float], key: str, value: float) -> None:
    to[key] = to.get(key, 0.0) + value
