"""What each backend can do with a configuration's sections, as far as public sources say (M11).

A backend's *unknown* is no *yes*: what nobody states is not written into a file on its own account.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from backend.contracts.values import Value
from backend.workload.answers import Backend

Feature = Literal[
    "batching", "implicit_state", "ragged", "decoupled", "text_correlation_id", "cpu", "gpu"
]
Answer = Literal["yes", "no", "unknown"]

IMPLICIT_STATE: Final = "Triton server, docs/user_guide/implicit_state_management.md"
RAGGED: Final = "Triton server, docs/user_guide/ragged_batching.md"
DECOUPLED: Final = "Triton server, docs/user_guide/decoupled_models.md"
PYTHON: Final = "Triton python_backend, README.md"
SUPPORT_MATRIX: Final = "Triton backend, docs/backend_platform_support_matrix.md"
VLLM: Final = "Triton vllm_backend, src/model.py, auto_complete_config"
OBSERVED: Final = "seen on release 24.10"


class Support(Value):
    """Whether a backend can do something, in what way, and where that can be read."""

    answer: Answer
    why: str
    source: str


def support(backend: Backend, feature: Feature) -> Support:
    """What is known of a backend's feature."""
    known = _TABLE.get((backend, feature))
    return known or Support(
        answer="unknown",
        why=f"Nothing is known here of what the backend '{backend}' does there.",
        source=SUPPORT_MATRIX,
    )


def _rows() -> dict[tuple[Backend, Feature], Support]:
    rows: dict[tuple[Backend, Feature], Support] = {}

    def say(feature: Feature, answer: Answer, why: str, source: str, *backends: Backend) -> None:
        for backend in backends:
            rows[backend, feature] = Support(answer=answer, why=why, source=source)

    every = tuple(name for name in get_args(Backend) if name not in ("unknown", "custom"))
    say(
        "implicit_state", "no",
        "Triton carries state tensors only for backends that write them: ONNX Runtime, TensorRT and"
        " PyTorch. Any other gets the first value with every request and can never change it.",
        IMPLICIT_STATE, *every,
    )  # fmt: skip
    say(
        "implicit_state", "yes", "The backend writes the new state with each reply.",
        IMPLICIT_STATE, "onnxruntime", "tensorrt", "pytorch",
    )  # fmt: skip
    say(
        "ragged", "yes",
        "The backend lays the requests' values end to end in one tensor of one dimension; the "
        "model also needs a batch_input that says where each request's part ends.",
        RAGGED, "onnxruntime", "tensorrt", "tensorflow", "pytorch",
    )  # fmt: skip
    say(
        "ragged", "yes",
        "A Python model gets each request's tensor by itself, whatever its shape.",
        PYTHON, "python",
    )  # fmt: skip
    say(
        "ragged", "no", "vLLM takes requests one by one and batches inside itself.",
        VLLM, "vllm",
    )  # fmt: skip
    say(
        "decoupled", "no", "The backend sends one reply for each request.",
        DECOUPLED, "onnxruntime", "tensorrt", "pytorch", "tensorflow", "openvino",
    )  # fmt: skip
    say(
        "decoupled", "yes", "A Python model sends its replies through a response sender.",
        PYTHON, "python",
    )  # fmt: skip
    say(
        "decoupled", "yes", "vLLM's model is always decoupled and refuses to start otherwise.",
        VLLM, "vllm",
    )  # fmt: skip
    say(
        "decoupled", "yes", "The backend streams tokens as replies where the policy allows it.",
        "TensorRT-LLM, triton_backend/README.md", "tensorrtllm",
    )  # fmt: skip
    say(
        "decoupled", "yes", "A backend in C++ may send any number of replies.",
        DECOUPLED, "custom",
    )  # fmt: skip
    say(
        "batching", "no",
        "vLLM batches inside itself; its model sets max_batch_size to 0.",
        VLLM, "vllm",
    )  # fmt: skip
    say(
        "batching", "yes", "The backend executes batches that Triton forms.",
        SUPPORT_MATRIX, *(name for name in every if name != "vllm"),
    )  # fmt: skip
    say(
        "text_correlation_id", "no",
        "Triton's Python backend fails on every text id shorter than 128 characters in a "
        "control input; the model can ask the request for its id.",
        OBSERVED, "python", "vllm",
    )  # fmt: skip
    say(
        "text_correlation_id", "no", "TensorRT has no text tensors.",
        "TensorRT, DataType", "tensorrt", "tensorrtllm",
    )  # fmt: skip
    say("cpu", "yes", "The backend runs on a CPU.", SUPPORT_MATRIX,
        "python", "onnxruntime", "pytorch", "tensorflow", "openvino", "dali")  # fmt: skip
    say("cpu", "no", "TensorRT's engines exist for GPUs only.", SUPPORT_MATRIX,
        "tensorrt", "tensorrtllm")  # fmt: skip
    say("gpu", "yes", "The backend runs on NVIDIA GPUs.", SUPPORT_MATRIX,
        "python", "onnxruntime", "tensorrt", "pytorch", "tensorflow", "dali", "vllm",
        "tensorrtllm")  # fmt: skip
    say("gpu", "no", "Triton's OpenVINO backend runs on the CPU.", SUPPORT_MATRIX, "openvino")
    return rows


_TABLE: Final = _rows()
