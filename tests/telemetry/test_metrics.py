"""A model's figures in the server's Prometheus text."""

from __future__ import annotations

import pytest

from backend.contracts.errors import ServerFailed
from backend.telemetry.metrics import parse_metrics, read_metrics
from tests.telemetry.http_fake import serving

# as Triton 24.10 writes it, shortened
TEXT = """\
# HELP nv_inference_request_success Number of successful inference requests, all batch sizes
# TYPE nv_inference_request_success counter
nv_inference_request_success{model="probe",version="1"} 480
nv_inference_request_success{model="other",version="1"} 7
# HELP nv_inference_request_failure Number of failed inference requests, all batch sizes
# TYPE nv_inference_request_failure counter
nv_inference_request_failure{model="probe",reason="OTHER",version="1"} 0
nv_inference_request_failure{model="probe",reason="CANCELED",version="1"} 3
# HELP nv_inference_queue_duration_us Cumulative inference queuing duration in microseconds
# TYPE nv_inference_queue_duration_us counter
nv_inference_queue_duration_us{model="probe",version="1"} 1297709
# HELP nv_inference_pending_request_count Instantaneous number of pending requests
# TYPE nv_inference_pending_request_count gauge
nv_inference_pending_request_count{model="probe",version="1"} 5
# HELP nv_inference_queue_summary_us Summary of inference queuing duration in microseconds
# TYPE nv_inference_queue_summary_us summary
nv_inference_queue_summary_us_count{model="probe",version="1"} 480
nv_inference_queue_summary_us_sum{model="probe",version="1"} 1297709
nv_inference_queue_summary_us{model="probe",version="1",quantile="0.5"} 2754
nv_inference_queue_summary_us{model="probe",version="1",quantile="0.99"} NaN
# HELP nv_cpu_utilization CPU utilization rate [0.0 - 1.0]
# TYPE nv_cpu_utilization gauge
nv_cpu_utilization 0.4
"""


def test_one_models_figures() -> None:
    with serving({"/metrics": lambda body: (200, TEXT)}) as endpoint:
        metrics = read_metrics(endpoint, "probe")
    assert metrics.counters == {"request_success": 480.0, "queue_duration_us": 1297709.0}
    assert metrics.failures == {"OTHER": 0.0, "CANCELED": 3.0}
    assert metrics.pending == 5.0
    queue = metrics.summaries["queue"]
    assert (queue.count, queue.sum_us) == (480, 1297709.0)
    # no sample in the server's window is no quantile
    assert queue.quantiles_us == {0.5: 2754.0, 0.99: None}


def test_a_model_without_metrics_has_none() -> None:
    metrics = parse_metrics(TEXT, "unknown")
    assert metrics.counters == {}
    assert metrics.pending is None
    assert metrics.summaries == {}


def test_text_in_another_format_is_a_server_failure() -> None:
    with pytest.raises(ServerFailed, match="Prometheus"):
        parse_metrics('nv_inference_count{model="probe" 1', "probe")
