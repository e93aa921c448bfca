"""A gated recurrent unit in numpy: the smallest model whose answers need its session's past.

    z = sigmoid(Wz x + Uz h), r = sigmoid(Wr x + Ur h), c = tanh(Wc x + Uc (r * h))
    h' = (1 - z) * h + z * c, SCORE = tanh(V h')

(K. Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder", 2014, equations 5 to
8.) It runs inside Triton's Python backend and imports nothing of the console.
"""

from __future__ import annotations

import json

import numpy as np
import triton_python_backend_utils as pb_utils

HIDDEN, READ, SCORES = 16, 8, 4
WEIGHTS_SEED = 1406
SEQUENCE_START, SEQUENCE_END = 1, 2  # TRITONSERVER_REQUEST_FLAG_SEQUENCE_START, _END


class TritonPythonModel:
    """One object per model instance, each with states of its own."""

    def initialize(self, args):
        """Read where the state belongs, and make the weights."""
        config = json.loads(args["model_config"])
        place = config.get("parameters", {}).get("state_place", {}).get("string_value", "")
        self._by_slot = place == "slot"
        self._controls = _controls(config)
        self._batched = config.get("max_batch_size", 0) > 0
        self._states = {}
        draws = np.random.default_rng(WEIGHTS_SEED)
        self._read = draws.normal(0, 0.6, (3, READ, HIDDEN)).astype(np.float32)
        self._keep = draws.normal(0, 0.6, (3, HIDDEN, HIDDEN)).astype(np.float32)
        self._score = draws.normal(0, 0.6, (HIDDEN, SCORES)).astype(np.float32)

    def execute(self, requests):
        """Move every session on by one reading; padding is answered and changes nothing."""
        rows = []
        for position, request in enumerate(requests):
            key, start, end, real = self._session_of(request)
            if real:
                place = position if self._by_slot else key
                reading = pb_utils.get_input_tensor_by_name(request, "READING").as_numpy()
                rows.append((position, place, start, end, reading.reshape(READ)))
        responses = [pb_utils.InferenceResponse(output_tensors=[]) for _ in requests]
        if not rows:
            return responses
        zeros = np.zeros(HIDDEN, np.float32)
        before = np.stack([
            zeros if start else self._states.get(place, zeros) for _, place, start, _, _ in rows
        ])  # fmt: skip
        after = self._step(np.stack([row[-1] for row in rows]), before)
        scores = np.tanh(after @ self._score)
        for (position, place, _, end, _), state, score in zip(rows, after, scores, strict=True):
            if end and not self._by_slot:
                self._states.pop(place, None)
            elif place or self._by_slot:
                self._states[place] = state
            shape = (1, SCORES) if self._batched else (SCORES,)
            tensor = pb_utils.Tensor("SCORE", score.reshape(shape))
            responses[position] = pb_utils.InferenceResponse(output_tensors=[tensor])
        return responses

    def _step(self, readings, states):
        update = _sigmoid(readings @ self._read[0] + states @ self._keep[0])
        reset = _sigmoid(readings @ self._read[1] + states @ self._keep[1])
        new = np.tanh(readings @ self._read[2] + (reset * states) @ self._keep[2])
        return (1 - update) * states + update * new

    def _session_of(self, request):
        """Correlation ID, START, END, and whether the request is a real one (not padding)."""
        controls, flags = self._controls, request.flags()
        key = _value(request, controls["CORRID"]) if "CORRID" in controls else None
        key = request.correlation_id() if key is None else key
        start = (
            _value(request, controls["START"]) if "START" in controls else flags & SEQUENCE_START
        )
        end = _value(request, controls["END"]) if "END" in controls else flags & SEQUENCE_END
        if "READY" in controls:
            return key, bool(start), bool(end), bool(_value(request, controls["READY"]))
        return key, bool(start), bool(end), bool(key or request.requested_output_names())


def _sigmoid(values):
    return 1 / (1 + np.exp(-values))


def _value(request, name):
    return pb_utils.get_input_tensor_by_name(request, name).as_numpy().flat[0].item()


def _controls(config):
    """Names of the configured control inputs by kind (START, END, READY, CORRID)."""
    return {
        entry["control"][-1]["kind"].removeprefix("CONTROL_SEQUENCE_"): entry["name"]
        for entry in config.get("sequence_batching", {}).get("control_input", [])
    }
