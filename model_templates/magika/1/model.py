"""Google's file-type classifier: the first and last bytes of a file in, label probabilities out.

Stateless: a request is answered from its own bytes alone, so any batcher and any number of
instances may serve it. The requests of one execution go through the network as one batch; sums then
round a little differently than alone, which is why the template states a tolerance.

It runs inside Triton's Python backend and imports nothing of the console.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path

import numpy as np
import onnxruntime
import triton_python_backend_utils as pb_utils

FEATURES = 2048
LABELS_SHA256 = "afeb4026b9463bb6103adbf8d276766cab7c8396e78d851b7f3481cf4de07e77"
"""Of the labels joined by newlines: their order in the output, as labels.txt lists them."""


class TritonPythonModel:
    """The classifier: one object per model instance, each in a process of its own."""

    def initialize(self, args):
        """Load the network on one thread and run it once, so that the first file is not slow."""
        config = json.loads(args["model_config"])
        self._batched = config.get("max_batch_size", 0) > 0
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._network = onnxruntime.InferenceSession(
            str(_network_path()), sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._classify(np.zeros((1, FEATURES), dtype=np.int32))

    def execute(self, requests):
        """Answer each request; all well-formed ones go through the network together."""
        responses = [None] * len(requests)
        parts = []
        for position, request in enumerate(requests):
            if not request.requested_output_names():
                # Padding of a sequence batcher: it wants a response, and nobody reads it.
                responses[position] = pb_utils.InferenceResponse(output_tensors=[])
                continue
            features = pb_utils.get_input_tensor_by_name(request, "BYTES").as_numpy()
            if not self._batched:
                features = features[np.newaxis]
            problem = _problem(features)
            if problem:
                responses[position] = pb_utils.InferenceResponse(
                    output_tensors=[],
                    error=pb_utils.TritonError(problem, pb_utils.TritonError.INVALID_ARG),
                )
            else:
                parts.append((position, features))
        if parts:
            probabilities = self._classify(np.concatenate([features for _, features in parts]))
            row = 0
            for position, features in parts:
                own = probabilities[row : row + len(features)]
                row += len(features)
                tensor = pb_utils.Tensor("LABEL_PROBABILITIES", own if self._batched else own[0])
                responses[position] = pb_utils.InferenceResponse(output_tensors=[tensor])
        return responses

    def _classify(self, features):
        """Probabilities of the labels, one row per row of ``features``."""
        return self._network.run(["target_label"], {"bytes": features})[0]


def _problem(features):
    """Why the network cannot take these features; empty where it can."""
    if features.ndim != 2 or features.shape[1] != FEATURES:
        return f"BYTES has shape {list(features.shape[1:])} per file: [{FEATURES}] is needed"
    if features.size and (features.min() < 0 or features.max() > 256):
        return "BYTES holds values outside 0 to 256 (a byte, or 256 for padding)"
    return ""


def _network_path():
    """The ONNX file inside the installed magika package whose labels are those of the template."""
    package = importlib.util.find_spec("magika")
    if package is None or package.origin is None:
        raise pb_utils.TritonModelException(
            "the Python package magika, which carries the network, is not installed for the "
            "python3 that is first on the server's PATH: pip install magika"
        )
    folder = Path(package.origin).parent / "models"
    for settings in sorted(folder.glob("*/config.min.json")):
        labels = json.loads(settings.read_text())["target_labels_space"]
        digest = hashlib.sha256("\n".join(labels).encode()).hexdigest()
        network = settings.with_name("model.onnx")
        if digest == LABELS_SHA256 and network.is_file():
            return network
    raise pb_utils.TritonModelException(
        f"no model below {folder} has the 214 labels of this template (standard_v3_3 has): install "
        "magika 1.0"
    )
