"""What Triton itself knows of backends: their platforms, the files of their models.

Source: core, ``model_config_utils.cc``, ``AutoCompleteBackendFields``; ``model_config.cc``,
``GetBackendTypeFromPlatform``.
"""

from __future__ import annotations

from typing import Any, Final

BACKEND_OF: Final = {
    "tensorrt_plan": "tensorrt",
    "tensorflow_graphdef": "tensorflow",
    "tensorflow_savedmodel": "tensorflow",
    "onnxruntime_onnx": "onnxruntime",
    "pytorch_libtorch": "pytorch",
}
"""By platform."""
PLATFORM_OF: Final = {
    "onnxruntime": "onnxruntime_onnx",
    "tensorrt": "tensorrt_plan",
    "pytorch": "pytorch_libtorch",
}
"""By backend; TensorFlow has two, of which the file must name one."""
MODEL_FILES: Final = {
    "python": "model.py",
    "onnxruntime": "model.onnx",
    "tensorrt": "model.plan",
    "pytorch": "model.pt",
    "openvino": "model.xml",
}
"""The file of a version that the backend reads where ``default_model_filename`` names none."""
ADD_A_BATCHER: Final = ("onnxruntime", "tensorrt")
"""Their auto-completion adds ``dynamic_batching`` where the file names no scheduler."""
GUESSED_BY: Final = (
    "model.savedmodel", "model.graphdef", "model.plan", "model.onnx", "model.xml", "model.pt",
    "model.py",
)  # fmt: skip
"""Files and folders in a version folder by which Triton guesses the backend."""


def backend_of(config: Any) -> str:
    """The backend that a configuration names, by itself or by its platform; empty if neither."""
    return config.backend or BACKEND_OF.get(config.platform, "")
