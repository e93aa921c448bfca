"""A stateful model whose state is a hash chain, so that every reply tells its predecessor.

What becomes of a state is in ``memory``, faults that can be switched on in ``faults``. The model
also says what its instance saw. It runs unchanged behind every scheduler: the flags and the
correlation ID come from the request, or from control inputs where the configuration has them.

It runs inside Triton's Python backend and imports nothing of the console.
"""

from __future__ import annotations

import json
import math
import time

import numpy as np
import triton_python_backend_utils as pb_utils
from faults import FAULTS
from memory import STATE_BYTES, Row

SEQUENCE_START = 1  # TRITONSERVER_REQUEST_FLAG_SEQUENCE_START
SEQUENCE_END = 2  # TRITONSERVER_REQUEST_FLAG_SEQUENCE_END


class TritonPythonModel:
    """The probe: one object per model instance, each in a process of its own."""

    def initialize(self, args):
        """Read the parameters and find the control inputs of the configuration."""
        config = json.loads(args["model_config"])
        self._read_parameters(config.get("parameters", {}))
        self._batched = config.get("max_batch_size", 0) > 0
        self._controls = _control_inputs(config)
        self._memory = self._remembering(
            self._place == "slot", max(1, config.get("max_batch_size", 0))
        )
        self._execution = 0

        lead = (1,) if self._batched else ()
        self._chunk_shape = (*lead, self._input_bytes)
        self._state_shape = (*lead, STATE_BYTES)
        self._seen_shape = (*lead, 5)
        name = np.array([args["model_instance_name"].encode()], dtype=np.object_)
        # Text is dear to serialise (a third of the model's own work): one tensor for all replies.
        self._instance = pb_utils.Tensor("INSTANCE", name.reshape((*lead, 1)))

    def _read_parameters(self, parameters):
        self._place = _text(parameters, "state_place", "correlation_id")
        if self._place not in ("slot", "correlation_id"):
            raise pb_utils.TritonModelException(
                f"parameter state_place is '{self._place}': it must be slot or correlation_id"
            )
        fault = _text(parameters, "fault", "none")
        if fault not in FAULTS:
            raise pb_utils.TritonModelException(
                f"parameter fault is '{fault}': it must be one of {', '.join(FAULTS)}"
            )
        self._remembering = FAULTS[fault]
        self._service_ns = _milliseconds_as_ns(parameters, "service_ms")
        self._service_ns_per_item = _milliseconds_as_ns(parameters, "service_ms_per_item")
        text = _text(parameters, "input_bytes", "64")
        if not text.isascii() or not text.isdigit() or int(text) < 1:
            raise pb_utils.TritonModelException(
                f"parameter input_bytes is '{text}': it must be a whole number of at least 1"
            )
        self._input_bytes = int(text)

    def execute(self, requests):
        """Advance each request's state, wait out the service time, reply to all.

        The states are advanced before the wait and only what needs the end time is made after it,
        so that the model's own work disappears in the service time where there is one.
        """
        begun_ns = time.monotonic_ns()
        execution = self._execution
        self._execution += 1

        steps = self._steps(requests)
        real = sum(step is not None for step in steps)
        deadline_ns = begun_ns + self._service_ns + self._service_ns_per_item * real
        while (left_ns := deadline_ns - time.monotonic_ns()) > 0:
            time.sleep(left_ns / 1e9)

        ended_ns = time.monotonic_ns()
        responses = []
        for position, step in enumerate(steps):
            if step is None:
                # The scheduler's padding: it wants a response, and nobody reads it.
                responses.append(pb_utils.InferenceResponse(output_tensors=[]))
            elif isinstance(step, pb_utils.TritonError):
                responses.append(pb_utils.InferenceResponse(output_tensors=[], error=step))
            else:
                seen = np.array(
                    (execution, real, position, begun_ns, ended_ns), dtype=np.int64
                ).reshape(self._seen_shape)
                step.append(pb_utils.Tensor("SEEN", seen))
                responses.append(pb_utils.InferenceResponse(output_tensors=step))
        return responses

    def _steps(self, requests):
        """Take all requests: of each its first three outputs, its error, or None for padding."""
        steps, rows = [None] * len(requests), []
        for position, request in enumerate(requests):
            key, start, end, real = self._session_of(request)
            if not real and not self._memory.takes_padding:
                continue
            chunk = pb_utils.get_input_tensor_by_name(request, "CHUNK").as_numpy()
            row = Row(position, key, start, end, chunk.tobytes())
            if chunk.shape == self._chunk_shape:
                rows.append(row)
                continue
            self._memory.refused(row)
            steps[position] = pb_utils.TritonError(
                f"CHUNK has shape {list(chunk.shape)}: the probe takes {list(self._chunk_shape)}, "
                "one chunk per request",
                pb_utils.TritonError.INVALID_ARG,
            )
        shape = self._state_shape
        for row, (before, after) in zip(rows, self._memory.execute(rows), strict=True):
            steps[row.position] = [
                pb_utils.Tensor("STATE_BEFORE", np.frombuffer(before, np.uint8).reshape(shape)),
                pb_utils.Tensor("STATE_AFTER", np.frombuffer(after, np.uint8).reshape(shape)),
                self._instance,
            ]
        return steps

    def _session_of(self, request):
        """Correlation ID, START, END, and whether the request is a real one (not padding)."""
        controls = self._controls
        flags = request.flags()
        if "CORRID" in controls:
            key = _control_value(request, controls["CORRID"])
        else:
            key = request.correlation_id()
        if "START" in controls:
            start = _control_value(request, controls["START"])
        else:
            start = flags & SEQUENCE_START
        if "END" in controls:
            end = _control_value(request, controls["END"])
        else:
            end = flags & SEQUENCE_END
        if "READY" in controls:
            real = _control_value(request, controls["READY"])
        else:
            real = key or request.requested_output_names()
        return key, bool(start), bool(end), bool(real)


def _control_value(request, name):
    return pb_utils.get_input_tensor_by_name(request, name).as_numpy().flat[0].item()


def _control_inputs(config):
    """Names of the configured control inputs by kind (START, END, READY, CORRID).

    An input that lists several kinds carries the last one (Triton writes them one over the other).
    """
    names = {}
    for entry in config.get("sequence_batching", {}).get("control_input", []):
        control = entry["control"][-1]
        kind = control["kind"].removeprefix("CONTROL_SEQUENCE_")
        if kind == "CORRID" and control.get("data_type") == "TYPE_STRING":
            raise pb_utils.TritonModelException(
                f"control input {entry['name']} asks for the correlation ID as TYPE_STRING, which "
                "Triton's Python backend cannot deliver: leave the control out, the probe reads "
                "the ID from the request"
            )
        names[kind] = entry["name"]
    return names


def _text(parameters, name, default):
    return parameters.get(name, {}).get("string_value", default).strip()


def _milliseconds_as_ns(parameters, name):
    text = _text(parameters, name, "0")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise pb_utils.TritonModelException(
            f"parameter {name} is '{text}': it must be a number of milliseconds, 0 or more"
        )
    return round(value * 1e6)
