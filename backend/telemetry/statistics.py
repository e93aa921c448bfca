"""The server's own counts and time sums of a model (Triton's statistics extension)."""

from __future__ import annotations

import time
from typing import Any, Final

from backend.contracts.errors import ServerFailed
from backend.contracts.values import Value
from backend.telemetry.http_api import exchange_json

POLL_S: Final = 0.02


class ModelStatistics(Value):
    """Counts since the model was loaded, or between two readings; times are sums in ns.

    ``inference_count`` and the time sums cover successful requests only. ``compute_*`` sums count
    an execution once for each request in it. ``batch_sizes`` gives executions by size, the padding
    of the direct strategy included.
    """

    model: str
    inference_count: int
    execution_count: int
    success_count: int
    fail_count: int
    success_ns: int
    queue_ns: int
    compute_input_ns: int
    compute_infer_ns: int
    compute_output_ns: int
    batch_sizes: dict[int, int]

    @property
    def padding_rows(self) -> int:
        """Rows that the direct strategy put in for silent slots.

        **Formula**: sum of size x executions, less ``inference_count`` (which knows no padding).
        Requests that failed in the model count as padding: they are in a batch, in no count.
        """
        return sum(size * count for size, count in self.batch_sizes.items()) - self.inference_count


class Settled(Value):
    """A reading of the statistics after a trial; ``settled``: all expected successes are in."""

    statistics: ModelStatistics
    settled: bool
    waited_s: float


def read_statistics(http_endpoint: str, model: str) -> ModelStatistics:
    """The statistics of a loaded model, all its versions together.

    Raises:
        ServerFailed: if the server does not answer, or does not have the model.
    """
    path = f"/v2/models/{model}/stats"
    answer = exchange_json(http_endpoint, path)
    versions = answer.get("model_stats") or []
    if not versions:
        raise ServerFailed(f"The server at {http_endpoint} has no statistics of model '{model}'.")
    try:
        return _parse(model, versions)
    except (KeyError, TypeError, ValueError) as error:
        raise ServerFailed(
            f"The statistics of model '{model}' are not in the form that this version knows.",
            why=f"{http_endpoint}{path}: {error!r}",
        ) from error


def delta(before: ModelStatistics, after: ModelStatistics) -> ModelStatistics:
    """What happened between two readings.

    Raises:
        ServerFailed: if a count went down: the model was loaded anew in between.
    """
    sizes = {
        size: count - before.batch_sizes.get(size, 0) for size, count in after.batch_sizes.items()
    }
    difference = {
        name: getattr(after, name) - getattr(before, name)
        for name in ModelStatistics.model_fields
        if name not in ("model", "batch_sizes")
    }
    if before.model != after.model or min(*difference.values(), *sizes.values(), 0) < 0:
        raise ServerFailed(
            f"The statistics of model '{after.model}' went back between two readings.",
            why="The model was loaded anew, or the server restarted, in the middle of a trial.",
            next_step="Repeat the run, with nobody else using this server.",
        )
    return ModelStatistics(
        model=after.model,
        batch_sizes={size: count for size, count in sorted(sizes.items()) if count},
        **difference,
    )


def wait_settled(
    http_endpoint: str,
    model: str,
    before: ModelStatistics,
    expected_success: int,
    *,
    wait_s: float = 5.0,
) -> Settled:
    """Read the statistics until they hold the trial's successes.

    Triton updates them after it has sent the responses, so the first reading can be short.

    Args:
        http_endpoint: ``host:port`` of the server's HTTP service.
        model: The model.
        before: The reading before the trial.
        expected_success: How many requests of the trial succeeded, as the client saw it.
        wait_s: When to stop waiting; the last reading is then returned, unsettled.

    Raises:
        ServerFailed: if the server does not answer.
    """
    started = time.monotonic()
    while True:
        now = read_statistics(http_endpoint, model)
        waited = time.monotonic() - started
        settled = now.success_count - before.success_count == expected_success
        if settled or waited > wait_s:
            return Settled(statistics=now, settled=settled, waited_s=waited)
        time.sleep(POLL_S)


def _parse(model: str, versions: list[dict[str, Any]]) -> ModelStatistics:
    sizes: dict[int, int] = {}
    for version in versions:
        for batch in version["batch_stats"]:
            size = int(batch["batch_size"])
            sizes[size] = sizes.get(size, 0) + int(batch["compute_infer"]["count"])
    stats = [version["inference_stats"] for version in versions]

    def total(name: str, part: str) -> int:
        return sum(int(item[name][part]) for item in stats)

    return ModelStatistics(
        model=model,
        inference_count=sum(int(version["inference_count"]) for version in versions),
        execution_count=sum(int(version["execution_count"]) for version in versions),
        success_count=total("success", "count"),
        fail_count=total("fail", "count"),
        success_ns=total("success", "ns"),
        queue_ns=total("queue", "ns"),
        compute_input_ns=total("compute_input", "ns"),
        compute_infer_ns=total("compute_infer", "ns"),
        compute_output_ns=total("compute_output", "ns"),
        batch_sizes=dict(sorted(sizes.items())),
    )
