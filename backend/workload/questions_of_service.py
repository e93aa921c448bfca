"""Questions on how requests arrive and what serves them."""

from __future__ import annotations

from typing import Final

from backend.workload.question import UNKNOWN, Question
from backend.workload.question_forms import options_of

SERVICE: Final = (
    Question(
        id="arrivals",
        text="How do requests arrive?",
        why=(
            "A batch forms only from requests that wait at the same time. How they come decides "
            "whether that happens, and how long the tail of the queue time is."
        ),
        field=("arrivals",),
        options=options_of(
            (
                "one_caller",
                "One caller, which waits for each reply",
                "No two requests ever wait together: nothing can be batched, and a queue delay "
                "only costs time.",
            ),
            (
                "few_callers",
                "A few callers, each waiting for its replies",
                "At most as many requests wait as there are callers.",
            ),
            ("steady", "At a steady rate", "Few wait unless the instances are busy."),
            (
                "poisson",
                "At random, independent of each other",
                "The tail is several times that of a steady rate at the same load.",
            ),
            ("bursty", "In bursts", "Large batches in a burst; the tail is decided by its size."),
            (UNKNOWN, "I don't know", "Several callers are assumed."),
        ),
    ),
    Question(
        id="backend",
        text="Which backend runs the model?",
        why=(
            "What a configuration may hold differs: only some backends write state that Triton "
            "carries, take ragged input, or can be given text ids."
        ),
        field=("serving", "backend"),
        options=options_of(
            (
                "python",
                "Python",
                "State is kept by the model itself; state that Triton carries is never written "
                "back.",
            ),
            ("onnxruntime", "ONNX Runtime", "May use state that Triton carries (implicit state)."),
            ("tensorrt", "TensorRT", "May use state that Triton carries (implicit state)."),
            (
                "pytorch",
                "PyTorch (TorchScript)",
                "May use state that Triton carries (implicit state).",
            ),
            ("tensorflow", "TensorFlow", "Keeps no state that Triton carries."),
            ("openvino", "OpenVINO", "Keeps no state that Triton carries."),
            ("dali", "DALI", "Keeps no state that Triton carries."),
            ("vllm", "vLLM", "Batches by itself: requests reach it one by one, decoupled."),
            (
                "tensorrtllm",
                "TensorRT-LLM",
                "Batches by itself: requests reach it one by one, decoupled.",
            ),
            (
                "custom",
                "One of our own",
                "What it supports has to be looked up; the embedded server does not have it.",
            ),
            (
                UNKNOWN,
                "I don't know",
                "The model template's own backend counts where there is one.",
            ),
        ),
    ),
    Question(
        id="hardware",
        text="What does the model compute on?",
        why=(
            "It decides the kind of the instance group. A GPU that is not there keeps the model "
            "from loading; a fallback to the CPU must never be silent."
        ),
        field=("serving", "hardware"),
        options=options_of(
            ("cpu", "The CPU", "KIND_CPU."),
            (
                "gpu",
                "A GPU",
                "KIND_GPU; the embedded server has none and uses the CPU instead, saying so.",
            ),
            (UNKNOWN, "I don't know", "The CPU is proposed."),
        ),
    ),
)
